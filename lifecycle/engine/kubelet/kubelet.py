"""The kubelets: one worker per bound pod, looked at whenever something about it changed.

Each look decides from what the runtime reports which containers to start or kill, has it done, and reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..api.context import Context
from ..api.server import ApiServer
from ..heart.agenda import Timer
from ..objects.pod import FAILED, SUCCEEDED, Pod
from ..objects.runtime import EXITED
from ..rules.pod_actions import decide_pod_actions
from .admission import Admission
from .container_run import FAILED_POST_START_HOOK, IDLE, POST_START, PRE_STOP, RUNNING, ContainerRun
from .node.evictor import Evictor
from .node.mirrors import Mirrors
from .node.node_agents import NodeAgents
from .node.outages import Outages
from .node.static_pods import StaticPods
from .parts import (
    CREATED,
    DEADLINE,
    GRACE_END,
    HOOK_DONE,
    KILL,
    PROBE,
    PULLED,
    RESIZED,
    RETURN,
    WAKE,
    Parts,
)
from .probing.prober import Prober
from .reports import Reporter
from .resize import Resizer
from .roster import load_pods, save_pods
from .starting.sandboxes import MOUNT, SANDBOX, Sandboxes
from .starting.starter import Starter
from .stopping.ending import REMOVED, TORN_DOWN, Ending
from .stopping.exits import record_exit
from .stopping.restart_all import RestartAll
from .stopping.termination import Stopper
from .upgrade import Upgrade
from .worker import SYNCING, WAITING, PodWorker

NAME, ADMIT = "kubelet", "kubelet.admit"


class Kubelets:
    """All kubelets of a cluster; a pod's own is told by its node."""

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._context = context
        self._parts = parts = Parts(context)
        self._roster = parts.roster
        self._prober = prober = Prober(parts)
        self.evictor = evictor = Evictor(parts)
        mirrors = Mirrors(parts, api)
        self._reporter = reporter = Reporter(parts, mirrors)
        self._stopper = stopper = Stopper(parts, self)
        self._starter = Starter(parts, evictor, prober, reporter, self)
        self.sandboxes = Sandboxes(parts, prober, stopper, self)
        self._restart_all = RestartAll(parts, prober, reporter, stopper, evictor)
        self._admission = Admission(parts, evictor, reporter)
        self._agents = NodeAgents(parts, evictor)
        self.static_pods = StaticPods(parts, api, mirrors, self)
        self._resizer = Resizer(parts, stopper)
        self._ending = Ending(
            parts, prober, reporter, stopper, self.sandboxes, self._resizer, evictor, self.static_pods
        )
        self.outages = Outages(parts, prober, reporter, self.sandboxes, evictor, self.static_pods, self)
        self.upgrade = Upgrade(parts, self._agents, self.static_pods, self.outages, self)
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
            TORN_DOWN: self._ending.on_torn_down,
            REMOVED: self._ending.on_removed,
            GRACE_END: self._stopper.on_grace_end,
            DEADLINE: self._ending.on_deadline,
            RESIZED: self._resizer.on_applied,
            RETURN: self._on_return,
        }

    def _container_handlers(self) -> dict[str, Callable[[PodWorker, Pod, ContainerRun, str], None]]:
        starter, stopper, prober = self._starter, self._stopper, self._prober
        return {
            PULLED: starter.on_pulled,
            CREATED: starter.on_created,
            HOOK_DONE: self._on_hook_done,
            WAKE: self._on_wake,
            KILL: stopper.on_kill,
            PROBE: prober.on_timer,
        }

    # --- who listens to what --------------------------------------------------------------------------

    def _for_pod(self, handler: Callable[[PodWorker, Pod], None]) -> Callable[[Timer], None]:
        def handle(timer: Timer) -> None:
            worker = self._roster.workers.get(timer[3])
            if worker is not None:
                handler(worker, self._roster.known(worker.uid))

        return handle

    def _for_container(
        self, handler: Callable[[PodWorker, Pod, ContainerRun, str], None]
    ) -> Callable[[Timer], None]:
        def handle(timer: Timer) -> None:
            worker = self._roster.workers.get(timer[3])
            if worker is None:
                return
            payload = timer[4]
            name, detail = (payload, "") if isinstance(payload, str) else payload
            run = worker.runs[name]
            if run.row > 0:
                self._parts.follow(run.row)
            handler(worker, self._roster.known(worker.uid), run, detail)

        return handle

    @property
    def workers(self) -> Mapping[str, PodWorker]:
        """The workers of all pods, by what their kubelets call these."""
        return self._roster.workers

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            is_ours = old is not None and old.meta.uid in self._roster.workers
            if old is not None and is_ours and not self.outages.keep(old):
                self._on_removed(old)
            return
        if not new.node_name:
            return
        worker = self._roster.workers.get(new.meta.uid)
        if worker is None:
            agent = self._parts.agents.get(new.node_name)
            if agent is not None and not (new.is_finished or agent.is_deaf or new.is_mirror):
                self.take(new)
            return
        if old is None or self.outages.keep(old):
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
            self._ending.set_deadline(worker, new)
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
        worker = PodWorker(pod)
        self._roster.add(worker)
        delay_ms = self._context.draw_ms("watch", pod.meta.uid)
        if delay_ms == 0:
            self._parts.touch(worker)
        else:
            worker.stage_timer, _ = self._parts.later(delay_ms, ADMIT, worker)

    def _on_removed(self, pod: Pod) -> None:
        worker = self._roster.workers[pod.meta.uid]
        if any(run.process is not None for run in worker.runs.values()):
            # Deleted by force: the containers still get their last two seconds (FORCE-07).
            self._roster.gone[worker.uid] = pod.replace(
                meta=pod.meta.replace(deletion_ms=self._context.clock.now_ms, deletion_grace_seconds=0)
            )
            self._parts.touch(worker)
            return
        self._ending.forget(worker)

    # --- a pod arrives --------------------------------------------------------------------------------

    def _admit(self, worker: PodWorker, pod: Pod) -> None:
        worker.stage_timer = None
        self.look(worker, pod)

    def _begin(self, worker: PodWorker, pod: Pod) -> None:
        """First status, then sandbox and network (SBOX-01). A pod that is refused is failed and forgotten."""
        if self._admission.refuses(worker, pod):
            self._ending.forget(worker)
            return
        worker.stage = SYNCING
        pod = self._reporter.report(worker, pod)
        self.begin_anew(worker, pod)

    def begin_anew(self, worker: PodWorker, pod: Pod) -> None:
        """Set what a kubelet that has just started would: the deadline, and a sandbox where there is none."""
        if worker.stage != SYNCING:
            return
        self._ending.set_deadline(worker, pod)
        if not worker.runtime.sandbox_id and pod.meta.deletion_ms is None:
            self.sandboxes.begin(worker, pod)

    # --- one look -------------------------------------------------------------------------------------

    def _on_return(self, worker: PodWorker, _pod: Pod) -> None:
        worker.return_timer = None
        self._parts.follow(worker.return_row)
        worker.must_act = True
        self._parts.touch(worker)

    def _sync(self, _namespace: str, uid: str) -> None:
        worker = self._roster.workers.get(uid)
        if worker is not None:
            self.look(worker, self._roster.known(worker.uid))

    def look(self, worker: PodWorker, pod: Pod) -> None:
        """Do what has become necessary."""
        if self._parts.is_out_of_sight(worker):
            return
        hooked = worker.find_hooked() if worker.hooked else None
        if hooked is not None and worker.uid not in self._roster.gone:
            if hooked.stage == RUNNING:
                self._stopper.stop(worker, pod, hooked, FAILED_POST_START_HOOK, FAILED_POST_START_HOOK)
            return
        is_ending = worker.stop_reason or pod.meta.deletion_ms is not None
        if (is_ending or worker.stage not in (WAITING, SYNCING)) and self._ending.take_over(worker, pod):
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
            # A terminal phase is final: whatever might have run again does not (POD-PHASE-17).
            self._ending.finish_early(worker, pod)
            return
        if worker.must_act:
            if worker.runtime.sandbox_ready:
                worker.must_act = False
                self._act(worker, pod)
            elif worker.runtime.sandbox_id and not self.sandboxes.renew(worker, pod):
                self._ending.finish_early(worker, pod)

    def _say(self, worker: PodWorker) -> None:
        """A look tells why the one before did not start a container, and tries again."""
        worker.has_unsaid = False
        worker.must_act = True
        for run in worker.runs.values():
            if run.unsaid is None or run.process is not None or run.stage != IDLE:
                continue
            seen = worker.runtime.containers.get(run.container.name)
            if run.container.is_init and seen is not None and seen.state == EXITED and not seen.exit_code:
                # That an init container has completed outweighs why it does not run again.
                continue
            worker.has_changed = worker.has_changed or run.waiting != run.unsaid
            run.waiting = run.unsaid

    def _act(self, worker: PodWorker, pod: Pod) -> None:
        self._parts.stay(worker)
        actions = decide_pod_actions(worker.spec, worker.runtime, probe_results=self._prober.results(worker))
        if actions.restart_all:
            self._restart_all.begin(worker, actions.restart_all)
            return
        runs = worker.runs
        again = [name for name, run in runs.items() if run.must_restart and run.process is None]
        if actions.kill_pod and not any(run.must_restart for run in runs.values()):
            self._ending.finish_early(worker, pod)
            return
        trace = self._parts.trace
        cause, before = trace.cause, trace.seq
        for victim in actions.containers_to_kill:
            run, trace.cause = runs[victim.name], cause
            run.must_restart = victim.name in actions.containers_to_start
            self._stopper.kill(worker, pod, run, victim)
        if worker.has_changed:
            # What has just ended is told before its next run begins (RESTART-14).
            pod = self._reporter.report(worker, self._roster.known(worker.uid))
        inits = (*actions.ephemeral_containers_to_start, *actions.init_containers_to_start)
        self._start(worker, pod, (*inits, *actions.containers_to_start, *again))
        if worker.has_changed:
            self._reporter.report(worker, self._roster.known(worker.uid))
            if worker.return_timer is not None and isinstance(trace.cause, int):
                worker.return_row = trace.cause
        if trace.seq > before:
            self._parts.lead_on(worker)

    def _start(self, worker: PodWorker, pod: Pod, names: Iterable[str]) -> None:
        """Start containers one after the other. All else waits for one with a postStart hook."""
        trace = self._parts.trace
        cause = trace.cause
        for name in names:
            run = worker.runs[name]
            if run.process is None and run.stage == IDLE and run.stage_timer is None:
                # What one container comes to does not follow from what another one has.
                trace.cause = cause
                self._starter.start(worker, pod, run)
                if run.container.post_start is not None and run.is_beginning:
                    worker.hooked = name
                    return

    # --- what happens to containers -------------------------------------------------------------------

    def _on_wake(self, worker: PodWorker, pod: Pod, run: ContainerRun, _detail: str) -> None:
        run.wake_timer = None
        cause = self._parts.trace.cause
        self._prober.before_process_runs(worker, pod, run)
        self._parts.trace.cause = cause
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

    def on_exit(self, worker: PodWorker, run: ContainerRun) -> None:
        """A process has run, been signalled or ended: see what that means."""
        process = run.process
        if process is None:
            return
        end = process.exit
        pod = self._roster.known(worker.uid)
        if end is None:
            self._parts.schedule_wake(worker, run)
            if self._parts.is_left_alone(worker):
                return
            self._starter.after_process_ran(worker, pod, run)
            self._stopper.after_process_ran(worker, pod, run)
            self._prober.after_process_ran(worker, run)
            return
        self._prober.end(worker, run)
        self._starter.on_exit(worker, pod, run)
        self._stopper.on_end(run)
        record_exit(self._parts, self.evictor, worker, run, end)
        if worker.processes is not None:
            self._parts.wake_others(worker, run)
            if worker.processes.has_ended:
                self.sandboxes.lose(worker)

    # --- save and load --------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data of every node and worker."""
        roster = self._roster
        return {
            "nodes": self._agents.save(),
            "workers": [worker.save() for worker in roster.workers.values()],
            "gone": save_pods(roster.gone),
            "last_heard": save_pods(roster.heard),
            "static": self.static_pods.save(),
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described; the store is restored before."""
        roster = self._roster
        self._agents.load(data["nodes"])
        self.static_pods.load(data["static"])
        roster.gone = load_pods(data["gone"])
        roster.heard = load_pods(data["last_heard"])
        self.outages.restore()
        for entry in data["workers"]:
            roster.add(PodWorker.load(entry, roster.known(entry["uid"]), self._parts.behavior))
        self._resizer.restore()

    def take_up(self, data: Any, is_same_engine: bool) -> None:
        """Go on from what another engine saved, as far as it can be read; the agenda is restored before."""
        self.upgrade.take_up(data, is_same_engine)
        self._resizer.restore()
