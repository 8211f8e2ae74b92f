"""What all parts of the kubelet share: timers of pods and containers, events, worlds of containers, exits."""

from __future__ import annotations

from typing import Protocol

from lifecycle.userland.crowd import Crowd

from ..api.context import Context
from ..api.metrics import Running
from ..api.server import ApiServer
from ..heart.chance import PART
from ..heart.timing import BACK_OFF_INITIAL_MS as BACK_OFF_MS
from ..heart.timing import ON_DEMAND_RELIST_MS, RESYNC_MS, STATUS_SYNC_MS, UPKEEP_PROGRAM_MS
from ..objects.meta import Subject
from ..objects.names import BEHAVIOR
from ..objects.pods.pod import Pod
from ..programs import Behavior, Profile, resolve_behavior
from .state import normal_events
from .state.container_run import ContainerRun
from .state.cpus import Cpus
from .state.node_agent import KUBELET, NodeAgent
from .state.pod_manager import PodManager
from .state.worker import WAITING, PodWorker
from .world.cluster_dns import ClusterDns
from .world.container_world import ContainerWorld
from .world.network import Network

SOURCE = normal_events.SOURCE
NORMAL, WARNING = normal_events.NORMAL, "Warning"
# Kinds of timers, as the agenda and its checkpoints name them.
PULLED, CREATED = "kubelet.pulled", "kubelet.created"
SYNC, HOOK_DONE, RETURN, COMPARE = "kubelet.look", "kubelet.hookDone", "kubelet.return", "kubelet.compare"
AGAIN = "kubelet.again"
WAKE, PROBE, KILL = "kubelet.wake", "kubelet.probe", "kubelet.kill"
DEADLINE, RESIZED, REMOUNT = "kubelet.deadline", "kubelet.resized", "kubelet.remount"


class Kubelet(Protocol):
    """The whole as its parts see it: the one way back up. Whatever else a part needs, it is made with."""

    def take(self, pod: Pod) -> None:
        """A pod is bound to a node of ours."""

    def hear(self, worker: PodWorker, heard: Pod) -> None:
        """A pod that its kubelet could not follow, and knew like this, is as it is now, or gone."""

    def begin_anew(self, worker: PodWorker, pod: Pod) -> None:
        """Set what a kubelet that has just started would: the deadline, and a sandbox where there is none."""

    def sync_pod(self, worker: PodWorker, pod: Pod) -> None:
        """Do what has become necessary for a pod."""

    def on_exit(self, worker: PodWorker, run: ContainerRun) -> None:
        """A process has run, been signalled or ended: see what that means."""


class Parts:
    """What every part of the kubelet works with: the pods, who reaches whom, timers, events and worlds."""

    __slots__ = (
        "_agenda",
        "_clock",
        "_network",
        "agents",
        "api",
        "context",
        "cpus",
        "crowd",
        "has_profiles",
        "outages",
        "pod_manager",
        "profiles",
        "relist_period_ms",
        "store",
        "trace",
    )

    def __init__(self, context: Context, api: ApiServer) -> None:
        self.context, self.api = context, api
        self.store = context.store
        self.trace = context.trace
        self._agenda = context.agenda
        self._clock = context.clock
        self.pod_manager = PodManager(context.store)
        context.metrics.list_running = self.list_running
        self.agents: dict[str, NodeAgent] = {}
        self.profiles: tuple[Profile, ...] = ()
        self.has_profiles = 0
        self.cpus = Cpus(context.store, self.pod_manager)
        self.crowd = Crowd()
        self._network = Network(context, self.pod_manager, self.agents)
        # The period of relists; 0: the kubelet sees each change of the runtime at once.
        self.relist_period_ms = context.timing.spreads["kubelet_look"][1]
        # How many outages there are, so that a cluster without any pays nothing for them.
        self.outages = 0

    @property
    def dns(self) -> ClusterDns:
        """The cluster's DNS."""
        return self._network.dns

    @property
    def now_ms(self) -> int:
        """The instant being lived."""
        return self._clock.now_ms

    # --- who reaches whom -----------------------------------------------------------------------------

    def is_down(self, node: str) -> bool:
        """Whether the kubelet of a node does not run."""
        return self.outages > 0 and KUBELET in self.agents[node].outages

    def is_cut_off(self, node: str) -> bool:
        """Whether the kubelet of a node runs without reaching the API server."""
        return self.outages > 0 and self.agents[node].is_cut_off

    def note_use(self, worker: PodWorker) -> None:
        """Have it known that another container of a pod runs, or one less: it uses something else."""
        self.context.connections.note_pod(worker.uid)
        metrics = self.context.metrics
        pod = self.store.pods.get(worker.uid) if metrics.listeners else None
        if pod is not None:
            metrics.note(pod)

    def list_running(self, uid: str) -> list[Running]:
        """The containers of a pod that the metrics server can see."""
        worker = self.pod_manager.workers.get(uid)
        if worker is None or (self.outages and self.is_cut_off(worker.node)):
            return []
        runs = ((run, run.process) for run in worker.runs.values())
        return [
            Running(run.container.name, process, run.container.limits.get("cpu"))
            for run, process in runs
            if process is not None and process.exit is None
        ]

    def is_left_alone(self, worker: PodWorker) -> bool:
        """Whether no kubelet manages a pod: it does not run, or it started without connection.

        Then it knows its static pods alone, until the API server tells it of the others.
        """
        if not self.outages:
            return False
        agent = self.agents[worker.node]
        return KUBELET in agent.outages or (agent.is_blind and worker.uid not in self.pod_manager.statics)

    def is_out_of_sight(self, worker: PodWorker) -> bool:
        """Whether nobody sees to a pod: its kubelet is down, or has not heard of it yet and now cannot."""
        is_new = worker.stage == WAITING and worker.uid not in self.pod_manager.statics
        return (is_new and self.is_cut_off(worker.node)) or self.is_left_alone(worker)

    def told_of(self, worker: PodWorker) -> Pod | None:
        """The stored or static pod of which a kubelet can tell; None when it is gone, or the node cut off."""
        if self.outages and self.is_cut_off(worker.node):
            return None
        return self.store.pods.get(worker.uid) or self.pod_manager.statics.get(worker.uid)

    def _gone(self, worker: PodWorker) -> Pod | None:
        return None if self.is_cut_off(worker.node) else self.pod_manager.gone.get(worker.uid)

    def shown(self, pod: Pod) -> Subject:
        """Whom the rows about a pod name: it, but for a static pod its mirror, if there is one."""
        if pod.meta.uid in self.pod_manager.statics:
            mirror = self.store.get("Pod", pod.meta.namespace, pod.meta.name)
            if isinstance(mirror, Pod) and mirror.kubelet_uid == pod.meta.uid:
                return mirror.subject
        return pod.subject

    # --- timers, syncs and events ---------------------------------------------------------------------

    def later(
        self,
        delay_ms: int,
        what: str,
        worker: PodWorker,
        container: str = "",
        detail: str = "",
        is_progress: bool = True,
    ) -> tuple[int, bool]:
        """Set a kubelet timer; what `cancel` needs is returned."""
        payload = [container, detail] if detail else container
        number = self._agenda.add(
            self._clock.now_ms + delay_ms, what, worker.uid, payload, is_progress, self.trace.cause
        )
        return (number, is_progress)

    def follow(self, row: int) -> None:
        """What is done from now on follows from a row, unless it follows from a later one or a command."""
        cause = self.trace.cause
        if cause is None or (isinstance(cause, int) and cause < row):
            self.trace.cause = row

    def cancel(self, timer: tuple[int, bool] | None) -> None:
        """Drop a timer, if there is one."""
        if timer is not None:
            self.context.agenda.cancel(timer[0], timer[1])

    def next_relist_ms(self, node: str, from_ms: int, period_ms: int = 0) -> int:
        """When the kubelet of a node next relists its runtime, and syncs the pods that are due.

        `period_ms`: or at what it looks at as often as that, beginning at the same instant.
        """
        if not self.relist_period_ms:
            return from_ms
        phase_ms = self.agents[node].relist_phase_ms
        return from_ms + (phase_ms - from_ms) % (period_ms or self.relist_period_ms)

    def after_look_ms(self, worker: PodWorker) -> int:
        """When the kubelet of a worker has looked at its runtime once more: at once if looks take no time."""
        now_ms = self._clock.now_ms
        return self.next_relist_ms(worker.node, now_ms + 1) if self.relist_period_ms else now_ms

    def draw_after_relist_ms(self, latency: str, worker: PodWorker) -> int:
        """How long until a step of a worker is done that waits for its kubelet's next look at its runtime."""
        now_ms = self._clock.now_ms
        return self.after_look_ms(worker) - now_ms + self.context.draw_ms(latency, worker.uid)

    def return_ms(self, worker: PodWorker, from_ms: int, least_ms: int) -> int:
        """When a worker comes back that may after `least_ms`, counted from an instant."""
        wait_ms = min(least_ms, RESYNC_MS)
        key, spread = f"{worker.uid}{PART}{from_ms}", self.context.timing.spread("worker_return")
        late_ms = self.context.chance.draw_ms("return", key, *spread)
        wait_ms += wait_ms * late_ms // 1000
        return self.next_relist_ms(worker.node, from_ms + wait_ms)

    def come_back(self, worker: PodWorker, least_ms: int, is_progress: bool = True) -> None:
        """Sync a pod again, after a sync that has failed.

        After `least_ms`, but a minute at most, and a little late. Of several calls in
        one sync the earliest counts; the next sync asks again (kubelet, completeWork).
        """
        now_ms = self._clock.now_ms
        if least_ms and self.agents[worker.node].rules.looks_at_back_offs:
            # Until v1.35 an error says nothing of when; what comes at once does so for another reason.
            least_ms = BACK_OFF_MS
        due_ms = self.return_ms(worker, now_ms, least_ms)
        known = worker.return_timer
        if known is not None:
            if known[1] <= due_ms and (known[2] or not is_progress):
                return
            due_ms, is_progress = min(due_ms, known[1]), is_progress or known[2]
            self.stay(worker)
        number, _ = self.later(due_ms - now_ms, RETURN, worker, is_progress=is_progress)
        worker.return_timer = (number, due_ms, is_progress)

    def stay(self, worker: PodWorker) -> None:
        """Have a worker not come back, if it was to."""
        if worker.return_timer is not None:
            self.cancel((worker.return_timer[0], worker.return_timer[2]))
            worker.return_timer = None

    def notice(self, worker: PodWorker) -> None:
        """Have the worker look when its kubelet next looks at its runtime, unless it does before (PLEG)."""
        due_ms = self.next_relist_ms(worker.node, self._clock.now_ms)
        self.context.loop.enqueue_at("kubelet", "", worker.uid, due_ms)

    def sync_again(self, worker: PodWorker) -> int:
        """Have the worker look once more when its kubelet has looked at its runtime again: when, in ms."""
        now_ms = self._clock.now_ms
        due_ms = self.after_look_ms(worker)
        self.later(due_ms - now_ms, SYNC, worker)
        return due_ms

    def end_sync(self, worker: PodWorker, is_followed: bool = False) -> None:
        """A sync is finished; the next sync sees its results.

        Which is made once its kubelet has looked at its runtime, and not before (podCache.GetNewerThan).
        `is_followed`: another sync follows the next one.
        """
        worker.under_way = ""
        if self.agents[worker.node].rules.relists_on_demand:
            self.later(ON_DEMAND_RELIST_MS, SYNC, worker)
            worker.blind_until_ms = self._clock.now_ms + ON_DEMAND_RELIST_MS
        else:
            worker.blind_until_ms = self.sync_again(worker)
        if is_followed:
            self.later(
                worker.blind_until_ms + self.relist_period_ms - self._clock.now_ms,
                AGAIN,
                worker,
                is_progress=False,
            )

    def compare_later(self, worker: PodWorker) -> None:
        """Have the worker tell its pod's status anew when its kubelet next compares it with what was said."""
        if worker.status_timer is None:
            now_ms = self._clock.now_ms
            due_ms = self.next_relist_ms(worker.node, now_ms, STATUS_SYNC_MS)
            worker.status_timer, _ = self.later(due_ms - now_ms, COMPARE, worker)

    def touch(self, worker: PodWorker) -> None:
        """Have the worker looked at before this instant ends."""
        self.context.loop.enqueue("kubelet", "", worker.uid)

    def lead_on(self, worker: PodWorker) -> None:
        """If the worker is to be looked at, then because of what has just been written of its pod."""
        self.context.loop.lead_on("kubelet", "", worker.uid)

    def event(
        self,
        worker: PodWorker,
        run: ContainerRun | None,
        event_type: str,
        reason: str,
        message: str,
    ) -> int:
        """Emit an event on the pod or on one of its containers. What a cut-off kubelet tells is lost.

        Returns the row's number, 0 when there is none.
        """
        pod = self.store.pods.get(worker.uid)
        if pod is None or self.outages:
            # Of a pod that was deleted by force it is still told how its containers end.
            pod = self.told_of(worker) or self._gone(worker)
        if pod is not None:
            path = run.container.field_path if run is not None else None
            subject = pod.meta.subject or pod.subject
            if event_type == NORMAL:
                return normal_events.tell_normal(self.trace, worker, subject, reason, message, path)
            return self.trace.event(subject, event_type, reason, message, SOURCE, path)
        return 0

    # --- programs -------------------------------------------------------------------------------------

    def behavior(self, pod: Pod, run: ContainerRun) -> Behavior:
        """What a container does, worked out once per template."""
        if run.behavior is None:
            known_by_key = pod.spec.notes.behaviors
            key = (
                run.container.name,
                run.container.image,
                pod.meta.annotations.get(BEHAVIOR),
                self.has_profiles,
            )
            known = known_by_key.get(key)
            if not isinstance(known, Behavior) or self.profiles:
                known = resolve_behavior(
                    pod.spec,
                    run.container,
                    pod.meta.annotations,
                    self.profiles,
                    pod.meta.labels,
                    self.context.timing.is_instant,
                )
                known_by_key[key] = known
            if known.taken_as:
                self.context.guesses.add(f"{known.taken_as}: {run.container.image}")
            run.behavior = known
        return run.behavior

    def world(self, worker: PodWorker, pod: Pod, run: ContainerRun) -> ContainerWorld:
        """The world of a container, for one call."""
        return ContainerWorld(self.context, worker, pod, run.container, self._network, self.cpus, self.crowd)

    def schedule_wake(self, worker: PodWorker, run: ContainerRun) -> None:
        """Have the process run when it is due next."""
        if worker.processes is not None:
            self.wake_others(worker, run)
        self._schedule(worker, run)

    def wake_others(self, worker: PodWorker, run: ContainerRun) -> None:
        """Have the other containers' processes take what a process of this one may have sent them."""
        for other in worker.runs.values():
            if other is not run and other.process is not None and other.process.exit is None:
                self._schedule(worker, other)

    def _schedule(self, worker: PodWorker, run: ContainerRun) -> None:
        process = run.process
        assert process is not None, run.container.name
        due_ms = process.next_wake_ms()
        known = run.wake_timer
        if known is not None:
            if known[1] == due_ms:
                return
            self.cancel((known[0], known[2]))
            run.wake_timer = None
        if due_ms is None:
            return
        now_ms = self.context.clock.now_ms
        is_progress = due_ms - run.process_start_ms <= UPKEEP_PROGRAM_MS or process.ends is not None
        number, _ = self.later(
            max(due_ms - now_ms, 0), WAKE, worker, run.container.name, is_progress=is_progress
        )
        run.wake_timer = (number, due_ms, is_progress)

    def take_output(self, worker: PodWorker, run: ContainerRun) -> None:
        """Pass on the log lines and problems of a process."""
        process = run.process
        assert process is not None, run.container.name
        if process.output:
            static = self.pod_manager.statics.get(worker.uid)
            uid = worker.uid if static is None else self.shown(static).uid
            for at_ms, text in process.take_output():
                self.context.logs.append((uid, run.container.name, run.attempt, at_ms, text))
        if process.machine is not None:
            for problem in process.take_problems():
                self.event(worker, run, WARNING, "UninterpretedBehavior", problem)
