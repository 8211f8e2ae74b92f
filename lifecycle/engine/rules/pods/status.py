"""From container states to the phase a pod's status says.

Models the kubelet's status generation. Everything is pure and runs several times in a pod's start.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.pods.container import RUNNING, TERMINATED, WAITING, ContainerStatus
from ...objects.pods.pod import FAILED, PENDING, SUCCEEDED, PodSpec
from ...objects.pods.pod import RUNNING as POD_RUNNING
from ..reasons import RESTARTING_ALL
from .restart_rules import status_of, will_restart


def decide_phase(
    spec: PodSpec,
    init_statuses: Sequence[ContainerStatus],
    statuses: Sequence[ContainerStatus],
    *,
    is_terminal: bool,
    has_initialized: bool,
    current_phase: str = "",
) -> str:
    """The pod's phase. A terminal phase is final for its uid (POD-PHASE-17).

    `is_terminal`: the pod worker has decided that nothing starts again. `has_initialized`: some app
    container was started in the current sandbox, so a restarting sidecar no longer means Pending.
    """
    if current_phase in (SUCCEEDED, FAILED):
        return current_phase
    if spec.init_containers:
        blocked = _initializing(spec, init_statuses, statuses, has_initialized, current_phase)
        if blocked:
            return blocked
    count_running, count_unknown = _running_sidecars(spec, init_statuses)
    stopped = succeeded = 0
    restartable = False
    for container in spec.containers:
        status = status_of(statuses, container.name)
        state = status.state if status is not None else None
        if status is None or state is None:
            count_unknown += 1
        elif state.type == RUNNING:
            count_running += 1
        elif state.type == WAITING and status.last_state is None:
            # One app container that has never run keeps the whole pod Pending (POD-PHASE-06).
            return PENDING
        else:
            stopped += 1
            restartable = restartable or will_restart(container, spec, status)
            succeeded += state.type == TERMINATED and not state.exit_code
    if count_unknown or not (count_running or stopped):
        return PENDING
    if count_running or (restartable and not is_terminal):
        return POD_RUNNING
    # Everything ended for good: one failure is enough; sidecars have no say (POD-PHASE-18).
    return SUCCEEDED if stopped == succeeded else FAILED


def _initializing(
    spec: PodSpec,
    init_statuses: Sequence[ContainerStatus],
    statuses: Sequence[ContainerStatus],
    has_initialized: bool,
    current_phase: str,
) -> str:
    # PENDING while initialization goes on, FAILED when it failed for good, "" when it is over.
    pending = False
    for container in spec.init_containers:
        status = status_of(init_statuses, container.name)
        if container.is_sidecar:
            waits = _is_sidecar_waiting(status)
            # Never started at all, or still on its way up for the first time.
            pending = pending or waits == "new" or (waits == "starting" and not has_initialized)
            continue
        state = status.state if status is not None else None
        if status is None or state is None or state.type == RUNNING:
            pending = True
            continue
        ended = state if state.type == TERMINATED else status.last_state
        if ended is None:
            pending = True
        elif ended.exit_code and not will_restart(container, spec, status):
            return FAILED
    if not pending:
        return ""
    # An in-place restart reruns the init containers of a pod that was up: it stays Running (RALL-12).
    if current_phase == POD_RUNNING and _has_restarted_in_place(statuses):
        return POD_RUNNING
    return PENDING


def _is_sidecar_waiting(status: ContainerStatus | None) -> str:
    state = status.state if status is not None else None
    if status is None:
        return ""
    if state is None:
        return "starting"
    if state.type == RUNNING:
        return "" if status.started else "starting"
    return "new" if state.type == WAITING and status.last_state is None else ""


def _running_sidecars(spec: PodSpec, init_statuses: Sequence[ContainerStatus]) -> tuple[int, int]:
    # How many sidecars run, and of how many nothing is known.
    count_running = count_unknown = 0
    for container in spec.init_containers:
        if container.is_sidecar:
            status = status_of(init_statuses, container.name)
            if status is None or status.state is None:
                count_unknown += 1
            elif status.state.type == RUNNING:
                count_running += 1
    return count_running, count_unknown


def _has_restarted_in_place(statuses: Sequence[ContainerStatus]) -> bool:
    return any(
        status.last_state is not None and status.last_state.reason == RESTARTING_ALL for status in statuses
    )
