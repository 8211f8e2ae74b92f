"""RestartAllContainers: all containers of a pod restart in place.

Models the gate RestartAllContainersOnContainerExits: all containers are killed at once, without hooks or
grace period. Sandbox, address and volumes stay. Then the init containers run again, one after the other.
"""

from __future__ import annotations

from ...objects.condition import Condition, with_condition
from ...objects.pods.runtime import EXITED
from ...rules.pods.container_status import RESTART_ALL_MESSAGE, ended_state
from ...rules.reasons import RESTARTING_ALL
from ..eviction.evictor import Evictor
from ..parts import Parts
from ..probing.prober import Prober
from ..reports import Reporter
from ..state.container_run import IDLE, ContainerRun
from ..state.worker import PodWorker
from .termination import Stopper

CONDITION = "PodRestartInPlace"


class RestartAll:
    """Restarts whole pods in place."""

    __slots__ = ("_evictor", "_parts", "_prober", "_reporter", "_stopper")

    def __init__(
        self, parts: Parts, prober: Prober, reporter: Reporter, stopper: Stopper, evictor: Evictor
    ) -> None:
        self._parts = parts
        self._prober = prober
        self._reporter = reporter
        self._stopper = stopper
        self._evictor = evictor

    def begin(self, worker: PodWorker, trigger: str) -> None:
        """End every run of the pod and forget what init did; the trigger alone keeps its back-off (RALL-14).

        The next look begins again in the same sandbox.
        """
        parts = self._parts
        self._set_condition(worker, "True")
        ephemeral = {one.name for one in worker.spec.ephemeral_containers}
        runs = [run for name, run in worker.runs.items() if name not in ephemeral]
        had_known_use = any(run.process is not None and run.process.usage_points for run in runs)
        for run in runs:
            self._prober.end(worker, run)
            # Whatever was under way for it is not: a pull, a start, a hook or a stop.
            self._stopper.on_end(worker, parts.pod_manager.known(worker.uid), run)
            run.stage = IDLE
            if run.container.name in worker.runtime.containers:
                self._end(worker, run, run.container.name == trigger)
        self._set_condition(worker, "False")
        stored = parts.pod_manager.stored(worker)
        if stored is not None:
            self._reporter.report(worker, stored)
        if had_known_use:
            self._evictor.synchronize(worker.node)
        kept = {name: seen for name, seen in worker.runtime.containers.items() if name in ephemeral}
        worker.runtime = worker.runtime.replace(containers=kept)
        worker.has_changed = worker.must_act = True
        parts.touch(worker)

    def _end(self, worker: PodWorker, run: ContainerRun, is_trigger: bool) -> None:
        """One run is over, whatever it did; its record says so until the next begins."""
        parts, now_ms, name = self._parts, self._parts.now_ms, run.container.name
        if run.wake_timer is not None:
            parts.cancel((run.wake_timer[0], run.wake_timer[2]))
            run.wake_timer = None
        if run.process is not None:
            run.attempt += 1
            run.ended_ms = now_ms
        run.process, run.ready, run.started = None, False, False
        worker.take_container(run)
        run.must_restart = False
        if not is_trigger:
            run.due_ms = now_ms
        ended = worker.runtime.containers[name].replace(
            state=EXITED,
            exit_code=137,
            reason=RESTARTING_ALL,
            message=RESTART_ALL_MESSAGE,
            finished_ms=now_ms,
        )
        worker.runtime.containers[name] = ended
        if parts.is_cut_off(worker.node):
            worker.keep_untold(name, ended_state(ended))

    def _set_condition(self, worker: PodWorker, status: str) -> None:
        stored = self._parts.told_of(worker)
        if stored is None:
            return
        condition = Condition(CONDITION, status, "", "", self._parts.now_ms)
        conditions = with_condition(stored.status.conditions, condition)
        self._reporter.write(stored, stored.with_status(stored.status.replace(conditions=conditions)))
