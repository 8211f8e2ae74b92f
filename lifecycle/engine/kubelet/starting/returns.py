"""When a pod is synced again after a sync that failed (completeWork).

After the shortest back-off that the sync has met, or 10 to 15 s after any other error.
"""

from __future__ import annotations

from ...heart.timing import BACK_OFF_INITIAL_MS
from ..container_run import IDLE, ContainerRun
from ..parts import Parts
from ..worker import PodWorker


def try_later(parts: Parts, worker: PodWorker, is_progress: bool) -> None:
    """Come back for an error that says nothing of when."""
    if parts.context.timing.is_instant or not list_back_offs(parts, worker):
        parts.come_back(worker, BACK_OFF_INITIAL_MS, is_progress=is_progress)


def await_back_off(parts: Parts, worker: PodWorker, is_progress: bool) -> None:
    """Come back when the first back-off is over, whatever else went wrong."""
    if not parts.context.timing.is_instant:
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
