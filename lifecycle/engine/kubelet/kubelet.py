"""The kubelets: one worker per bound pod, looked at whenever something about it changed.

Each look decides from what the runtime reports which containers to start or kill, has it done, and reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..api.context import Context
from ..api.server import ApiServer
from ..heart.agenda import Timer
from ..objects.pod import FAILED, SUCCEEDED, Pod
from ..rules.pod_actions import ContainerToKill, decide_pod_actions
from .admission import Admission
from .node.evictor import Evictor
from .node.node_agents import NodeAgents
from .node.outages import Outages, decode_pod, encode_pod
from .node.static_pods import StaticPods
from .parts import (
    BACK_OFF_OVER,
    CREATED,
    DEADLINE,
    GRACE_END,
    HOOK_DONE,
    KILL,
    PROBE,
    PULLED,
    RESIZED,
    WAKE,
    Parts,
)
from .probing.prober import Prober
from .reports import Reporter
from .resize import Resizer
from .starting.sandboxes import MOUNT, SANDBOX, Sandboxes
from .starting.starter import Starter
from .stopping.ending import TORN_DOWN, Ending
from .stopping.exits import record_exit
from .stopping.restart_all import restart_all
from .stopping.termination import Stopper
from .upgrade import Upgrade
from .worker import IDLE, POST_START, PRE_STOP, SYNCING, WAITING, ContainerRun, PodWorker
from .world.network import Network

NAME, ADMIT = "kubelet", "kubelet.admit"


class Kubelets:
    """All kubelets of a cluster; a pod's own is told by its node."""

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._context = context
        self._parts = parts = Parts(context)
        self._stored_pods = context.store.pods
        self.workers: dict[str, PodWorker] = {}
        parts.connect = Network(parts.store, self.workers).connect
        # Pods deleted by force whose containers are still ending, by uid.
        self.gone: dict[str, Pod] = {}
        self._reporter = Reporter(parts)
        self._starter = Starter(parts, self._on_running, self.on_exit, self.report)
        self._prober = Prober(parts, self._on_probe)
        self._stopper = Stopper(parts, self.on_exit)
        self.sandboxes = Sandboxes(parts, self._prober, self._stopper, self.on_exit, self)
        self.ending = Ending(parts, self._prober, self._stopper, self)
        self.evictor = Evictor(parts, self)
        self._admission = Admission(parts, self.evictor, self.workers)
        self.agents = NodeAgents(parts)
        self.static_pods = StaticPods(parts, api, self)
        self._resizer = Resizer(parts, self._stopper, self.workers)
        self.outages = Outages(parts, self._prober, self)
        self.upgrade = Upgrade(parts, self)
        context.loop.register(NAME, self._sync)
        context.store.listen_to_shape("Pod", self._on_pod, is_told_of_readiness=False)
        for what, handler in self._pod_handlers().items():
            context.loop.on_timer(what, self._for_pod(handler))
        for what, on_run in self._container_handlers().items():
            context.loop.on_timer(what, self._for_container(on_run))

    def _pod_handlers(self) -> dict[str, Callable[[PodWorker, Pod], None]]:
        return {
            ADMIT: self._admit,
            MOUNT: self.sandboxes.begin,
            SANDBOX: self.sandboxes.on_made,
            TORN_DOWN: self.ending.on_torn_down,
            GRACE_END: self._stopper.on_grace_end,
            DEADLINE: self.ending.on_deadline,
            RESIZED: self._resizer.on_applied,
        }

    def _container_handlers(self) -> dict[str, Callable[[PodWorker, Pod, ContainerRun, str], None]]:
        starter, stopper, prober = self._starter, self._stopper, self._prober
        return {
            PULLED: starter.on_pulled,
            CREATED: starter.on_created,
            BACK_OFF_OVER: starter.on_back_off_over,
            HOOK_DONE: self._on_hook_done,
            WAKE: self._on_wake,
            KILL: stopper.on_kill,
            PROBE: prober.on_timer,
        }

    # --- who listens to what --------------------------------------------------------------------------

    def _for_pod(self, handler: Callable[[PodWorker, Pod], None]) -> Callable[[Timer], None]:
        def handle(timer: Timer) -> None:
            worker = self.workers.get(timer[3])
            if worker is not None:
                handler(worker, self.pod(worker))

        return handle

    def _for_container(
        self, handler: Callable[[PodWorker, Pod, ContainerRun, str], None]
    ) -> Callable[[Timer], None]:
        def handle(timer: Timer) -> None:
            worker = self.workers.get(timer[3])
            if worker is None:
                return
            payload = timer[4]
            name, detail = (payload, "") if isinstance(payload, str) else payload
            handler(worker, self.pod(worker), worker.runs[name], detail)

        return handle

    def pod(self, worker: PodWorker) -> Pod:
        """The pod as its kubelet knows it: as stored, or as it was before it went or was not heard of."""
        uid = worker.uid
        heard = self.outages.heard(uid) if self._parts.outages else None
        if heard is not None:
            return heard
        return self._stored_pods.get(uid) or self._parts.statics.get(uid) or self.gone[uid]

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            is_ours = old is not None and old.meta.uid in self.workers
            if old is not None and is_ours and not (self._parts.outages and self.outages.keep(old)):
                self._on_removed(old)
            return
        if not new.node_name:
            return
        worker = self.workers.get(new.meta.uid)
        if worker is None:
            agent = self._parts.agents.get(new.node_name)
            if agent is not None and not (new.is_finished or agent.is_deaf or new.is_mirror):
                self.take(new)
            return
        if old is None or (self._parts.outages and self.outages.keep(old)):
            return
        if old.meta is not new.meta or old.spec is not new.spec:
            self._follow(worker, old, new)
        elif old.status.conditions is not new.status.conditions and new.spec.readiness_gates:
            # A readiness gate was set from outside.
            worker.has_changed = True
            self._parts.touch(worker)

    def _follow(self, worker: PodWorker, old: Pod, new: Pod) -> None:
        if old.spec is not new.spec:
            worker.follow_spec(new.spec)
            self.ending.set_deadline(worker, new)
        worker.has_changed = worker.must_act = True
        self._parts.touch(worker)

    def hear(self, worker: PodWorker, heard: Pod) -> None:
        """A pod that its kubelet could not follow: as it is now, or gone."""
        stored = self._parts.store.pods.get(worker.uid)
        if stored is None:
            self._on_removed(heard)
        else:
            self._follow(worker, heard, stored)

    def take(self, pod: Pod) -> None:
        """A pod is bound to a node of ours."""
        self.workers[pod.meta.uid] = worker = PodWorker(pod)
        delay_ms = self._context.draw_ms("watch", pod.meta.uid)
        if delay_ms == 0:
            self._parts.touch(worker)
        else:
            worker.stage_timer, _ = self._parts.later(delay_ms, ADMIT, worker)

    def _on_removed(self, pod: Pod) -> None:
        worker = self.workers[pod.meta.uid]
        if any(run.process is not None for run in worker.runs.values()):
            # Deleted by force: the containers still get their last two seconds (FORCE-07).
            self.gone[worker.uid] = pod.replace(
                meta=pod.meta.replace(deletion_ms=self._context.clock.now_ms, deletion_grace_seconds=0)
            )
            self._parts.touch(worker)
            return
        self.forget(worker)

    def on_stopping(self, worker: PodWorker) -> None:
        """A pod begins to end: it waits for no sandbox any more."""
        if worker.sandbox_failed_ms is not None:
            self.sandboxes.end(worker)

    def on_stopped(self, worker: PodWorker) -> None:
        """A pod has ended: what it had of its node is free."""
        if self._resizer.deferred:
            self._resizer.retry(worker.node)
        self.evictor.on_stopped(worker)

    def forget(self, worker: PodWorker) -> None:
        """Nothing of the pod is left, here or in the store."""
        self.ending.drop_timers(worker)
        self.on_stopping(worker)
        self.gone.pop(worker.uid, None)
        del self.workers[worker.uid]
        self.on_stopped(worker)

    # --- a pod arrives --------------------------------------------------------------------------------

    def _admit(self, worker: PodWorker, pod: Pod) -> None:
        worker.stage_timer = None
        self.look(worker, pod)

    def _begin(self, worker: PodWorker, pod: Pod) -> None:
        """First status, then sandbox and network (SBOX-01). A pod that is refused is failed and forgotten."""
        if self._admission.refuses(worker, pod):
            self.forget(worker)
            return
        worker.stage = SYNCING
        pod = self.report(worker, pod)
        self.begin_anew(worker, pod)

    def begin_anew(self, worker: PodWorker, pod: Pod) -> None:
        """Set what a kubelet that has just started would: the deadline, and a sandbox where there is none."""
        if worker.stage != SYNCING:
            return
        self.ending.set_deadline(worker, pod)
        if not worker.runtime.sandbox_id and pod.meta.deletion_ms is None:
            self.sandboxes.begin(worker, pod)

    # --- one look -------------------------------------------------------------------------------------

    def _sync(self, _namespace: str, uid: str) -> None:
        worker = self.workers.get(uid)
        if worker is not None:
            self.look(worker, self.pod(worker))

    def look(self, worker: PodWorker, pod: Pod) -> None:
        """Do what has become necessary."""
        if self._parts.outages and self.outages.is_out_of_sight(worker):
            return
        is_ending = worker.stop_reason or pod.meta.deletion_ms is not None
        if (is_ending or worker.stage not in (WAITING, SYNCING)) and self.ending.take_over(worker, pod):
            return
        if worker.stage == WAITING:
            self._begin(worker, pod)
            return
        if worker.resize:
            self._resizer.sync(worker, pod)
        if worker.has_changed:
            pod = self.report(worker, pod)
        if pod.status.phase in (SUCCEEDED, FAILED):
            # A terminal phase is final: whatever might have run again does not (POD-PHASE-17).
            self.ending.finish_early(worker, pod)
            return
        if worker.must_act:
            if worker.runtime.sandbox_ready:
                worker.must_act = False
                self._act(worker, pod)
            elif worker.runtime.sandbox_id:
                self.sandboxes.renew(worker, pod)

    def _act(self, worker: PodWorker, pod: Pod) -> None:
        actions = decide_pod_actions(worker.spec, worker.runtime, probe_results=self._prober.results(worker))
        if actions.restart_all:
            restart_all(self._parts, self._prober, self._stopper, worker, actions.restart_all, self.report)
            return
        runs = worker.runs
        again = [name for name, run in runs.items() if run.must_restart and run.process is None]
        if actions.kill_pod and not any(run.must_restart for run in runs.values()):
            self.ending.finish_early(worker, pod)
            return
        for victim in actions.containers_to_kill:
            run = runs[victim.name]
            run.must_restart = victim.name in actions.containers_to_start
            self._stopper.kill(worker, pod, run, victim)
        for run in runs.values():
            if run.kill_reason == "FailedPostStartHook" and run.process is not None:
                why = ContainerToKill(run.container.name, "", "FailedPostStartHook", "FailedPostStartHook")
                self._stopper.kill(worker, pod, run, why)
        if worker.has_changed:
            # What has just ended is told before its next run begins (RESTART-14).
            pod = self.report(worker, self.pod(worker))
        for names in (
            actions.ephemeral_containers_to_start,
            actions.init_containers_to_start,
            actions.containers_to_start,
            again,
        ):
            for name in names:
                run = runs[name]
                if run.process is None and run.stage == IDLE and run.stage_timer is None:
                    self._starter.start(worker, pod, run)
        if worker.has_changed:
            self.report(worker, self.pod(worker))

    def report(self, worker: PodWorker, pod: Pod) -> Pod:
        """Bring the stored status up to date; a kubelet that is cut off does so when it is back."""
        if self._parts.outages and self._parts.is_cut_off(worker.node):
            return pod
        stored = self._stored_pods.get(worker.uid) or self._parts.statics.get(worker.uid)
        if stored is None:
            return pod
        worker.has_changed = False
        return self._reporter.report(worker, stored, self._parts.agents[worker.node].host_ip)

    # --- what happens to containers -------------------------------------------------------------------

    def _on_running(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> None:
        if not run.container.is_init:
            worker.has_initialized = True
        self._prober.begin(worker, pod, run)
        worker.has_changed = True
        if worker.spec.init_containers:
            worker.must_act = True
        # A report that others of the pod's containers may share waits for the end of the instant.
        if worker.spec.is_plain:
            self.look(worker, pod)
        else:
            self._parts.touch(worker)

    def _on_wake(self, worker: PodWorker, pod: Pod, run: ContainerRun, _detail: str) -> None:
        run.wake_timer = None
        self._prober.before_process_runs(worker, pod, run)
        process = run.process
        if process is None:
            return
        process.run(self._context.clock.now_ms, self._parts.world(worker, pod, run))
        self._parts.take_output(worker, run)
        self.on_exit(worker, run)

    def _on_hook_done(self, worker: PodWorker, pod: Pod, run: ContainerRun, _detail: str) -> None:
        run.stage_timer = None
        if run.stage == POST_START:
            self._starter.on_post_start_done(worker, pod, run)
            worker.has_changed = worker.must_act = True
            self._parts.touch(worker)
        elif run.stage == PRE_STOP:
            self._stopper.on_pre_stop_done(worker, pod, run)

    def _on_probe(self, worker: PodWorker, run: ContainerRun) -> None:
        worker.has_changed = worker.must_act = True
        self._parts.touch(worker)

    def on_exit(self, worker: PodWorker, run: ContainerRun) -> None:
        """A process has run, been signalled or ended: see what that means."""
        process = run.process
        if process is None:
            return
        end = process.exit
        pod = self.pod(worker)
        if end is None:
            self._parts.schedule_wake(worker, run)
            if self._parts.outages and self._parts.is_left_alone(worker):
                return
            self._starter.after_process_ran(worker, pod, run)
            self._stopper.after_process_ran(worker, pod, run)
            self._prober.after_process_ran(worker, pod, run)
            return
        self._prober.end(worker, run)
        self._stopper.on_end(run)
        record_exit(self._parts, worker, run, end)
        if worker.processes is not None:
            self._parts.wake_others(worker, run)
            if worker.processes.has_ended:
                self.sandboxes.lose(worker)

    # --- save and load --------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data of every node and worker."""
        return {
            "nodes": self.agents.save(),
            "workers": [worker.save() for worker in self.workers.values()],
            "gone": [encode_pod(pod) for pod in self.gone.values()],
            "last_heard": self.outages.save(),
            "static": self.static_pods.save(),
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described; the store is restored before."""
        self.agents.load(data["nodes"])
        self.static_pods.load(data["static"])
        self.gone.update({pod.meta.uid: pod for pod in map(decode_pod, data["gone"])})
        self.outages.load(data["last_heard"])
        for entry in data["workers"]:
            uid = entry["uid"]
            known = self.outages.heard(uid) or self._parts.store.pods.get(uid) or self._parts.statics.get(uid)
            self.workers[uid] = PodWorker.load(entry, known or self.gone[uid], self._parts.behavior)
        self._resizer.restore()

    def take_up(self, data: Any, is_same_engine: bool) -> None:
        """Go on from what another engine saved, as far as it can be read; the agenda is restored before."""
        self.upgrade.take_up(data, is_same_engine)
        self._resizer.restore()
