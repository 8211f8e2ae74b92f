"""From a write to its rows: what changed between two versions of an object, in the contract's order.

Within one write: exists, deletion, node, containers in spec order (state, started, ready, restartCount),
conditions, phase, ready, status. A changed message alone is no row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..columns import SCHEDULING_GATED, pod_status_text, ready_text
from ..objects.condition import Condition, find_condition
from ..objects.container import TERMINATED, WAITING, ContainerState, ContainerStatus
from ..objects.meta import StoredObject, Subject
from ..objects.pod import Pod, PodStatus
from ..trace import Trace

_ORDER = {
    "PodScheduled": 0,
    "PodReadyToStartContainers": 1,
    "Initialized": 2,
    "ContainersReady": 3,
    "Ready": 4,
}
# Without init containers Initialized is set before the sandbox exists.
_ORDER_WITHOUT_INIT = {**_ORDER, "Initialized": 1, "PodReadyToStartContainers": 2}
_REVISION = "deployment.kubernetes.io/revision"


def record_pod(trace: Trace, old: Pod | None, new: Pod, shown: dict[str, tuple[str, str]]) -> None:
    """Rows of a pod's create or update. `shown` keeps READY and STATUS as last told, by uid."""
    subject, status = new.subject, new.status
    if old is None:
        before = _NOTHING
        trace.transition(subject, "exists", None, "created")
    else:
        before = old.status
    if new.node_name and (old is None or old.node_name != new.node_name):
        trace.transition(subject, "node", None, new.node_name)
    if before is status:
        _record_shown(trace, subject, new, shown)
        return
    has_run = False
    for was, now in (
        (before.init_containers, status.init_containers),
        (before.containers, status.containers),
        (before.ephemeral_containers, status.ephemeral_containers),
    ):
        if was is not now:
            has_run = True
            _record_containers(trace, subject, was, now)
    if before.conditions is not status.conditions:
        order = _ORDER if new.spec.init_containers else _ORDER_WITHOUT_INIT
        _record_conditions(trace, subject, before.conditions, status.conditions, order)
    if before.phase != status.phase or old is None:
        trace.transition(
            subject,
            "phase",
            before.phase if old is not None else None,
            status.phase,
            status.reason or None,
            status.message or None,
        )
    elif not has_run and _is_plain_detail(old, new, shown):
        return
    if before.reason != status.reason:
        trace.transition(subject, "reason", before.reason or None, status.reason or None)
    _record_shown(trace, subject, new, shown)


_NOTHING = PodStatus()


def _is_plain_detail(old: Pod, new: Pod, shown: dict[str, tuple[str, str]]) -> bool:
    """Whether READY and STATUS cannot differ between two versions with the same containers and phase.

    Conditions alone change what they say only of a pod that was gated, initializes or is partly completed.
    """
    spec = new.spec
    return (
        old.meta is new.meta
        and old.status.reason == new.status.reason
        and not spec.init_containers
        and shown[new.meta.uid][1] != SCHEDULING_GATED
        and old.spec is spec
        and len(spec.containers) == 1
    )


def _record_shown(trace: Trace, subject: Subject, pod: Pod, shown: dict[str, tuple[str, str]]) -> None:
    ready, text = ready_text(pod), pod_status_text(pod)
    last = shown.get(subject.uid)
    if last is None:
        trace.transition(subject, "ready", None, ready)
        trace.transition(subject, "status", None, text)
    else:
        if last[0] != ready:
            trace.transition(subject, "ready", last[0], ready)
        if last[1] != text:
            trace.transition(subject, "status", last[1], text)
        elif last[0] == ready:
            return
    shown[subject.uid] = (ready, text)


def _record_containers(
    trace: Trace,
    subject: Subject,
    old: tuple[ContainerStatus, ...],
    new: tuple[ContainerStatus, ...],
) -> None:
    for index, status in enumerate(new):
        before: ContainerStatus | None = None
        if index < len(old) and old[index].name == status.name:
            before = old[index]
        elif old:
            before = next((entry for entry in old if entry.name == status.name), None)
        if before is not status:
            _record_container(trace, subject, before, status)


@lru_cache(maxsize=4096)
def _fields_of(container: str) -> tuple[str, str, str, str]:
    """The fields of a container's rows; millions of rows share these texts."""
    stem = f"container.{container}."
    return stem + "state", stem + "started", stem + "ready", stem + "restartCount"


def _record_container(
    trace: Trace, subject: Subject, old: ContainerStatus | None, new: ContainerStatus
) -> None:
    state_field, started_field, ready_field, count_field = _fields_of(new.name)
    if old is None:
        if new.state is not None:
            _record_state(trace, subject, state_field, None, new)
        if new.started is not None:
            trace.transition(subject, started_field, None, new.started)
        trace.transition(subject, ready_field, None, new.ready)
        if new.restart_count:
            trace.transition(subject, count_field, 0, new.restart_count)
        return
    state, before = new.state, old.state
    if state is not None and before is not state:
        has_restarted = old.restart_count != new.restart_count and state.type != WAITING
        if before is None or before.type != state.type or before.reason != state.reason or has_restarted:
            _record_state(trace, subject, state_field, before, new)
    if old.started != new.started:
        trace.transition(subject, started_field, old.started, new.started)
    if old.ready != new.ready:
        trace.transition(subject, ready_field, old.ready, new.ready)
    if old.restart_count != new.restart_count:
        trace.transition(subject, count_field, old.restart_count, new.restart_count)


def _record_state(
    trace: Trace, subject: Subject, field: str, before: ContainerState | None, status: ContainerStatus
) -> None:
    state = status.state
    assert state is not None, status.name
    trace.transition(
        subject,
        field,
        before.type if before is not None else None,
        state.type,
        state.reason or None,
        state.message or None,
        _state_detail(state, status.restart_count),
    )


def _state_detail(state: ContainerState, restart_count: int) -> dict[str, Any] | None:
    if state.type == WAITING:
        return None
    detail: dict[str, Any] = {"restartCount": restart_count, "startedAt_ms": state.started_ms}
    if state.type == TERMINATED:
        detail["exitCode"] = state.exit_code
        detail["signal"] = state.signal
        detail["finishedAt_ms"] = state.finished_ms
    return detail


def _record_conditions(
    trace: Trace,
    subject: Subject,
    old: tuple[Condition, ...],
    new: tuple[Condition, ...],
    order: dict[str, int],
) -> None:
    changed: list[_Changed] = []
    count_old = len(old)
    is_moved = count_old > len(new)
    for index, condition in enumerate(new):
        before: Condition | None = old[index] if index < count_old else None
        if before is condition:
            continue
        if before is not None and before.type != condition.type:
            is_moved = True
            before = find_condition(old, condition.type)
        elif before is None and is_moved:
            before = find_condition(old, condition.type)
        if before is None or before.status != condition.status or before.reason != condition.reason:
            changed.append((order.get(condition.type, 9), condition.type, before, condition))
    if is_moved:
        for entry in old:
            if find_condition(new, entry.type) is None:
                changed.append((order.get(entry.type, 9), entry.type, entry, None))
    if len(changed) > 1:
        changed.sort(key=_by_rank)
    for _rank, name, before, after in changed:
        was = before.status if before is not None else None
        if after is None:
            trace.transition(subject, _condition_field(name), was, None)
        else:
            trace.transition(
                subject,
                _condition_field(name),
                was,
                after.status,
                after.reason or None,
                after.message or None,
            )


_Changed = tuple[int, str, Condition | None, Condition | None]


@lru_cache(maxsize=1024)
def _condition_field(type_: str) -> str:
    return "condition." + type_


def _by_rank(entry: _Changed) -> tuple[int, str]:
    return entry[0], entry[1]


def record_object(trace: Trace, old: StoredObject | None, new: StoredObject) -> None:
    """Rows of any other object: existence, conditions, every integer of its status, revision, and so on."""
    subject = new.subject
    if old is None:
        trace.transition(subject, "exists", None, "created")
    before, after = _readings(old), _readings(new)
    for field in sorted(set(before) | set(after), key=_field_rank):
        was, is_now = before.get(field), after.get(field)
        if was == is_now:
            continue
        value, reason, message = is_now or (None, None, None)
        default = 0 if field != "revision" and _is_integer_field(was, is_now) else None
        if was is None and value == default and reason is None:
            continue
        old_value = was[0] if was else default
        trace.transition(subject, field, old_value, default if is_now is None else value, reason, message)


def _is_integer_field(was: Any, is_now: Any) -> bool:
    value = (is_now or was)[0]
    return isinstance(value, int) and not isinstance(value, bool)


def _field_rank(field: str) -> tuple[int, int, str]:
    if field.startswith("condition."):
        return (0, _ORDER.get(field[10:], 9), field)
    return (1, 0, field)


Reading = tuple[Any, str | None, Any]


def _readings(obj: StoredObject | None) -> dict[str, tuple[Any, str | None, str | None]]:
    """What rows are made of, by field: (value, reason, message)."""
    if obj is None:
        return {}
    found: dict[str, tuple[Any, str | None, str | None]] = {}
    status = obj.status_json()
    if isinstance(status, dict):
        for name, value in status.items():
            if isinstance(value, int) and not isinstance(value, bool) and name != "observedGeneration":
                found[name] = (value, None, None)
        for name in ("completedIndexes", "failedIndexes"):
            if name in status:
                found[name] = (status[name], None, None)
        for entry in status.get("conditions") or ():
            if isinstance(entry, dict):
                found["condition." + str(entry.get("type"))] = (
                    entry.get("status"),
                    entry.get("reason") or None,
                    _Message(entry.get("message") or ""),
                )
    _read_spec_fields(obj, found)
    return found


class _Message(str):
    """Text that does not count when two readings are compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str)

    def __hash__(self) -> int:
        return 0


def _read_spec_fields(obj: StoredObject, found: dict[str, tuple[Any, str | None, str | None]]) -> None:
    revision = obj.meta.annotations.get(_REVISION)
    if revision is not None and revision.isdigit():
        found["revision"] = (int(revision), None, None)
    name = obj.kind.name
    if name not in ("Node", "Job", "CronJob"):
        return
    spec = obj.spec_json()
    spec = spec if isinstance(spec, dict) else {}
    if name == "Node":
        found["unschedulable"] = (bool(spec.get("unschedulable")), None, None)
        taints = ",".join(
            f"{taint.get('key')}={taint.get('value', '')}:{taint.get('effect')}"
            for taint in spec.get("taints") or ()
        )
        found["taints"] = (taints or None, None, None)
    else:
        found["suspended"] = (bool(spec.get("suspend")), None, None)
