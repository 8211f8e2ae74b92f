"""SyncPod: a pod worker writes the status of its pod, then kills and starts containers.

A worker syncs when the API server, a probe or a timer has news of the pod, and when PLEG has seen that a
container started or ended: it relists the runtime once a second. A sync first writes the status as it is,
then kills containers, then starts containers, one after the other. While it waits for a kill or for a
postStart hook the worker does nothing else: so a container that is killed for a probe runs again before its
end is reported. A sync that fails is repeated later, and the next one reports the reason. With timings in
which looks at the runtime take no time the next sync follows in the same instant, and what ends as soon as it
runs is seen running.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..objects.pods.pod import FAILED, SUCCEEDED, Pod
from ..objects.pods.runtime import EXITED
from ..rules.pods.actions import comes_back_in_vain, decide_pod_actions
from .admission import Admission
from .ending import Ending
from .parts import Parts
from .probing.prober import Prober
from .reports import Reporter
from .resize import Resizer
from .starting.back_off import hold_on, is_held_back
from .starting.remounts import Remounts
from .starting.sandboxes import Sandboxes
from .starting.starter import Starter
from .state.container_run import FAILED_POST_START_HOOK, IDLE, PULLING, RUNNING, ContainerRun
from .state.worker import BEGINNING, KILLING, REFUSED, SYNCING, WAITING, PodWorker
from .stopping.restart_all import RestartAll
from .stopping.termination import Stopper


class PodSyncer:
    """Runs SyncPod for all pod workers."""

    __slots__ = (
        "_admission",
        "_ending",
        "_parts",
        "_prober",
        "_remounts",
        "_reporter",
        "_resizer",
        "_restart_all",
        "_sandboxes",
        "_starter",
        "_stopper",
    )

    def __init__(
        self,
        parts: Parts,
        admission: Admission,
        prober: Prober,
        reporter: Reporter,
        sandboxes: Sandboxes,
        starter: Starter,
        stopper: Stopper,
        resizer: Resizer,
        remounts: Remounts,
        restart_all: RestartAll,
        ending: Ending,
    ) -> None:
        self._parts = parts
        self._admission = admission
        self._prober = prober
        self._reporter = reporter
        self._sandboxes = sandboxes
        self._starter = starter
        self._stopper = stopper
        self._resizer = resizer
        self._remounts = remounts
        self._restart_all = restart_all
        self._ending = ending

    def sync_pod(self, worker: PodWorker, pod: Pod) -> None:
        """Sync one pod: report what changed, and start or stop what must be."""
        if self._parts.outages and self._parts.is_out_of_sight(worker):
            return
        if worker.under_way and worker.uid not in self._parts.pod_manager.gone and self._goes_on(worker, pod):
            return
        if worker.blind_until_ms and self._is_blind(worker):
            return
        is_ending = worker.stop_reason or pod.meta.deletion_ms is not None
        if worker.spec.has_readiness_probes and not is_ending:
            self._prober.hasten(worker, pod)
        if worker.has_unseen:
            self._see(worker, pod)
        is_ending = is_ending or worker.stage not in (WAITING, SYNCING)
        if is_ending and worker.resize:
            self._resizer.tell_ending(worker, pod)
        if is_ending and self._ending.take_over(worker, pod):
            return
        if worker.stage == WAITING:
            self._begin(worker, pod)
            return
        if worker.resize:
            self._resizer.sync(worker, pod)
        if worker.has_unsaid and (worker.must_act or worker.has_changed):
            self._say(worker)
        if worker.has_changed:
            pod = self._reporter.report(worker, pod)
        if worker.is_done or pod.status.phase in (SUCCEEDED, FAILED):
            # A terminal phase is final: no container starts again (POD-PHASE-17).
            self._ending.finish_early(worker, pod)
            return
        if worker.must_act:
            if worker.runtime.sandbox_ready:
                worker.must_act = False
                self._act(worker, pod)
            elif worker.runtime.sandbox_id and not self._sandboxes.renew(worker, pod):
                self._end_unless_held(worker, pod)
        if worker.resize == REFUSED:
            self._resizer.try_again(worker)

    def _end_unless_held(self, worker: PodWorker, pod: Pod) -> None:
        """No container is to start again: end the pod, unless a container has a restart policy of its own."""
        if any(one.restart_policy is not None for one in worker.spec.containers):
            if worker.is_running:
                self._sandboxes.give_up(worker, pod)
                return
            if comes_back_in_vain(worker.spec, worker.runtime):
                return
        self._ending.finish_early(worker, pod)

    def _is_blind(self, worker: PodWorker) -> bool:
        """Whether the worker must wait for the next relist before it syncs again."""
        parts = self._parts
        return worker.blind_until_ms > parts.now_ms and worker.uid not in parts.pod_manager.gone

    def _goes_on(self, worker: PodWorker, pod: Pod) -> bool:
        """Continue a sync that waits for a kill or a hook; True while it is not finished."""
        awaited = worker.find_awaited()
        if awaited is not None:
            if awaited.stage == RUNNING:
                self._stopper.stop(worker, pod, awaited, FAILED_POST_START_HOOK, FAILED_POST_START_HOOK)
            if awaited.stage != PULLING or not (worker.stop_reason or pod.meta.deletion_ms is not None):
                return True
            # Only a pull is cancelled when the pod terminates.
            worker.under_way, worker.to_start = "", ()
            return False
        was_killing, worker.under_way = worker.under_way == KILLING, ""
        names = worker.to_start
        if was_killing:
            # The containers that it has killed are started again.
            names = tuple(name for name, run in worker.runs.items() if run.must_restart)
        if not worker.runtime.sandbox_ready:
            return False
        self._start(worker, pod, names)
        if not worker.under_way:
            # The next sync sees the results. A start that PLEG saw meanwhile asks for a sync, as does an end.
            has_two = any(self._has_failed_in_sight(worker, run) for run in worker.runs.values())
            self._parts.end_sync(worker, is_followed=has_two)
        return True

    def _has_failed_in_sight(self, worker: PodWorker, run: ContainerRun) -> bool:
        """Whether a container has just been killed for its failed hook, and a relist had seen it running."""
        parts = self._parts
        now_ms = parts.now_ms
        has_failed = run.kill_reason == FAILED_POST_START_HOOK and run.ended_ms == now_ms
        last_ms = parts.next_relist_ms(worker.node, now_ms) - parts.relist_period_ms
        return has_failed and run.process_start_ms <= last_ms

    def _see(self, worker: PodWorker, pod: Pod) -> None:
        worker.has_unseen = False
        for run in worker.runs.values():
            if run.is_unseen:
                self._starter.see(worker, pod, run)
                if run.container.readiness_probe is not None:
                    # Its readiness is unknown now, which the worker reports too.
                    self._parts.sync_again(worker)

    def _say(self, worker: PodWorker) -> None:
        """Report why the sync before did not start a container, and try again."""
        worker.has_unsaid = False
        worker.must_act = True
        for run in worker.runs.values():
            if run.unsaid is None or run.process is not None or run.stage != IDLE:
                continue
            seen = worker.runtime.containers.get(run.container.name)
            if run.container.is_init and seen is not None and seen.state == EXITED and not seen.exit_code:
                # A completed init container keeps its state, whatever delays its next run.
                continue
            worker.has_changed = worker.has_changed or run.waiting != run.unsaid
            run.waiting = run.unsaid

    def _act(self, worker: PodWorker, pod: Pod) -> None:
        self._parts.stay(worker)
        if worker.remount_timer is not None and not self._parts.is_cut_off(worker.node):
            self._parts.cancel((worker.remount_timer, True))
            worker.remount_timer = None
            self._remounts.remount(worker, pod)
        if is_held_back(worker, self._parts.now_ms):
            hold_on(self._parts, worker, pod)
            return
        actions = decide_pod_actions(worker.spec, worker.runtime, probe_results=self._prober.results(worker))
        if actions.restart_all:
            self._restart_all.begin(worker, actions.restart_all)
            return
        runs = worker.runs
        again = [name for name, run in runs.items() if run.must_restart and run.process is None]
        if actions.kill_pod and not any(run.must_restart for run in runs.values()):
            self._end_unless_held(worker, pod)
            return
        trace = self._parts.trace
        cause, before = trace.cause, trace.seq
        inits = (*actions.ephemeral_containers_to_start, *actions.init_containers_to_start)
        starts = (*inits, *actions.containers_to_start)
        if actions.containers_to_kill:
            worker.under_way = KILLING
        for victim in actions.containers_to_kill:
            run, trace.cause = runs[victim.name], cause
            run.must_restart = victim.name in starts
            self._stopper.kill(worker, pod, run, victim)
        if worker.under_way == KILLING:
            # The containers may have ended at once.
            self._parts.touch(worker)
            return
        if worker.has_changed:
            # An end is reported before the next run begins (RESTART-14).
            pod = self._reporter.report(worker, self._parts.pod_manager.known(worker.uid))
        # A container may be in both lists; it is tried once in each sync.
        self._start(worker, pod, dict.fromkeys((*starts, *again)))
        is_over = not worker.has_unseen and worker.blind_until_ms <= self._parts.now_ms
        if worker.has_changed and is_over:
            self._reporter.report(worker, self._parts.pod_manager.known(worker.uid))
            if worker.return_timer is not None and isinstance(trace.cause, int):
                worker.return_row = trace.cause
        if trace.seq > before:
            self._parts.lead_on(worker)

    def _start(self, worker: PodWorker, pod: Pod, names: Iterable[str]) -> None:
        """Start containers one after the other; each waits until the one before runs and its hook is over."""
        trace = self._parts.trace
        cause = trace.cause
        left = [*names]
        while left:
            run = worker.runs[left.pop(0)]
            if run.process is None and run.stage == IDLE and run.stage_timer is None:
                # The start of one container is not the cause of the next.
                trace.cause = cause
                worker.under_way, worker.to_start = BEGINNING, tuple(left)
                self._starter.start(worker, pod, run)
                if run.is_beginning:
                    worker.under_way = BEGINNING
                    return
        worker.under_way, worker.to_start = "", ()
        if worker.has_unseen:
            self._parts.end_sync(worker)

    # --- the first sync ---------------------------------------------------------------------------------

    def _begin(self, worker: PodWorker, pod: Pod) -> None:
        """First the status, then sandbox and network (SBOX-01). A pod that is not admitted fails."""
        if self._admission.refuses(worker, pod):
            self._ending.forget(worker)
            return
        worker.stage = SYNCING
        pod = self._reporter.report(worker, pod)
        self.begin_anew(worker, pod)

    def begin_anew(self, worker: PodWorker, pod: Pod) -> None:
        """Set the deadline, and make a sandbox if there is none; also after a restart of the kubelet."""
        if worker.stage != SYNCING:
            return
        self._ending.set_deadline(worker, pod)
        if not worker.runtime.sandbox_id and pod.meta.deletion_ms is None:
            self._sandboxes.begin(worker, pod)
