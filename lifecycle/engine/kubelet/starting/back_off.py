"""CrashLoopBackOff: a container that has ended and may not start yet, with the event of each sync.

Models doBackOff. Meanwhile the pod is synced every 10 to 15 s, and most of these syncs find nothing new. A
worker that could not bring its pod to where it is to be syncs again when the first back-off that it met is
over (completeWork); without any, after the 10 to 15 s of every other error.
"""

from __future__ import annotations

from ...heart.timing import BACK_OFF_INITIAL_MS
from ...objects.pods.pod import Pod
from ...rules.pods.backoff import duration_text
from ...rules.pods.restart_rules import should_start
from ...rules.reasons import CRASH_LOOP_BACK_OFF
from ..parts import WARNING, Parts
from ..state.container_run import IDLE, ContainerRun
from ..state.worker import PodWorker

UPKEEP_ATTEMPT = 5
"""From this try on a start that fails again is no progress."""


def hold_back(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
    """Not yet: why is told by the next look's status, and the worker comes back when it may be."""
    tries = run.start_tries or run.attempt
    await_back_off(parts, worker, tries < UPKEEP_ATTEMPT)
    if run.start_tries:
        return
    if run.must_restart:
        # The end that it was killed for is news to the next sync, which decides again.
        run.must_restart, worker.must_act = False, True
        parts.notice(worker)
    name, container = _full_name(pod), run.container.name
    if should_start(run.container, worker.spec, worker.runtime.containers.get(container)):
        delay = duration_text(run.due_ms - run.ended_ms)
        why = f"back-off {delay} restarting failed container={container} pod={name}"
        run.unsaid, worker.has_unsaid = (CRASH_LOOP_BACK_OFF, why), True
    _tell(parts, worker, run, name)


def is_held_back(worker: PodWorker, now_ms: int) -> bool:
    """Whether all there is to do for a pod is to hold its one container back, as the look before did."""
    if not worker.spec.is_plain:
        return False
    (run,) = worker.runs.values()
    is_told = run.unsaid is not None and run.unsaid is run.waiting and run.unsaid[0] == CRASH_LOOP_BACK_OFF
    is_left = run.process is None and run.stage == IDLE and not (run.must_restart or run.start_tries)
    return is_told and is_left and run.due_ms > now_ms


def hold_on(parts: Parts, worker: PodWorker, pod: Pod) -> None:
    """Hold back once more what is held back: the same is to be told of it."""
    (run,) = worker.runs.values()
    parts.come_back(worker, run.due_ms - parts.now_ms, is_progress=run.attempt < UPKEEP_ATTEMPT)
    worker.has_unsaid = True
    _tell(parts, worker, run, _full_name(pod))
    parts.lead_on(worker)


def _tell(parts: Parts, worker: PodWorker, run: ContainerRun, name: str) -> None:
    message = f"Back-off restarting failed container {run.container.name} in pod {name}"
    parts.event(worker, run, WARNING, "BackOff", message)


def _full_name(pod: Pod) -> str:
    meta = pod.meta
    return f"{meta.name}_{meta.namespace}({meta.uid})"


# --- when a worker comes back -----------------------------------------------------------------------------


def try_later(parts: Parts, worker: PodWorker, is_progress: bool) -> None:
    """Come back for an error that says nothing of when."""
    if not list_back_offs(parts, worker):
        parts.come_back(worker, BACK_OFF_INITIAL_MS, is_progress=is_progress)


def await_back_off(parts: Parts, worker: PodWorker, is_progress: bool) -> None:
    """Come back when the first back-off is over, whatever else went wrong."""
    is_progress = is_progress or (worker.return_timer is not None and worker.return_timer[2])
    parts.stay(worker)
    due_ms = min(run.due_ms for run in list_back_offs(parts, worker))
    parts.come_back(worker, due_ms - parts.now_ms, is_progress=is_progress)


def list_back_offs(parts: Parts, worker: PodWorker) -> list[ContainerRun]:
    """The containers that have ended and may not run again yet."""
    now_ms = parts.now_ms
    return [
        run
        for run in worker.runs.values()
        if run.due_ms > now_ms and run.process is None and run.stage == IDLE and not run.pull_delay_ms
    ]
