"""The status of one container, from what the runtime reports of its newest run and what was said before.

Several calls are made in every start, so each looks first for "nothing changed" and returns the old value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from ...objects.pods.container import (
    RUNNING,
    TERMINATED,
    WAITING,
    Container,
    ContainerState,
    ContainerStatus,
    running,
    waiting,
)
from ...objects.pods.pod import PodSpec
from ...objects.pods.runtime import CREATED, EXITED, RuntimeContainer
from ...objects.pods.runtime import RUNNING as RUNTIME_RUNNING
from ..reasons import CONTAINER_CREATING, POD_INITIALIZING
from .image_names import full_name

STATUS_UNKNOWN = "ContainerStatusUnknown"
LOST_EXIT_CODE = 137
RESTART_ALL_MESSAGE = "The container is removed because RestartAllContainers in place"


def default_waiting_reason(spec: PodSpec) -> str:
    """Why a container that nothing is known of waits: behind init containers, or to be created."""
    return POD_INITIALIZING if spec.init_containers else CONTAINER_CREATING


def decide_container_status(
    container: Container,
    runtime: RuntimeContainer | None,
    previous: ContainerStatus | None,
    waiting_for: tuple[str, str | None] | None,
    *,
    ready: bool,
    started: bool | None,
    restart_count: int,
) -> ContainerStatus:
    """The status of one container from its newest run; `previous` itself if nothing changed.

    `waiting_for`: reason and message when it is held back or has not been created (back-off, pull error,
    ContainerCreating). A run that ended before the wait, or before the run now reported, becomes lastState.
    """
    state = _decide_state(runtime, previous, waiting_for)
    last = _decide_last(state, runtime, previous)
    image = _name_image(container, runtime, previous)
    container_id = runtime.id if runtime is not None else previous.container_id if previous else ""
    if (
        previous is not None
        and previous.state is state
        and previous.last_state is last
        and previous.ready == ready
        and previous.started == started
        and previous.restart_count == restart_count
        and previous.image == image
        and previous.container_id == container_id
    ):
        return previous
    image_id = "" if runtime is None or runtime.state == CREATED else image_id_of(image)
    extra = previous.extra if previous is not None else None
    return ContainerStatus(
        container.name, state, last, ready, started, restart_count, image, image_id, container_id, extra
    )


def _name_image(
    container: Container, runtime: RuntimeContainer | None, previous: ContainerStatus | None
) -> str:
    """As its runtime knows it, once that has made a container of it; as its manifest says it before."""
    if runtime is not None:
        return full_name(runtime.image or container.image)
    if previous is not None and previous.image == full_name(container.image):
        return previous.image
    return container.image


@lru_cache(maxsize=1024)
def image_id_of(image: str) -> str:
    """The digested reference a node reports for an image: made up, but the same for the same name."""
    repository = image if "@" not in image else image.partition("@")[0]
    head, slash, tail = repository.rpartition("/")
    return f"{head}{slash}{tail.partition(':')[0]}@sha256:{sha256(image.encode()).hexdigest()}"


def _decide_state(
    runtime: RuntimeContainer | None,
    previous: ContainerStatus | None,
    waiting_for: tuple[str, str | None] | None,
) -> ContainerState:
    before = previous.state if previous is not None else None
    if waiting_for is not None:
        reason, message = waiting_for[0], waiting_for[1] or ""
        is_same = before is not None and before.type == WAITING and before.reason == reason
        if before is not None and is_same and before.message == message:
            return before
        return waiting(reason, message)
    if runtime is not None and runtime.state == RUNTIME_RUNNING:
        if before is not None and before.type == RUNNING and before.started_ms == runtime.started_ms:
            return before
        return running(runtime.started_ms)
    if runtime is not None and runtime.state == EXITED:
        ended = ended_state(runtime)
        return before if before is not None and before == ended else ended
    if runtime is None and before is not None:
        return before
    if before is not None and before.type == WAITING:
        return before
    # Created, or in a state the runtime cannot tell: waiting to run.
    return waiting(CONTAINER_CREATING)


def ended_state(runtime: RuntimeContainer) -> ContainerState:
    """How a run ended, as the API shows it."""
    return ContainerState(
        TERMINATED,
        runtime.reason,
        runtime.message,
        runtime.started_ms,
        runtime.finished_ms,
        runtime.exit_code,
        # The runtime tells the kubelet of no signal, so none is ever reported: 137 alone says SIGKILL.
        None,
        runtime.id,
    )


def with_untold_end(status: ContainerStatus, ends: Sequence[ContainerState]) -> ContainerStatus:
    """The status with its lastState, where runs have ended since it was last told.

    `ends`: the newest of them, oldest first. lastState is always the newest run before the one that `state`
    shows, as the runtime remembers it, whatever the API server has heard of (CSTATE-13).
    """
    is_shown = status.state is not None and status.state.type != WAITING
    shown = status.container_id if is_shown else None
    earlier = [end for end in ends if end.container_id != shown]
    if not earlier or status.last_state == earlier[-1]:
        return status
    return status.replace(last_state=earlier[-1])


def _decide_last(
    state: ContainerState, runtime: RuntimeContainer | None, previous: ContainerStatus | None
) -> ContainerState | None:
    before = previous.state if previous is not None else None
    last = previous.last_state if previous is not None else None
    if state is before:
        return last
    # The run that has just ended while its successor already waits or runs.
    if state.type == WAITING and runtime is not None and runtime.state == EXITED:
        ended = ended_state(runtime)
        if before is not None and before == ended:
            return before
        return last if last is not None and last == ended else ended
    if state.type == TERMINATED and last is not None and last.container_id == state.container_id:
        # It waits no more, and what ended before it is not kept.
        return None
    if before is not None and before.type == TERMINATED:
        return last if state.type == TERMINATED and state.container_id == before.container_id else before
    return last


def mark_unlocated(
    spec: PodSpec, init_statuses: tuple[ContainerStatus, ...], statuses: tuple[ContainerStatus, ...]
) -> tuple[tuple[ContainerStatus, ...], tuple[ContainerStatus, ...]]:
    """The statuses of a pod that has ended, in which each container it came to has ended too.

    Nothing is known of how those ended that have no end, so that it counts as a failure (status manager,
    TerminatePod). App containers of a pod that was never initialized stay as they are, and so do init
    containers after the last that was begun; the first counts as begun.
    """
    if _has_initialized(spec, init_statuses, statuses):
        statuses = _mark(statuses, len(statuses))
    begun = [place for place, one in enumerate(init_statuses) if not _has_only_waited(one)]
    return _mark(init_statuses, 1 + (begun[-1] if begun else 0)), statuses


def _has_initialized(
    spec: PodSpec, init_statuses: Sequence[ContainerStatus], statuses: Sequence[ContainerStatus]
) -> bool:
    if not spec.init_containers or any(not _has_only_waited(one) for one in statuses):
        return True
    if not init_statuses:
        return False
    last = init_statuses[-1]
    if spec.init_containers[-1].is_sidecar:
        return last.state is not None and last.state.type == RUNNING and bool(last.started)
    ends = (last.state, last.last_state)
    return any(end is not None and end.type == TERMINATED and end.exit_code == 0 for end in ends)


def _has_only_waited(status: ContainerStatus) -> bool:
    return status.last_state is None and status.state is not None and status.state.type == WAITING


def _mark(statuses: tuple[ContainerStatus, ...], count: int) -> tuple[ContainerStatus, ...]:
    if all(one.state is not None and one.state.type == TERMINATED for one in statuses[:count]):
        return statuses
    marked = (
        one
        if one.state is not None and one.state.type == TERMINATED
        else one.replace(state=_UNLOCATED, ready=False)
        for one in statuses[:count]
    )
    return (*marked, *statuses[count:])


_UNLOCATED = ContainerState(
    TERMINATED,
    STATUS_UNKNOWN,
    "The container could not be located when the pod was terminated",
    exit_code=LOST_EXIT_CODE,
)


def decide_lost_status(
    container: Container,
    spec: PodSpec,
    previous: ContainerStatus | None,
    *,
    is_deleted: bool,
) -> ContainerStatus:
    """The status of a container the runtime has no record of.

    One that was running must have ended unseen: its last run shows exit 137, ContainerStatusUnknown, and
    unless the pod is being deleted that counts as a restart. `previous` itself if it says how it ended.
    """
    if previous is not None and previous.state is not None and previous.state.type == TERMINATED:
        return previous
    count = previous.restart_count if previous is not None else 0
    last = previous.last_state if previous is not None else None
    was_running = previous is not None and previous.state is not None and previous.state.type == RUNNING
    if was_running and last is None:
        last = ContainerState(
            TERMINATED,
            STATUS_UNKNOWN,
            "The container could not be located when the pod was deleted.  The container used to be Running",
            exit_code=LOST_EXIT_CODE,
        )
        count += 0 if is_deleted else 1
    state = waiting(default_waiting_reason(spec))
    new = ContainerStatus(container.name, state, last, False, None, count, container.image)
    return previous if previous is not None and previous == new else new
