"""From a write to its rows: what changed between two versions of an object, in order (`docs/formats.md`).

Within one write: exists, deletion, node, containers in spec order (state, started, ready, restartCount),
conditions, phase, ready, status, state. A changed message alone is no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..heart.trace import Change
from ..objects.condition import Condition, find_condition
from ..objects.pods.container import TERMINATED, WAITING, ContainerState, ContainerStatus
from ..objects.pods.pod import Pod
from ..objects.pods.status import PodStatus
from ..objects.shown import Shown, State
from ..rules.columns.pods import SCHEDULING_GATED, decide_shown, decide_shown_ending
from ..rules.nodes.eviction import DISRUPTION_TARGET
from ..rules.pods.state import decide_state

CONDITION_ORDER = {
    "PodScheduled": 0,
    "PodReadyToStartContainers": 1,
    "Initialized": 2,
    "ContainersReady": 3,
    "Ready": 4,
}
_READY_RANK = CONDITION_ORDER["Ready"]
_DISRUPTED = "condition." + DISRUPTION_TARGET
Rank = tuple[int, str]
"""Where a condition stands among those of one write, and its field."""
_RANKS: dict[str, Rank] = {name: (rank, "condition." + name) for name, rank in CONDITION_ORDER.items()}
# Without init containers Initialized is set before the sandbox exists.
_RANKS_WITHOUT_INIT: dict[str, Rank] = {
    **_RANKS,
    "Initialized": (1, "condition.Initialized"),
    "PodReadyToStartContainers": (2, "condition.PodReadyToStartContainers"),
}
_NOTHING = PodStatus()
_SCHEDULED: Change = ("condition.PodScheduled", None, "True", None, None, None)


def first_changes(pod: Pod, last_end_is_status: bool) -> list[Change]:
    """What a pod's creation tells; the same for all pods of a template that begin with one status."""
    notes, status = pod.spec.notes, pod.status
    known = notes.first_changes
    if known is not None and known[0] is status and not pod.node_name:
        pod.shown = known[2]
        return known[1]
    found = pod_changes(None, pod, last_end_is_status)[0]
    if not pod.node_name and pod.meta.deletion_ms is None:
        notes.first_changes = (status, found, pod.shown)
    return found


def pod_changes(old: Pod | None, new: Pod, last_end_is_status: bool) -> tuple[list[Change], bool]:
    """What a pod's create or update changed, and whether its phase or readiness did; `new` is shown so.

    `last_end_is_status`: how the release has `LAST_END_IS_STATUS`.
    """
    found: list[Change] = []
    status = new.status
    if old is None:
        before = _NOTHING
        found.append(("exists", None, "created", None, None, None))
    else:
        before = old.status
    if new.node_name and (old is None or old.node_name != new.node_name):
        found.append(("node", None, new.node_name, None, None, None))
    if before is status:
        _add_shown_anew(found, old, new, last_end_is_status)
        return found, False
    is_of_note = False
    is_same_run = before.containers is status.containers
    if before.init_containers is not status.init_containers:
        is_same_run = False
        _add_containers(found, before.init_containers, status.init_containers)
    if before.containers is not status.containers:
        _add_containers(found, before.containers, status.containers)
    if before.ephemeral_containers is not status.ephemeral_containers:
        _add_containers(found, before.ephemeral_containers, status.ephemeral_containers)
    if before.conditions is not status.conditions:
        ranks = _RANKS if new.spec.init_containers else _RANKS_WITHOUT_INIT
        is_of_note = _add_conditions(found, before.conditions, status.conditions, ranks)
        is_of_note = is_of_note or bool(new.spec.readiness_gates)
    if before.phase != status.phase or old is None:
        is_of_note = True
        was = before.phase if old is not None else None
        found.append(("phase", was, status.phase, status.reason or None, status.message or None, None))
    elif is_same_run and _is_plain_detail(old, new):
        _add_state_alone(found, old, new)
        return found, is_of_note
    if before.reason != status.reason:
        found.append(("reason", before.reason or None, status.reason or None, None, None, None))
    _add_shown(found, old, new, decide_shown(new, last_end_is_status))
    return found, is_of_note


def binding_changes(old: Pod, new: Pod) -> tuple[Sequence[Change], Shown]:
    """What the first binding of a plain pod tells, of which the scheduler has said nothing before."""
    notes = new.spec.notes
    known = notes.binding
    if known is None or known[0] is not old.shown:
        told: list[Change] = []
        _add_state_alone(told, old, new)
        known = notes.binding = (old.shown, told, new.shown)
    return (("node", None, new.node_name, None, None, None), _SCHEDULED, *known[1]), known[2]


def find_lead(changes: Sequence[Change]) -> int:
    """The place, among the changes of one write, of what others go on from.

    Usually the first; but of a set's or Deployment's write its revision, and of a pod's, unless a container
    has come to another state, its phase or that it is ready or not.
    """
    if len(changes) < 2 or changes[0][0].endswith(".state"):
        return 0
    is_new, found = changes[0][0] == "exists", 0
    for place, change in enumerate(changes):
        field = change[0]
        if field == "revision" or (field == "phase" and not is_new):
            return place
        if field == "condition.Ready" and not is_new:
            found = place
    return found


def _is_plain_detail(old: Pod, new: Pod) -> bool:
    """Whether READY and STATUS cannot differ between two versions with the same containers and phase.

    Conditions alone change what they say only of a pod that was gated, initializes or is partly completed.
    """
    return (
        new.spec.is_plain
        and old.meta is new.meta
        and old.spec is new.spec
        and old.status.reason == new.status.reason
        and old.shown[1] != SCHEDULING_GATED
    )


def _add_shown_anew(found: list[Change], old: Pod | None, pod: Pod, last_end_is_status: bool) -> None:
    """Of a write that leaves the status as it was: only a node and a deletion change how the pod is shown."""
    if old is None or old.spec is not pod.spec or old.node_name != pod.node_name:
        _add_shown(found, old, pod, decide_shown(pod, last_end_is_status))
    elif old.meta.deletion_ms is None and pod.meta.deletion_ms is not None:
        _add_shown(found, old, pod, decide_shown_ending(pod, old.shown))
    else:
        pod.shown = old.shown


def _add_shown(found: list[Change], old: Pod | None, pod: Pod, shown: Shown) -> None:
    pod.shown = shown
    was_ready, was_text, was = old.shown if old is not None else (None, None, None)
    if was_ready != shown.ready:
        found.append(("ready", was_ready, shown.ready, None, None, None))
    if was_text != shown.status:
        found.append(("status", was_text, shown.status, None, None, None))
    _add_state(found, was, shown.state)


def _add_state_alone(found: list[Change], old: Pod, pod: Pod) -> None:
    """Of a write that leaves READY and STATUS as they were."""
    ready, text, was = old.shown
    state = decide_state(pod)
    pod.shown = Shown(ready, text, state)
    _add_state(found, was, state)


def _add_state(found: list[Change], was: State | None, state: State) -> None:
    if was is None:
        found.append(("state", None, state.name, state.reason, state.message, None))
    elif was.name != state.name or was.reason != state.reason:
        found.append(("state", was.name, state.name, state.reason, state.message, None))


def _add_containers(
    found: list[Change], old: tuple[ContainerStatus, ...], new: tuple[ContainerStatus, ...]
) -> None:
    for index, status in enumerate(new):
        before: ContainerStatus | None = None
        if index < len(old) and old[index].name == status.name:
            before = old[index]
        elif old:
            before = next((entry for entry in old if entry.name == status.name), None)
        if before is None:
            _add_new_container(found, status)
        elif before is not status:
            _add_container(found, before, status)


@lru_cache(maxsize=4096)
def _fields_of(container: str) -> tuple[str, str, str, str]:
    """The fields of a container's rows; millions of rows share these texts."""
    stem = f"container.{container}."
    return stem + "state", stem + "started", stem + "ready", stem + "restartCount"


def _add_new_container(found: list[Change], new: ContainerStatus) -> None:
    state_field, started_field, ready_field, count_field = _fields_of(new.name)
    if new.state is not None:
        found.append(_state_change(state_field, None, new.state, new.restart_count))
    if new.started is not None:
        found.append((started_field, None, new.started, None, None, None))
    found.append((ready_field, None, new.ready, None, None, None))
    if new.restart_count:
        found.append((count_field, 0, new.restart_count, None, None, None))


def _add_container(found: list[Change], old: ContainerStatus, new: ContainerStatus) -> None:
    state_field, started_field, ready_field, count_field = _fields_of(new.name)
    state, before = new.state, old.state
    if state is not None and before is not state:
        has_restarted = old.restart_count != new.restart_count and state.type != WAITING
        if before is None or before.type != state.type or before.reason != state.reason or has_restarted:
            found.append(_state_change(state_field, before, state, new.restart_count))
    if old.started != new.started:
        found.append((started_field, old.started, new.started, None, None, None))
    if old.ready != new.ready:
        found.append((ready_field, old.ready, new.ready, None, None, None))
    if old.restart_count != new.restart_count:
        found.append((count_field, old.restart_count, new.restart_count, None, None, None))


def _state_change(
    field: str, before: ContainerState | None, state: ContainerState, restart_count: int
) -> Change:
    detail: dict[str, Any] | None = None
    if state.type != WAITING:
        detail = {"restartCount": restart_count, "startedAt_ms": state.started_ms}
        if state.type == TERMINATED:
            detail["exitCode"] = state.exit_code
            detail["signal"] = state.signal
            detail["finishedAt_ms"] = state.finished_ms
    was = before.type if before is not None else None
    return field, was, state.type, state.reason or None, state.message or None, detail


def _add_conditions(
    found: list[Change], old: tuple[Condition, ...], new: tuple[Condition, ...], ranks: dict[str, Rank]
) -> bool:
    """Add changed conditions by rank; returns whether the pod became ready, or is so no longer, or is to be
    disrupted."""
    changed: list[tuple[Rank, Change]] = []
    has_turned = False
    for before, after in _pair(old, new):
        was = before.status if before is not None else None
        if after is None:
            rank = _rank_of(before.type, ranks)  # type: ignore[union-attr]
            changed.append((rank, (rank[1], was, None, None, None, None)))
        elif was != after.status or before.reason != after.reason:  # type: ignore[union-attr]
            rank = ranks.get(after.type) or _rank_of(after.type, ranks)
            reason, message = after.reason or None, after.message or None
            changed.append((rank, (rank[1], was, after.status, reason, message, None)))
        else:
            continue
        is_ready_now = after is not None and after.status == "True"
        if rank[1] == _DISRUPTED or (rank[0] == _READY_RANK and (was == "True" or is_ready_now)):
            has_turned = True
    if len(changed) > 1:
        # No two have the same rank.
        changed.sort()
    for _rank, change in changed:
        found.append(change)
    return has_turned


def _pair(
    old: tuple[Condition, ...], new: tuple[Condition, ...]
) -> list[tuple[Condition | None, Condition | None]]:
    """Old and new of each condition that is not the very same; None where it is absent."""
    count = len(old)
    pairs: list[tuple[Condition | None, Condition | None]] = []
    for before, after in zip(old, new, strict=False):
        if before is not after:
            if before.type != after.type:
                break
            pairs.append((before, after))
    else:
        if count <= len(new):
            # The usual case: all stand where they stood, and some may have been added.
            for after in new[count:]:
                pairs.append((None, after))
            return pairs
    pairs = [(find_condition(old, after.type), after) for after in new]
    pairs += [(before, None) for before in old if find_condition(new, before.type) is None]
    return pairs


def _rank_of(type_: str, ranks: dict[str, Rank]) -> Rank:
    return ranks.get(type_) or (9, "condition." + type_)
