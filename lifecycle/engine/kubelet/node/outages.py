"""Kubelets that are down and nodes that are cut off.

While a kubelet is down its containers run on, but nobody probes, syncs, kills or reports. When it is back it
knows only what the runtime and the API server say: back-offs are forgotten (RESTART-13), and terminations
under way are repeated with their whole grace (POD-TERM-22). A kubelet that is merely cut off works on with
what it last heard, and reports when the network is back. One that starts while it is cut off knows its static
pods alone: all others are left as they are until it hears of them.
"""

from __future__ import annotations

from ...heart.agenda import Timer
from ...objects.condition import find_condition
from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...objects.pods.runtime import EXITED
from ...rules.nodes.eviction import EVICTED
from ..eviction.evictor import Evictor
from ..parts import SOURCE, Kubelet, Parts
from ..probing.prober import Prober
from ..reports import Reporter
from ..starting.remounts import Remounts
from ..starting.sandboxes import Sandboxes
from ..state.container_run import HELD, IDLE, POST_START, PRE_STOP, RUNNING, STOPPING
from ..state.node_agent import API_SERVER, CUTS, KUBELET, NodeAgent
from ..state.worker import ALLOTTED, APPLYING, ASKED, SYNCING, TERMINATED, TERMINATING, PodWorker
from ..static_pods.static_pods import StaticPods
from .node_agents import NEW_MACHINE
from .node_reporter import NodeReporter

OVER = "kubelet.outageOver"
RESTARTED, STARTED_AGAIN = "kubelet restart", "kubelet stop and start"


class Outages:
    """Begins and ends them; keeps what cut-off kubelets heard last."""

    __slots__ = (
        "_evictor",
        "_kubelet",
        "_node_reporter",
        "_parts",
        "_prober",
        "_remounts",
        "_reporter",
        "_sandboxes",
        "_static_pods",
    )

    def __init__(
        self,
        parts: Parts,
        prober: Prober,
        reporter: Reporter,
        sandboxes: Sandboxes,
        remounts: Remounts,
        evictor: Evictor,
        node_reporter: NodeReporter,
        static_pods: StaticPods,
        kubelet: Kubelet,
    ) -> None:
        self._parts = parts
        self._prober = prober
        self._reporter = reporter
        self._sandboxes = sandboxes
        self._remounts = remounts
        self._evictor = evictor
        self._node_reporter = node_reporter
        self._static_pods = static_pods
        self._kubelet = kubelet
        parts.context.loop.on_timer(OVER, self._on_over)
        parts.context.loop.register(NEW_MACHINE, self._on_new_machine)

    def agent(self, node: str) -> NodeAgent:
        """The kubelet of a node."""
        return self._parts.agents[node]

    def is_deaf(self, node: str) -> bool:
        """Whether the kubelet of a node hears nothing from the API server, and cannot report to it."""
        agent = self._parts.agents.get(node)
        return agent is not None and agent.is_deaf

    def keep(self, old: Pod) -> bool:
        """A pod changes or goes: whether its kubelet cannot hear of it, and goes by the old one."""
        if not self._parts.is_cut_off(old.node_name):
            return False
        self._parts.pod_manager.heard.setdefault(old.meta.uid, old)
        return True

    # --- kubelet down ---------------------------------------------------------------------------------

    def begin(self, agent: NodeAgent, kind: str, for_ms: int | None) -> None:
        """An outage of a kind for so long, or for ever. One that is already there ends as now said."""
        parts = self._parts
        is_new, was_deaf = kind not in agent.outages, agent.is_deaf
        if not is_new:
            parts.cancel(agent.outage_timer(kind))
        else:
            parts.outages += 1
        agent.outages[kind] = None
        if agent.is_deaf and not was_deaf:
            self._node_reporter.fall_silent(agent)
        if is_new and kind == KUBELET:
            agent.shutdown = None
            agent.down_since_ms = parts.context.clock.now_ms
            agent.pulls.clear()
            if agent.pressure is not None:
                agent.pressure.forget(parts.context.agenda.cancel)
            for worker in self._parts.pod_manager.workers_of(agent.name):
                self.suspend(worker)
            # A kubelet that starts knows nothing of what it told before.
            node = parts.store.get("Node", "", agent.name)
            if node is not None:
                parts.trace.correlator.begin_anew(node.meta.uid, SOURCE)
            agent.few = {}
        elif is_new and kind in CUTS:
            parts.trace.silence({worker.uid for worker in parts.pod_manager.workers_of(agent.name)}, SOURCE)
            parts.context.connections.on_node(agent.name)
        if for_ms == 0:
            self._end(agent, kind)
        elif for_ms is not None:
            agent.outages[kind] = parts.context.later(for_ms, OVER, agent.name, kind)

    def go_down(self, agent: NodeAgent, for_ms: int | None) -> None:
        """A node stops with all that runs on it; it is back after `for_ms`, or never."""
        self.begin(agent, KUBELET, None)
        agent.is_off = True
        self._sandboxes.lose_all(agent)
        self._parts.context.connections.on_node(agent.name)
        if for_ms is not None:
            self.begin(agent, KUBELET, for_ms)

    def _on_over(self, timer: Timer) -> None:
        agent = self._parts.agents[timer.target]
        if timer.payload in agent.outages:
            self._end(agent, timer.payload)

    def _on_new_machine(self, _namespace: str, name: str) -> None:
        """Another machine has the name of one that was taken away: nothing is on its disk."""
        agent = self._parts.agents[name]
        if not agent.is_removed:
            return
        agent.is_removed = False
        agent.images.clear()
        for kind in list(agent.outages):
            self._parts.cancel(agent.outage_timer(kind))
            self._end(agent, kind)

    def _end(self, agent: NodeAgent, kind: str) -> None:
        pod_manager = self._parts.pod_manager
        del agent.outages[kind]
        self._parts.outages -= 1
        if kind == KUBELET:
            agent.is_blind = agent.is_cut_off
            self._tell_start(agent)
            for worker in self._parts.pod_manager.workers_of(agent.name):
                if not self._parts.is_left_alone(worker):
                    self.resume(worker)
                    self._remounts.notice(worker)
        elif kind in CUTS:
            if agent.is_cut_off:
                # In another way it still is.
                return
            is_waking = agent.is_blind and KUBELET not in agent.outages
            agent.is_blind = False
            self._parts.trace.speak({worker.uid for worker in pod_manager.workers_of(agent.name)}, SOURCE)
            for worker in self._parts.pod_manager.workers_of(agent.name):
                self._hear(worker)
                # One that was deleted by force may be forgotten by now.
                if is_waking and worker.uid not in pod_manager.statics and worker.uid in pod_manager.workers:
                    self.resume(worker)
                self._remounts.notice(worker)
        else:
            self._sandboxes.try_again(agent)
        if agent.pressure is not None:
            self._evictor.synchronize(agent.name)
        if not agent.is_deaf:
            if kind in (KUBELET, *CUTS):
                self._node_reporter.speak(agent, has_started=kind == KUBELET)
            self._take_new(agent)
        if not self._parts.is_down(agent.name):
            self._static_pods.take_all(agent.name)
        self._parts.context.connections.on_node(agent.name)

    def lose_api_server(self) -> None:
        """No kubelet reaches the API server; the nodes reach each other as before."""
        for agent in self._parts.agents.values():
            self.begin(agent, API_SERVER, None)

    def find_api_server(self) -> None:
        """It is back: the kubelets hear of it at their next tries."""
        for agent in self._parts.agents.values():
            if API_SERVER in agent.outages:
                self._end(agent, API_SERVER)

    def suspend(self, worker: PodWorker) -> None:
        """Nobody is there for what was to be done: all timers go but those of the programs themselves."""
        parts = self._parts
        worker.drop_timers(parts.context.agenda.cancel)
        self._sandboxes.end(worker)
        for run in worker.runs.values():
            parts.cancel(run.stage_timer)
            run.stage_timer = None
            if run.kill_timer is not None:
                parts.cancel((run.kill_timer, True))
                run.kill_timer = None
            self._prober.suspend(worker, run)
        parts.trace.correlator.begin_anew(worker.uid, SOURCE)
        worker.few = {}

    def _tell_start(self, agent: NodeAgent) -> None:
        node = self._parts.store.get("Node", "", agent.name)
        if not isinstance(node, Node) or self._parts.is_cut_off(agent.name):
            return
        ready = find_condition(node.status.conditions, "Ready")
        # A restart, if the node was not found out as not ready meanwhile (KUBELET-03, -04).
        moved_ms = ready.last_transition_ms if ready is not None else None
        was_missed = (
            ready is None
            or ready.status != "True"
            or (moved_ms is not None and moved_ms > agent.down_since_ms)
        )
        detail = {"detected": STARTED_AGAIN if was_missed else RESTARTED}
        self._node_reporter.introduce(agent, node, detail)

    def resume(self, worker: PodWorker) -> None:
        """A kubelet that has just started finds a pod of its node."""
        parts, pod = self._parts, self._parts.pod_manager.known(worker.uid)
        cause = parts.trace.cause
        if worker.stop_reason == EVICTED and worker.stage != TERMINATED:
            # Nobody but the kubelet knew of that, and it looks at its node anew.
            worker.stop_reason, worker.evicted, worker.exceeds_limit = "", None, False
        if worker.resize in (APPLYING, *ALLOTTED):
            # What has not come to its end is begun again.
            worker.resize = ASKED
        worker.under_way, worker.to_start, worker.blind_until_ms = "", (), 0
        for run in worker.runs.values():
            # Counters of delays live in the kubelet's memory. It starts at once what it finds ended, and that
            # counts as a start after a known end (kuberuntime_manager.go, doBackOff).
            run.due_ms = run.pull_delay_ms = 0
            record = worker.runtime.containers.get(run.container.name)
            has_ended = run.process is None and record is not None and record.state == EXITED
            run.delay_ms = parts.agents[worker.node].back_off[0] if has_ended else 0
            run.must_restart, run.kill_reason, run.unsaid, run.is_unseen = False, "", None, False
            was_starting = run.stage == POST_START
            if run.process is None:
                run.stage = IDLE
            elif run.stage in (POST_START, PRE_STOP, HELD, STOPPING):
                # It is running, says the runtime; what was being done to it is done anew or not at all.
                run.stage, run.hook, run.waiting = RUNNING, None, None
            if run.process is not None and was_starting:
                run.started = run.container.startup_probe is None
        if worker.stage == TERMINATING:
            worker.stage = SYNCING
        elif pod.meta.deletion_ms is None:
            self._resume_probes(worker, pod)
        if pod.meta.deletion_ms is not None:
            # A pod that is to end is probed no more (AddPod).
            for run in worker.runs.values():
                self._prober.end(worker, run)
        if pod.meta.deletion_ms is not None and worker.uid in parts.store.pods:
            worker.mounting_ms = parts.now_ms
        worker.has_changed = worker.must_act = True
        self._kubelet.begin_anew(worker, pod)
        parts.touch(worker)
        # Others of the node find themselves resumed by the same, not by what this one came to.
        parts.trace.cause = cause

    def _resume_probes(self, worker: PodWorker, pod: Pod) -> None:
        forgets = self._parts.agents[worker.node].rules.restart_forgets_probes
        live = [run for run in worker.runs.values() if run.process is not None]
        if forgets and live:
            # Neither started nor ready until it is evaluated again (KUBELET-06; isContainerStarted).
            for run in live:
                run.ready = False
                run.started = run.container.startup_probe is None
            pod = self._reporter.report(worker, pod)
        for run in live:
            self._prober.resume(worker, pod, run)

    # --- partition ------------------------------------------------------------------------------------

    def _hear(self, worker: PodWorker) -> None:
        heard = self._parts.pod_manager.heard.pop(worker.uid, None)
        worker.must_act = True
        if heard is not None:
            self._kubelet.hear(worker, heard)
        else:
            worker.has_changed = True
            self._parts.touch(worker)

    def _take_new(self, agent: NodeAgent) -> None:
        """Pods bound while nobody listened."""
        store, workers = self._parts.store, self._parts.pod_manager.workers
        bound = filter(None, map(store.pods.get, store.index.pods_by_node.get(agent.name, ())))
        for pod in sorted(bound, key=lambda one: (one.meta.creation_ms or 0, one.meta.uid)):
            if not (pod.meta.uid in workers or pod.is_finished or pod.is_mirror):
                self._kubelet.take(pod)

    def restore(self) -> None:
        """Count again, after a cluster was loaded."""
        self._parts.outages = sum(len(agent.outages) for agent in self._parts.agents.values())
