"""READY, STATUS, RESTARTS, AGE and `state`: what people see of an object.

Models kubectl's tables. `state` is Podline's own word, for pods that of `pod_state`; colours follow it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...objects.condition import Condition
from ...objects.node import Node
from ...objects.pods.container import RUNNING, TERMINATED, WAITING, ContainerStatus
from ...objects.pods.pod import Pod
from ...objects.shown import Shown
from ..pods.state import NODE_LOST, decide_state
from ..reasons import POD_INITIALIZING
from .ages import age_text
from .column import AGE, NONE, Column, wide

SCHEDULING_GATED = "SchedulingGated"
TERMINATING = "Terminating"


# --- pods: READY and STATUS, asked at every write ----------------------------------------------------


def ready_text(pod: Pod) -> str:
    """READY: `1/2`. The total counts app containers and sidecars, not regular init containers."""
    spec, status = pod.spec, pod.status
    total = len(spec.containers)
    if spec.init_containers:
        ready, blocked, _ = _scan_init(pod)
        total += sum(one.is_sidecar for one in spec.init_containers)
        if blocked and not _is_true(status.conditions, "Initialized"):
            return f"{ready}/{total}"
    else:
        ready = 0
    for one in status.containers:
        if one.ready and one.state is not None and one.state.type == RUNNING:
            ready += 1
    return f"{ready}/{total}"


def pod_status_text(pod: Pod, last_end_is_status: bool = False) -> str:
    """STATUS: the phase, or the reason that says more (POD-COL-04 to POD-COL-14).

    `last_end_is_status`: how a release has `LAST_END_IS_STATUS`.
    """
    status = pod.status
    phase = status.phase
    text = status.reason or phase
    for condition in status.conditions:
        if condition.type == "PodScheduled":
            if condition.reason == SCHEDULING_GATED:
                text = SCHEDULING_GATED
            break
    blocked = ""
    if status.init_containers:
        _, blocked, _ = _scan_init(pod)
        text = blocked or text
    if not blocked or _is_true(status.conditions, "Initialized"):
        text = _apps_text(pod, text, last_end_is_status)
    return text if pod.meta.deletion_ms is None else _as_ending(pod, text)


def _as_ending(pod: Pod, text: str) -> str:
    """STATUS of a pod that is being deleted, by what it is otherwise."""
    if pod.status.reason == NODE_LOST:
        return "Unknown"
    return text if pod.is_finished else TERMINATING


def _apps_text(pod: Pod, text: str, last_end_is_status: bool) -> str:
    # From the last to the first container: the last word is the first container's.
    statuses, has_running, failure = pod.status.containers, False, ""
    for index in range(len(statuses) - 1, -1, -1):
        one = statuses[index]
        state = one.state
        if state is None:
            continue
        if state.type == RUNNING:
            has_running = has_running or one.ready
        elif state.type == WAITING:
            text = state.reason or text
        else:
            signal_or_code = f"Signal:{state.signal}" if state.signal else f"ExitCode:{state.exit_code or 0}"
            text = state.reason or signal_or_code
            failure = text if state.exit_code and not last_end_is_status else failure
    if text != "Completed":
        return text
    # That a container has completed is no word on a pod in which others run or have failed.
    if has_running and _is_true(pod.status.conditions, "Ready"):
        return "Running"
    return failure or ("NotReady" if has_running else text)


def _scan_init(pod: Pod) -> tuple[int, str, int]:
    """Ready sidecars, the `Init:…` text ("" when initialization is over), statuses looked at.

    The scan stops at the first entry that is neither done nor a started sidecar.
    """
    ready = 0
    sidecars = {one.name for one in pod.spec.init_containers if one.is_sidecar}
    for index, one in enumerate(pod.status.init_containers):
        state = one.state
        if state is not None and state.type == TERMINATED and not state.exit_code:
            continue
        if one.started and one.name in sidecars:
            ready += one.ready
            continue
        return ready, _init_text(pod, index, one), index + 1
    return ready, "", len(pod.status.init_containers)


def _init_text(pod: Pod, index: int, one: ContainerStatus) -> str:
    state = one.state
    if state is not None and state.type == TERMINATED:
        if state.reason:
            return f"Init:{state.reason}"
        return f"Init:Signal:{state.signal}" if state.signal else f"Init:ExitCode:{state.exit_code}"
    if state is not None and state.type == WAITING and state.reason not in ("", POD_INITIALIZING):
        return f"Init:{state.reason}"
    return f"Init:{index}/{len(pod.spec.init_containers)}"


def _is_true(conditions: Sequence[Condition], type_: str) -> bool:
    for condition in conditions:
        if condition.type == type_:
            return condition.status == "True"
    return False


# --- pods: the whole table ---------------------------------------------------------------------------


def count_restarts(pod: Pod) -> tuple[int, int | None]:
    """Restarts as kubectl sums them, and the instant the newest restarted run ended.

    App containers and sidecars; every init container seen so far while the pod initializes.
    """
    status = pod.status
    if not status.init_containers:
        return _sum_restarts(status.containers)
    _, blocked, looked_at = _scan_init(pod)
    if blocked and not _is_true(status.conditions, "Initialized"):
        return _sum_restarts(status.init_containers[:looked_at])
    sidecars = {one.name for one in pod.spec.init_containers if one.is_sidecar}
    looked = status.init_containers[:looked_at]
    return _sum_restarts([*(one for one in looked if one.name in sidecars), *status.containers])


def _sum_restarts(statuses: Sequence[ContainerStatus]) -> tuple[int, int | None]:
    count = 0
    last_ms: int | None = None
    for one in statuses:
        count += one.restart_count
        ended_ms = one.last_state.finished_ms if one.last_state is not None else None
        if ended_ms is not None and (last_ms is None or ended_ms > last_ms):
            last_ms = ended_ms
    return count, last_ms


def restarts_text(pod: Pod, now_ms: int, epoch_ms: int = 0) -> str:
    """RESTARTS: `0`, `3 (40s ago)`."""
    count, last_ms = count_restarts(pod)
    if not count or last_ms is None:
        return str(count)
    return f"{count} ({age_text(last_ms, now_ms, epoch_ms)} ago)"


def _gates_text(pod: Pod) -> str:
    gates = pod.spec.readiness_gates
    if not gates:
        return NONE
    return f"{sum(_is_true(pod.status.conditions, gate) for gate in gates)}/{len(gates)}"


POD_COLUMNS = (
    Column("Ready", lambda row: ready_text(row.pod)),
    Column("Status", lambda row: pod_status_text(row.pod)),
    Column("Restarts", lambda row: restarts_text(row.pod, row.ages.now_ms, row.ages.epoch_ms)),
    AGE,
    wide("IP", lambda row: row.pod.status.pod_ip or NONE),
    wide("Node", lambda row: row.pod.node_name or NONE),
    wide("Nominated Node", lambda row: row.pod.status.nominated_node_name or NONE),
    wide("Readiness Gates", lambda row: _gates_text(row.pod)),
)
FORMER_POD_COLUMNS = (
    POD_COLUMNS[0],
    Column("Status", lambda row: pod_status_text(row.pod, last_end_is_status=True)),
    *POD_COLUMNS[2:],
)
"""Those of releases with `LAST_END_IS_STATUS`."""


# --- state and summary -------------------------------------------------------------------------------


def decide_shown(pod: Pod, last_end_is_status: bool) -> Shown:
    """READY, STATUS and `state` of a pod, together as its rows tell them."""
    return Shown(ready_text(pod), pod_status_text(pod, last_end_is_status), decide_state(pod))


def decide_shown_ending(pod: Pod, before: Shown) -> Shown:
    """The same of a pod that is being deleted since the last write, which changed nothing else of it."""
    return Shown(before.ready, _as_ending(pod, before.status), decide_state(pod))


def summarize_pod(pod: Pod) -> dict[str, Any]:
    """What lists show of a stored pod."""
    shown = pod.shown
    return {
        "node": pod.node_name or None,
        "state": shown.state.name,
        "phase": pod.status.phase or None,
        "status": shown.status,
        "ready": shown.ready,
        "restarts": count_restarts(pod)[0],
    }


def summarize_node(node: Node) -> dict[str, Any]:
    """What lists show of a node."""
    is_ready = _is_true(node.status.conditions, "Ready")
    return {"status": node_status_text(node), "state": "ready" if is_ready else "notReady"}


def node_status_text(node: Node) -> str:
    """STATUS of a node: `Ready`, `NotReady`, `Unknown`, with `SchedulingDisabled` when cordoned."""
    text = "Unknown"
    for condition in node.status.conditions:
        if condition.type == "Ready":
            text = "Ready" if condition.status == "True" else "NotReady"
    return f"{text},SchedulingDisabled" if node.spec.unschedulable else text
