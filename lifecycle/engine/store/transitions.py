"""From a write to its rows: what changed between two versions of an object, in the contract's order.

Within one write: exists, deletion, node, containers in spec order (state, started, ready, restartCount),
conditions, phase, ready, status. A changed message alone is no row.
"""

from __future__ import annotations

from typing import Any

from ..columns import pod_status_text, ready_text
from ..objects.condition import Condition, find_condition
from ..objects.container import TERMINATED, WAITING, ContainerState, ContainerStatus
from ..objects.meta import StoredObject, Subject
from ..objects.pod import Pod
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
    subject = new.subject
    before, status = (old.status if old is not None else None), new.status
    if old is None:
        trace.transition(subject, "exists", None, "created")
    if new.node_name and (old is None or old.node_name != new.node_name):
        trace.transition(subject, "node", None, new.node_name)
    if before is not status:
        was_init, was, was_ephemeral = (
            (before.init_containers, before.containers, before.ephemeral_containers)
            if before is not None
            else ((), (), ())
        )
        if was_init is not status.init_containers:
            _record_containers(trace, subject, was_init, status.init_containers)
        if was is not status.containers:
            _record_containers(trace, subject, was, status.containers)
        if was_ephemeral is not status.ephemeral_containers:
            _record_containers(trace, subject, was_ephemeral, status.ephemeral_containers)
        if before is None or before.conditions is not status.conditions:
            order = _ORDER if new.spec.init_containers else _ORDER_WITHOUT_INIT
            _record_conditions(trace, subject, before.conditions if before else (), status.conditions, order)
        if before is None or before.phase != status.phase:
            trace.transition(
                subject,
                "phase",
                before.phase if before else None,
                status.phase,
                status.reason or None,
                status.message or None,
            )
        if (before.reason if before else "") != status.reason:
            trace.transition(subject, "reason", (before and before.reason) or None, status.reason or None)
    _record_shown(trace, subject, new, shown)


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


def _record_container(
    trace: Trace, subject: Subject, old: ContainerStatus | None, new: ContainerStatus
) -> None:
    field = "container." + new.name
    state, before = new.state, old.state if old is not None else None
    if state is not None and before is not state:
        restarted = old is not None and old.restart_count != new.restart_count
        if (
            before is None
            or before.type != state.type
            or before.reason != state.reason
            or (restarted and state.type != WAITING)
        ):
            trace.transition(
                subject,
                field + ".state",
                before.type if before else None,
                state.type,
                state.reason or None,
                state.message or None,
                _state_detail(state, new.restart_count),
            )
    if (old.started if old else None) != new.started:
        trace.transition(subject, field + ".started", old.started if old else None, new.started)
    if old is None or old.ready != new.ready:
        trace.transition(subject, field + ".ready", old.ready if old else None, new.ready)
    if (old.restart_count if old else 0) != new.restart_count:
        trace.transition(subject, field + ".restartCount", old.restart_count if old else 0, new.restart_count)


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
    changed: list[tuple[int, str, Condition | None, Condition | None]] = []
    count_old = len(old)
    is_moved = count_old > len(new)
    for index, condition in enumerate(new):
        before: Condition | None = old[index] if index < count_old else None
        if before is condition:
            continue
        if before is None or before.type != condition.type:
            is_moved = is_moved or before is not None
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
        trace.transition(
            subject,
            "condition." + name,
            before.status if before else None,
            after.status if after else None,
            (after.reason or None) if after else None,
            (after.message or None) if after else None,
        )


def _by_rank(entry: tuple[int, str, Condition | None, Condition | None]) -> tuple[int, str]:
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
