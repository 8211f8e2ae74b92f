"""The kubelets of all nodes: one pod worker for each bound pod, and the events that make it sync.

A worker syncs when the API server changes the pod, when a timer fires, or when a container starts or ends.
What it does then is in `pod_sync`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.userland.world import Exit

from ..api.context import Context
from ..api.server import ApiServer
from ..heart.agenda import Timer
from ..objects.pods.pod import Pod
from ..rules.pods.image_names import full_name
from ..rules.pods.state import is_news_to_kubelet
from ..store.audience import Useless
from .admission import Admission
from .ending import REMOVED, SIDECARS_ENDED, TORN_DOWN, Ending
from .eviction.evictor import Evictor
from .node.node_agents import NodeAgents
from .node.node_reporter import NodeReporter
from .node.outages import Outages
from .node.shutdowns import Shutdowns
from .parts import (
    AGAIN,
    COMPARE,
    CREATED,
    DEADLINE,
    HOOK_DONE,
    KILL,
    PROBE,
    PULLED,
    REMOUNT,
    RESIZED,
    RETURN,
    SYNC,
    WAKE,
    Parts,
)
from .pod_sync import PodSyncer
from .probing.ended_containers import await_turns, await_unseen, list_turns, list_unseen
from .probing.prober import Prober
from .reports import Reporter
from .resize import Resizer
from .starting.remounts import Remounts
from .starting.sandboxes import MOUNT, SANDBOX, Sandboxes
from .starting.starter import Starter
from .state.container_run import POST_START, PRE_STOP, ContainerRun
from .state.pod_manager import load_pods, save_pods
from .state.worker import PodWorker
from .static_pods.mirrors import Mirrors
from .static_pods.static_pods import StaticPods
from .stopping.exits import record_exit
from .stopping.restart_all import RestartAll
from .stopping.termination import Stopper
from .upgrade import Upgrade
from .world.container_world import ContainerWorld

NAME, ADMIT = "kubelet", "kubelet.admit"


class Kubelets:
    """All kubelets of a cluster; a pod's own is told by its node."""

    def __init__(self, context: Context, api: ApiServer) -> None:
        self._context = context
        self._parts = parts = Parts(context, api)
        self._pod_manager = parts.pod_manager
        self._prober = prober = Prober(parts)
        self.evictor = evictor = Evictor(parts)
        self._mirrors = mirrors = Mirrors(parts, api)
        self._reporter = reporter = Reporter(parts, mirrors)
        self._stopper = stopper = Stopper(parts, self)
        self._starter = Starter(parts, evictor, prober, reporter, self)
        self.sandboxes = Sandboxes(parts, prober, reporter, stopper, self)
        self._agents = NodeAgents(parts, evictor)
        self._node_reporter = node_reporter = NodeReporter(parts, api, evictor)
        self.static_pods = StaticPods(parts, api, mirrors, self)
        self._resizer = resizer = Resizer(parts, stopper)
        self._ending = ending = Ending(
            parts, prober, reporter, stopper, self.sandboxes, resizer, evictor, self.static_pods
        )
        self._remounts = Remounts(parts)
        syncer = PodSyncer(
            parts,
            Admission(parts, evictor, reporter),
            prober,
            reporter,
            self.sandboxes,
            self._starter,
            stopper,
            resizer,
            self._remounts,
            RestartAll(parts, prober, reporter, stopper, evictor),
            ending,
        )
        self.sync_pod, self.begin_anew = syncer.sync_pod, syncer.begin_anew
        reached = (self._remounts, evictor, node_reporter, self.static_pods)
        self.outages = Outages(parts, prober, reporter, self.sandboxes, *reached, self)
        self.shutdowns = Shutdowns(parts, node_reporter, self.outages.go_down)
        self.upgrade = Upgrade(parts, self._agents, self.static_pods, self.outages, self)
        context.loop.register(NAME, self._sync)
        context.store.listen_to_shape(
            "Pod",
            self._on_pod,
            Useless.READINESS | Useless.FRESH,
            on_binding=self._on_binding,
        )
        for what, handler in self._pod_handlers().items():
            context.loop.on_timer(what, self._for_pod(handler))
        for what, on_run in self._container_handlers().items():
            context.loop.on_timer(what, self._for_container(on_run))

    def _pod_handlers(self) -> dict[str, Callable[[PodWorker, Pod], None]]:
        return {
            ADMIT: self._admit,
            SYNC: self.sync_pod,
            MOUNT: self.sandboxes.on_mount,
            SANDBOX: self.sandboxes.on_made,
            TORN_DOWN: self._ending.on_torn_down,
            SIDECARS_ENDED: self._ending.on_sidecars_ended,
            REMOVED: self._ending.on_removed,
            DEADLINE: self._ending.on_deadline,
            RESIZED: self._resizer.on_applied,
            REMOUNT: self._remounts.on_timer,
            RETURN: self._on_return,
            AGAIN: self._on_again,
            COMPARE: self._on_compare,
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
        pod_manager, stored, workers = self._pod_manager, self._parts.store.pods, self._pod_manager.workers

        def handle(timer: Timer) -> None:
            uid = timer[3]
            worker = workers.get(uid)
            if worker is not None:
                # Mostly a kubelet knows its pod as it is stored.
                handler(worker, (None if pod_manager.heard else stored.get(uid)) or pod_manager.known(uid))

        return handle

    def _for_container(
        self, handler: Callable[[PodWorker, Pod, ContainerRun, str], None]
    ) -> Callable[[Timer], None]:
        pod_manager, stored, workers = self._pod_manager, self._parts.store.pods, self._pod_manager.workers
        follow = self._parts.follow

        def handle(timer: Timer) -> None:
            uid = timer[3]
            worker = workers.get(uid)
            if worker is None:
                return
            payload = timer[4]
            name, detail = (payload, "") if isinstance(payload, str) else payload
            run = worker.runs[name]
            if run.row > 0:
                follow(run.row)
            pod = (None if pod_manager.heard else stored.get(uid)) or pod_manager.known(uid)
            handler(worker, pod, run, detail)

        return handle

    @property
    def workers(self) -> Mapping[str, PodWorker]:
        """The workers of all pods, by what their kubelets call these."""
        return self._pod_manager.workers

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None:
                self._on_gone(old)
            return
        if not new.node_name:
            return
        worker = self._pod_manager.workers.get(new.meta.uid)
        if worker is None:
            agent = self._parts.agents.get(new.node_name)
            if new.is_mirror:
                self._mirrors.enqueue(new)
            elif agent is not None and not (new.is_finished or agent.is_deaf):
                self.take(new)
            return
        if old is None or (self._parts.outages and self.outages.keep(old)):
            return
        if old.spec is not new.spec or (old.meta is not new.meta and is_news_to_kubelet(old, new)):
            self._follow(worker, old, new)
        elif old.status.conditions is not new.status.conditions and new.spec.readiness_gates:
            # A readiness gate was set from outside.
            worker.has_changed = True
            self._parts.touch(worker)

    def _on_binding(self, old: Pod, new: Pod) -> None:
        agent = self._parts.agents.get(new.node_name)
        if agent is not None and not agent.is_deaf and not new.is_mirror and not new.is_finished:
            self.take(new)
        else:
            self._on_pod(old, new)

    def _on_gone(self, pod: Pod) -> None:
        self._mirrors.on_gone(pod)
        worker = self._pod_manager.workers.get(pod.meta.uid)
        if worker is not None and not (self._parts.outages and self.outages.keep(pod)):
            self._on_removed(worker, pod)

    def _follow(self, worker: PodWorker, old: Pod, new: Pod) -> None:
        is_told = worker.told is not None and worker.told[0] is new.status
        if is_told and worker.is_at_rest(new) and old.meta.generation == new.meta.generation:
            return
        if old.spec is not new.spec:
            worker.follow_spec(new.spec, self._parts.agents[worker.node].back_off[0])
            self._ending.set_deadline(worker, new)
        worker.must_act = True
        is_status_alone = old.meta.generation == new.meta.generation and old.status != new.status
        if is_status_alone and self._parts.relist_period_ms and not new.spec.readiness_gates:
            # What others write into a status is no word to a worker.
            self._parts.compare_later(worker)
        else:
            worker.has_changed = True
        self._parts.touch(worker)

    def hear(self, worker: PodWorker, heard: Pod) -> None:
        """A pod that its kubelet could not follow: as it is now, or gone."""
        stored = self._parts.store.pods.get(worker.uid)
        if stored is None:
            self._on_removed(worker, heard)
        else:
            self._follow(worker, heard, stored)

    def take(self, pod: Pod) -> None:
        """A pod is bound to a node of ours."""
        worker = PodWorker(pod)
        self._pod_manager.add(worker)
        delay_ms = self._context.draw_ms("watch", pod.meta.uid)
        if delay_ms == 0:
            self._parts.touch(worker)
        else:
            worker.stage_timer, _ = self._parts.later(delay_ms, ADMIT, worker)

    def _on_removed(self, worker: PodWorker, pod: Pod) -> None:
        if worker.is_running:
            # Deleted by force: the containers still get their last two seconds (FORCE-07).
            self._pod_manager.gone[worker.uid] = pod.replace(
                meta=pod.meta.replace(deletion_ms=self._context.clock.now_ms, deletion_grace_seconds=0)
            )
            self._parts.touch(worker)
            return
        self._ending.forget(worker)

    # --- a pod arrives --------------------------------------------------------------------------------

    def _admit(self, worker: PodWorker, pod: Pod) -> None:
        worker.stage_timer = None
        self.sync_pod(worker, pod)

    # --- one sync -------------------------------------------------------------------------------------

    def _on_return(self, worker: PodWorker, _pod: Pod) -> None:
        worker.return_timer = None
        self._parts.follow(worker.return_row)
        worker.must_act = True
        self._parts.touch(worker)

    def _on_again(self, worker: PodWorker, _pod: Pod) -> None:
        worker.must_act = True
        self._parts.touch(worker)

    def _on_compare(self, worker: PodWorker, _pod: Pod) -> None:
        worker.status_timer = None
        worker.has_changed = True
        self._parts.touch(worker)

    def _sync(self, _namespace: str, uid: str) -> None:
        worker = self._pod_manager.workers.get(uid)
        if worker is not None:
            self.sync_pod(worker, self._pod_manager.known(worker.uid))

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

    def world(self, worker: PodWorker, run: ContainerRun) -> ContainerWorld:
        """What the processes of a container see around them now."""
        return self._parts.world(worker, self._pod_manager.known(worker.uid), run)

    def on_command(self, worker: PodWorker, run: ContainerRun) -> None:
        """A command ran in a container: it may have written, and signalled or ended the program."""
        self._parts.take_output(worker, run)
        self.on_exit(worker, run)

    def on_exit(self, worker: PodWorker, run: ContainerRun) -> None:
        """A process has run, been signalled or ended: see what that means."""
        process = run.process
        if process is None:
            return
        self._handle_run(worker, run, process.exit)
        self._context.connections.note_pod(worker.uid)

    def _handle_run(self, worker: PodWorker, run: ContainerRun, end: Exit | None) -> None:
        self.evictor.on_written(worker)
        pod = self._pod_manager.known(worker.uid)
        if end is None:
            self._parts.schedule_wake(worker, run)
            if self._parts.is_left_alone(worker):
                return
            self._starter.after_process_ran(worker, pod, run)
            self._stopper.after_process_ran(worker, pod, run)
            self._prober.after_process_ran(worker, run)
            return
        self._context.connections.note_end(worker.uid)
        turns, unseen = list_turns(self._parts, worker, run), list_unseen(self._parts, worker, run)
        self._prober.end(worker, run)
        self._starter.on_exit(worker, pod, run)
        self._stopper.on_end(worker, pod, run)
        record_exit(self._parts, self.evictor, worker, pod, run, end)
        if turns and run.process is None:
            await_turns(self._parts, worker, run, turns)
        await_unseen(self._parts, worker, run, unseen)
        if worker.processes is not None:
            self._parts.wake_others(worker, run)
            if worker.processes.has_ended:
                self.sandboxes.lose(worker)

    def list_nodes_with(self, image: str) -> list[str]:
        """The nodes that have an image on disk."""
        named = full_name(image)
        return [name for name, agent in self._parts.agents.items() if named in agent.images]

    # --- save and load --------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data of every node and worker."""
        pod_manager = self._pod_manager
        return {
            "nodes": self._agents.save(),
            "workers": [worker.save() for worker in pod_manager.workers.values()],
            "gone": save_pods(pod_manager.gone),
            "last_heard": save_pods(pod_manager.heard),
            "static": self.static_pods.save(),
            "dns": self._parts.dns.save(),
            "disks": self._parts.context.volumes.save_files(),
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described; the store is restored before."""
        pod_manager = self._pod_manager
        self._agents.load(data["nodes"])
        self.shutdowns.restore()
        self.static_pods.load(data["static"])
        pod_manager.gone = load_pods(data["gone"])
        pod_manager.heard = load_pods(data["last_heard"])
        self.outages.restore()
        self._parts.dns.load(data.get("dns") or {})
        self._parts.context.volumes.load_files(data.get("disks") or {})
        for entry in data["workers"]:
            pod_manager.add(PodWorker.load(entry, pod_manager.known(entry["uid"]), self._parts.behavior))
        self._resizer.restore()

    def take_up(self, data: Any, is_same_engine: bool) -> None:
        """Go on from what another engine saved, as far as it can be read; the agenda is restored before."""
        self.upgrade.take_up(data, is_same_engine)
        self.shutdowns.restore()
        self._node_reporter.take_up()
        self._resizer.restore()
