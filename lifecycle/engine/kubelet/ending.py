"""The end of a pod: active deadline, SyncTerminatingPod, SyncTerminatedPod, last status and final delete."""

from __future__ import annotations

from ..objects.pods.container import ContainerStatus
from ..objects.pods.pod import Pod
from ..objects.pods.runtime import EXITED
from ..rules.nodes.eviction import DEADLINE_EXCEEDED
from ..rules.pods.container_status import ended_state, mark_unlocated
from ..rules.pods.grace import decide_effective_grace_seconds
from .eviction.evictor import Evictor
from .parts import DEADLINE, NORMAL, Parts
from .probing.prober import Prober
from .reports import Reporter
from .resize import Resizer
from .starting.sandboxes import Sandboxes
from .state.worker import SYNCING, TERMINATED, TERMINATING, PodWorker
from .static_pods.static_pods import StaticPods
from .stopping.termination import Stopper

TORN_DOWN, REMOVED, SIDECARS_ENDED = "kubelet.tornDown", "kubelet.removed", "kubelet.sidecarsEnded"
_STEPS_TO_THE_END = 2
"""A worker's steps from a look that finds nothing left to be run: terminating the pod, then telling so."""
_COMPLETED = "Completed"
_DEADLINE_TEXT = "Pod was active on the node longer than the specified deadline"


class Ending:
    """Ends pods, gracefully or not."""

    __slots__ = (
        "_evictor",
        "_parts",
        "_prober",
        "_reporter",
        "_resizer",
        "_sandboxes",
        "_static_pods",
        "_stopper",
    )

    def __init__(
        self,
        parts: Parts,
        prober: Prober,
        reporter: Reporter,
        stopper: Stopper,
        sandboxes: Sandboxes,
        resizer: Resizer,
        evictor: Evictor,
        static_pods: StaticPods,
    ) -> None:
        self._parts = parts
        self._prober = prober
        self._reporter = reporter
        self._stopper = stopper
        self._sandboxes = sandboxes
        self._resizer = resizer
        self._evictor = evictor
        self._static_pods = static_pods

    # --- the deadline ---------------------------------------------------------------------------------

    def set_deadline(self, worker: PodWorker, pod: Pod) -> None:
        """Time a pod that may only be active for so long, from its start."""
        parts = self._parts
        seconds = pod.spec.active_deadline_seconds
        if seconds is None and worker.deadline_timer is None:
            return
        if parts.is_left_alone(worker):
            return
        self._drop_deadline(worker)
        if seconds is not None and pod.status.start_ms is not None:
            due_ms = pod.status.start_ms + seconds * 1000 - parts.context.clock.now_ms
            worker.deadline_timer, _ = parts.later(max(due_ms, 0), DEADLINE, worker)

    def _drop_deadline(self, worker: PodWorker) -> None:
        if worker.deadline_timer is not None:
            self._parts.context.agenda.cancel(worker.deadline_timer)
            worker.deadline_timer = None

    def on_deadline(self, worker: PodWorker, pod: Pod) -> None:
        """The pod has been active for too long."""
        worker.deadline_timer = None
        if worker.stage in (TERMINATING, TERMINATED) or worker.stop_reason or pod.is_finished:
            return
        worker.evicted = (DEADLINE_EXCEEDED, _DEADLINE_TEXT, None)
        worker.stop_reason = DEADLINE_EXCEEDED
        worker.has_changed = True
        self._tell_deadline(worker)
        self._parts.touch(worker)

    def _note_deadline(self, worker: PodWorker, pod: Pod) -> None:
        """A pod whose deadline passes while it is being stopped has exceeded it, too."""
        seconds, start_ms = pod.spec.active_deadline_seconds, pod.status.start_ms
        if seconds is None or start_ms is None or worker.evicted is not None or pod.is_finished:
            return
        is_told = worker.uid in self._parts.store.pods
        if is_told and start_ms + seconds * 1000 <= self._parts.context.clock.now_ms:
            worker.evicted = (DEADLINE_EXCEEDED, _DEADLINE_TEXT, None)

    def _tell_deadline(self, worker: PodWorker) -> None:
        """Each status that is made of a pod past its deadline tells the deadline anew (ShouldEvict)."""
        if worker.evicted is not None and worker.evicted[0] == DEADLINE_EXCEEDED:
            self._parts.event(worker, None, NORMAL, DEADLINE_EXCEEDED, _DEADLINE_TEXT)

    # --- step by step ---------------------------------------------------------------------------------

    def take_over(self, worker: PodWorker, pod: Pod) -> bool:
        """Whether a pod is to end, is ending or has ended; it is brought on."""
        if worker.stage == TERMINATED:
            self.finish(worker)
        elif worker.stage == TERMINATING:
            self.go_on(worker, pod)
        elif pod.meta.deletion_ms is not None or worker.stop_reason:
            self.begin(worker, pod)
        else:
            return False
        return True

    def finish_early(self, worker: PodWorker, pod: Pod) -> None:
        """Nothing of the pod will start again: stop what is left."""
        worker.stop_reason = _COMPLETED
        self.begin(worker, pod)

    def begin(self, worker: PodWorker, pod: Pod) -> None:
        """Deleted, past its deadline or finished: everything of the pod is stopped."""
        parts = self._parts
        cause = parts.trace.cause
        self._tell_last(worker, pod)
        # What stops them is why the pod ends, not what was left to be told of it.
        parts.trace.cause = cause
        worker.stage, worker.under_way = TERMINATING, ""
        self._sandboxes.end(worker)
        seconds, _ = self._decide_grace(worker, pod, 0)
        if worker.stage_timer is not None:
            parts.context.agenda.cancel(worker.stage_timer)
            worker.stage_timer = None
        self._drop_deadline(worker)
        parts.stay(worker)
        for run in worker.runs.values():
            self._prober.on_pod_ending(worker, pod, run)
        # What ends at once is seen to below, but for sidecars, which wait for each other.
        worker.is_being_stopped = not worker.spec.init_containers
        self._stopper.begin_pod(worker, parts.pod_manager.known(worker.uid), seconds)
        worker.is_being_stopped = False
        if worker.mounting_ms is not None and worker.runtime.sandbox_id:
            self._sandboxes.mount_in_vain(worker, pod)
        self._after_step(worker)

    def _tell_last(self, worker: PodWorker, pod: Pod) -> None:
        """The last status before the containers are stopped: with all that has ended until now."""
        for run in worker.runs.values():
            seen = worker.runtime.containers.get(run.container.name)
            if run.unsaid is not None and worker.evicted is not None and pod.meta.deletion_ms is None:
                # Why it does not run: no sync may report it any more.
                run.waiting, run.unsaid = run.unsaid, None
                worker.has_changed = True
            if run.waiting and pod.meta.deletion_ms is not None and seen is not None and seen.state == EXITED:
                # What a deleted pod will not start again does not wait (ShouldContainerBeRestarted).
                run.waiting = None
                worker.has_changed = True
        self._tell_deadline(worker)
        if worker.has_changed:
            self._reporter.report(worker, pod)

    def go_on(self, worker: PodWorker, pod: Pod) -> None:
        """Something has ended, or a later deletion leaves less time.

        The API server's word alone is shorter then: a stop under way has the time it began with (kubelet,
        issue 113606), but for a pod that is gone.
        """
        seconds, is_shorter = self._decide_grace(worker, pod, worker.grace_seconds)
        is_gone = worker.uid in self._parts.pod_manager.gone
        if is_shorter and (is_gone or self._parts.agents[worker.node].rules.override_is_last):
            self._stopper.shorten(worker, pod, seconds)
        if worker.has_changed:
            self._reporter.report(worker, pod)
        self._stopper.continue_pod(worker, self._parts.pod_manager.known(worker.uid))
        self._after_step(worker)

    def _decide_grace(self, worker: PodWorker, pod: Pod, former_seconds: int) -> tuple[int, bool]:
        return decide_effective_grace_seconds(
            former_seconds,
            pod.meta.deletion_grace_seconds,
            worker.evicted[2] if worker.evicted is not None else None,
            pod.spec.termination_grace_seconds,
            override_is_last=self._parts.agents[worker.node].rules.override_is_last,
        )

    def _after_step(self, worker: PodWorker) -> None:
        parts = self._parts
        if worker.stage != TERMINATING or worker.stage_timer is not None:
            return
        if worker.is_running:
            return
        delay_ms = 0
        has_sidecars = bool(worker.spec.init_containers) and _has_ended_sidecars(worker)
        if has_sidecars and worker.stop_reason == _COMPLETED:
            due_ms = parts.after_look_ms(worker)
            worker.stage_timer, _ = parts.later(due_ms - parts.now_ms, SIDECARS_ENDED, worker)
            return
        if not worker.stop_reason or worker.stop_reason == _COMPLETED:
            if worker.stop_reason:
                # Whatever else is to be done for it waits for what is seen of its end.
                delay_ms = parts.draw_after_relist_ms("pod_end", worker)
            else:
                delay_ms = parts.context.draw_ms("kill_pod", worker.uid)
        delay_ms += self._stopper.hooks_left_ms(worker)
        if delay_ms == 0:
            self.on_torn_down(worker, self._parts.pod_manager.known(worker.uid))
        else:
            worker.stage_timer, _ = self._parts.later(delay_ms, TORN_DOWN, worker)

    def on_sidecars_ended(self, worker: PodWorker, pod: Pod) -> None:
        """A look finds the sidecars of a finished pod ended, and its sandbox gone with them, and tells so.

        They were stopped by a look, not by the pod's termination. That changes nothing any more in what was
        told, so it tells nothing, and the pod's end waits for the step after it: each step waits for a look.
        """
        parts = self._parts
        worker.stage_timer = None
        worker.runtime = worker.runtime.torn_down()
        worker.stage, worker.has_changed = SYNCING, True
        self._reporter.report(worker, pod)
        worker.stage = TERMINATING
        worker.stage_timer, _ = parts.later(_STEPS_TO_THE_END * parts.relist_period_ms, TORN_DOWN, worker)

    # --- over -----------------------------------------------------------------------------------------

    def on_torn_down(self, worker: PodWorker, pod: Pod) -> None:
        """Everything has ended: the terminal phase, then the delete with grace 0 (POD-TERM-18, -19)."""
        worker.stage_timer = None
        worker.runtime = worker.runtime.torn_down()
        self._note_deadline(worker, pod)
        delay_ms = 0
        if pod.meta.deletion_ms is not None:
            delay_ms = self._parts.draw_after_relist_ms("pod_removal", worker)
        if delay_ms and self._parts.store.pods.get(worker.uid) is pod and _has_unlocated(worker, pod):
            # That these have ended is told only when nothing of the pod is left (TerminatePod).
            self._reporter.report(worker, pod)
            worker.stage_timer, _ = self._parts.later(delay_ms, REMOVED, worker)
            return
        self._tell_end(worker, pod, delay_ms)

    def _tell_end(self, worker: PodWorker, pod: Pod, delay_ms: int) -> None:
        worker.stage = TERMINATED
        worker.has_changed = True
        if worker.evicted is not None:
            self._tell_deadline(worker)
            self._tell_deadline(worker)
        pod = self._reporter.report(worker, pod)
        if delay_ms:
            worker.stage_timer, _ = self._parts.later(delay_ms, REMOVED, worker)
        is_stored = self._parts.store.pods.get(worker.uid) is pod
        if not is_stored or not (delay_ms or worker.is_at_rest(pod)):
            self._parts.touch(worker)
            self._parts.lead_on(worker)
        self._free(worker)

    def on_removed(self, worker: PodWorker, pod: Pod) -> None:
        """Nothing of a deleted pod is left on its node."""
        worker.stage_timer = None
        if worker.stage == TERMINATED:
            self.finish(worker)
        else:
            self._tell_end(worker, pod, 0)

    def _free(self, worker: PodWorker) -> None:
        """A pod has ended: what it had of its node is free."""
        if self._resizer.deferred:
            self._resizer.retry(worker.node)
        self._evictor.on_stopped(worker)

    def forget(self, worker: PodWorker) -> None:
        """Nothing of the pod is left, here or in the store."""
        self._drop_timers(worker)
        self._sandboxes.end(worker)
        self._parts.pod_manager.remove(worker)
        self._parts.context.connections.note_pod(worker.uid)
        # Its kubelet may have told of it after its object had gone, and of a static pod there never was one.
        self._parts.trace.correlator.forget(worker.uid)
        self._free(worker)

    def _drop_timers(self, worker: PodWorker) -> None:
        """Nothing of the pod is waited for any more."""
        parts = self._parts
        for run in worker.runs.values():
            if run.probes:
                self._prober.end(worker, run)
            parts.cancel(run.stage_timer)
            if run.wake_timer is not None:
                parts.cancel((run.wake_timer[0], run.wake_timer[2]))
        worker.drop_timers(parts.context.agenda.cancel)

    def finish(self, worker: PodWorker) -> None:
        """Take the object of a deleted pod away, once its finalizers are gone; forget a pod that is gone."""
        parts = self._parts
        static = parts.pod_manager.statics.get(worker.uid)
        if static is not None and static.meta.deletion_ms is not None:
            # It goes with its manifest alone: nobody else is asked, or told.
            self.forget(worker)
            self._static_pods.forget(worker.uid)
            return
        if parts.is_cut_off(worker.node):
            return
        if worker.has_changed:
            # It ended while nobody could be told.
            self._reporter.report(worker, self._parts.pod_manager.known(worker.uid))
        stored = parts.pod_manager.stored(worker)
        if stored is None:
            self.forget(worker)
            return
        if stored.meta.deletion_ms is None or worker.stage_timer is not None:
            return
        if stored.meta.finalizers:
            if stored.meta.deletion_grace_seconds:
                # Its last request for deletion leaves no time; an end in the past is now (rest.BeforeDelete).
                meta = stored.meta.replace(deletion_ms=parts.now_ms, deletion_grace_seconds=0)
                parts.store.update(stored, stored.replace(meta=meta))
            return
        parts.store.remove(stored)


def _has_unlocated(worker: PodWorker, pod: Pod) -> bool:
    """Whether containers of a pod that was torn down never ran, so that nothing is known of their end."""
    records, status = worker.runtime.containers, pod.status
    if all(name in records and records[name].state == EXITED for name in worker.runs):
        return False

    def as_ended(one: ContainerStatus) -> ContainerStatus:
        seen = records.get(one.name)
        return one if seen is None or seen.state != EXITED else one.replace(state=ended_state(seen))

    inits = tuple(map(as_ended, status.init_containers))
    apps = tuple(map(as_ended, status.containers))
    marked = mark_unlocated(worker.spec, inits, apps)
    return marked[0] is not inits or marked[1] is not apps


def _has_ended_sidecars(worker: PodWorker) -> bool:
    """Whether sidecars still ran when all else of the pod had come to its end."""
    seen = worker.runtime.containers
    ended = (seen.get(one.name) for one in worker.spec.init_containers if one.is_sidecar)
    return any(one is not None and one.finished_ms >= worker.stop_started_ms for one in ended)
