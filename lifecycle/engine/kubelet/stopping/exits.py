"""After the process of a container has ended: its exit record, and the back-off before the next start."""

from __future__ import annotations

from lifecycle.userland.world import Exit

from ...objects.pods.pod import Pod
from ...objects.pods.runtime import EXITED, RuntimeContainer
from ...rules.pods.backoff import decide_delay, decide_next_delay
from ...rules.pods.container_status import ended_state
from ..eviction.evictor import Evictor
from ..parts import Parts
from ..state.container_run import IDLE, ContainerRun
from ..state.worker import SYNCING, TERMINATING, PodWorker
from .last_words import find_last_words

START_ERROR = "StartError"
_NOT_STARTED = 128


def record_exit(
    parts: Parts, evictor: Evictor, worker: PodWorker, pod: Pod, run: ContainerRun, end: Exit
) -> None:
    """The runtime's record of a run that has ended; what is next is for the pod's next look."""
    if end.code == 0 and run.behavior is not None and run.behavior.creates:
        from .created import make_created

        make_created(parts, worker, pod, run, run.behavior.creates)
    if run.wake_timer is not None:
        parts.cancel((run.wake_timer[0], run.wake_timer[2]))
        run.wake_timer = None
    message = find_last_words(parts, worker, pod, run, end.code) if run.process is not None else ""
    was_known = run.process is not None and bool(run.process.usage_points)
    run.process, run.stage, run.is_unseen = None, IDLE, False
    parts.note_use(worker)
    if was_known:
        evictor.synchronize(worker.node)
    worker.take_container(run)
    records, name = worker.runtime.containers, run.container.name
    reason = end.reason or ("Completed" if end.code == 0 else "Error")
    record = records[name].ended(end.code, reason, end.signal or 0, end.at_ms)
    if message:
        record = record.replace(message=message)
    records[name] = record
    is_unheard = parts.outages and (parts.is_cut_off(worker.node) or parts.is_left_alone(worker))
    if is_unheard or worker.is_busy:
        worker.keep_untold(name, ended_state(record))
    is_regular_init = run.container.is_init and not run.container.is_sidecar
    run.ready = is_regular_init and end.code == 0
    run.started = False
    _grow_delay(parts, worker, run, end.at_ms)
    run.attempt += 1
    worker.must_act = True
    if worker.stage != TERMINATING:
        # Of a pod that is being stopped it is told when all has ended (SyncTerminatingPod).
        worker.has_changed = True
    if worker.stage == SYNCING and not worker.under_way:
        parts.notice(worker)
    elif not worker.is_being_stopped:
        # Who ends it waits for its end.
        parts.touch(worker)


def record_failed_start(parts: Parts, worker: PodWorker, run: ContainerRun, id_: str, message: str) -> None:
    """The runtime's record of a container it has made and could not start: that is an end, too."""
    now_ms, name = parts.now_ms, run.container.name
    worker.runtime.containers[name] = RuntimeContainer(
        name,
        id_,
        EXITED,
        exit_code=_NOT_STARTED,
        reason=START_ERROR,
        message=message,
        created_ms=now_ms,
        started_ms=now_ms,
        finished_ms=now_ms,
        image=run.container.image,
        attempt=run.attempt,
    )
    run.restart_count = run.attempt
    run.process_start_ms = now_ms
    _grow_delay(parts, worker, run, now_ms)
    run.attempt += 1


def _grow_delay(parts: Parts, worker: PodWorker, run: ContainerRun, ended_ms: int) -> None:
    """When the container may start again, and the delay after that.

    A look that kills a container to start it again knows of earlier ends only (kubelet, doBackOff): is the
    delay since the last of these over, then it starts at once; the first one is no reason for any delay.
    """
    first_ms, cap_ms = parts.agents[worker.node].back_off
    former_ms, run.ended_ms = run.ended_ms, ended_ms
    if run.must_restart and former_ms + run.delay_ms <= ended_ms:
        run.due_ms = ended_ms
        if run.attempt:
            run.delay_ms = decide_next_delay(run.delay_ms, first_ms, cap_ms)
        return
    delay_ms = decide_delay(run.delay_ms, ended_ms - run.process_start_ms)
    run.due_ms = ended_ms + delay_ms
    run.delay_ms = decide_next_delay(delay_ms, first_ms, cap_ms)
