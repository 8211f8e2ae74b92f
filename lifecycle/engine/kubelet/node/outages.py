"""Kubelets that are down and nodes that are cut off.

While a kubelet is down its containers run on, but nobody probes, syncs, kills or reports. When it is back it
knows only what the runtime and the API server say: back-offs are forgotten (RESTART-13), and terminations
under way are repeated with their whole grace (POD-TERM-22). A kubelet that is merely cut off works on with
what it last heard, and reports when the network is back. One that starts while it is cut off knows its static
pods alone: all others are left as they are until it hears of them.
"""

from __future__ import annotations

from typing import Any, Protocol

from ...heart.agenda import Timer
from ...objects.codec import decode, encode
from ...objects.condition import find_condition
from ...objects.node import Node
from ...objects.pod import Pod, PodSpec
from ...rules.eviction import EVICTED
from ..parts import NORMAL, SOURCE, Parts
from ..probing.prober import Prober
from ..starting.sandboxes import Sandboxes
from ..worker import (
    APPLYING,
    ASKED,
    FINISHING,
    IDLE,
    POST_START,
    PRE_STOP,
    RUNNING,
    STOPPING,
    SYNCING,
    TERMINATED,
    TERMINATING,
    WAITING,
    PodWorker,
)
from .node_agent import KUBELET, PARTITION, NodeAgent

OVER = "kubelet.outageOver"
RESTART_GATE = "ChangeContainerStatusOnKubeletRestart"
RESTARTED, STARTED_AGAIN = "kubelet restart", "kubelet stop and start"


class Manifests(Protocol):
    """What outages ask of the static pods."""

    def take_all(self, node: str) -> None: ...


class Host(Protocol):
    """What outages ask of the kubelets."""

    workers: dict[str, PodWorker]
    sandboxes: Sandboxes

    @property
    def static_pods(self) -> Manifests: ...

    def pod(self, worker: PodWorker) -> Pod: ...

    def report(self, worker: PodWorker, pod: Pod) -> Pod: ...

    def begin_anew(self, worker: PodWorker, pod: Pod) -> None: ...

    def hear(self, worker: PodWorker, heard: Pod) -> None: ...

    def take(self, pod: Pod) -> None: ...


class Outages:
    """Begins and ends them; keeps what cut-off kubelets heard last."""

    __slots__ = ("_host", "_last_heard", "_parts", "_prober")

    def __init__(self, parts: Parts, prober: Prober, host: Host) -> None:
        self._parts = parts
        self._prober = prober
        self._host = host
        # Pods as a cut-off kubelet knows them, where they have changed or gone since, by uid.
        self._last_heard: dict[str, Pod] = {}
        parts.context.loop.on_timer(OVER, self._on_over)

    def agent(self, node: str) -> NodeAgent:
        """The kubelet of a node."""
        return self._parts.agents[node]

    def is_deaf(self, node: str) -> bool:
        """Whether the kubelet of a node hears nothing from the API server, and cannot report to it."""
        agent = self._parts.agents.get(node)
        return agent is not None and agent.is_deaf

    def is_out_of_sight(self, worker: PodWorker) -> bool:
        """Whether nobody sees to a pod: its kubelet is down, or has not heard of it yet and now cannot."""
        parts = self._parts
        if worker.stage == WAITING and worker.uid not in parts.statics and parts.is_cut_off(worker.node):
            return True
        return parts.is_left_alone(worker)

    # --- who knows what -------------------------------------------------------------------------------

    def heard(self, uid: str) -> Pod | None:
        """The pod as its cut-off kubelet knows it; None when that is how it is stored."""
        return self._last_heard.get(uid)

    def keep(self, old: Pod) -> bool:
        """A pod changes or goes: whether its kubelet cannot hear of it, and goes by the old one."""
        if not self._parts.is_cut_off(old.node_name):
            return False
        self._last_heard.setdefault(old.meta.uid, old)
        return True

    # --- kubelet down ---------------------------------------------------------------------------------

    def begin(self, agent: NodeAgent, kind: str, for_ms: int | None) -> None:
        """An outage of a kind for so long, or for ever. One that is already there ends as now said."""
        parts = self._parts
        is_new = kind not in agent.outages
        if not is_new:
            parts.cancel(agent.outage_timer(kind))
        else:
            parts.outages += 1
        agent.outages[kind] = None
        if is_new and kind == KUBELET:
            agent.down_since_ms = parts.context.clock.now_ms
            agent.pulls.clear()
            if agent.pressure is not None:
                agent.pressure.forget(parts.context.agenda.cancel)
            for worker in self._workers_of(agent):
                self.suspend(worker)
        if for_ms == 0:
            self._end(agent, kind)
        elif for_ms is not None:
            agent.outages[kind] = parts.context.later(for_ms, OVER, agent.name, kind)

    def _on_over(self, timer: Timer) -> None:
        agent = self._parts.agents[timer.target]
        if timer.payload in agent.outages:
            self._end(agent, timer.payload)

    def _end(self, agent: NodeAgent, kind: str) -> None:
        del agent.outages[kind]
        self._parts.outages -= 1
        if kind == KUBELET:
            agent.is_blind = PARTITION in agent.outages
            self._tell_start(agent)
            for worker in self._workers_of(agent):
                if not self._parts.is_left_alone(worker):
                    self.resume(worker)
        elif kind == PARTITION:
            is_waking = agent.is_blind and KUBELET not in agent.outages
            agent.is_blind = False
            for worker in self._workers_of(agent):
                self._hear(worker)
                # One that was deleted by force may be forgotten by now.
                if is_waking and worker.uid not in self._parts.statics and worker.uid in self._host.workers:
                    self.resume(worker)
        else:
            self._host.sandboxes.try_again(agent)
        if agent.pressure is not None:
            self._parts.check_pressure(agent.name)
        if not agent.is_deaf:
            self._take_new(agent)
        if not self._parts.is_down(agent.name):
            self._host.static_pods.take_all(agent.name)

    def _workers_of(self, agent: NodeAgent) -> list[PodWorker]:
        return [worker for worker in self._host.workers.values() if worker.node == agent.name]

    def suspend(self, worker: PodWorker) -> None:
        """Nobody is there for what was to be done: all timers go but those of the programs themselves."""
        parts = self._parts
        worker.drop_timers(parts.context.agenda.cancel)
        if worker.sandbox_failed_ms is not None:
            self._host.sandboxes.end(worker)
        for run in worker.runs.values():
            parts.trace.close_series(f"backoff|{worker.uid}|{run.container.name}")
            parts.cancel(run.stage_timer)
            run.stage_timer = None
            if run.kill_timer is not None:
                parts.cancel((run.kill_timer, True))
                run.kill_timer = None
            self._prober.suspend(worker, run)

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
        self._parts.trace.event(node.subject, NORMAL, "Starting", "Starting kubelet.", SOURCE, None, detail)

    def resume(self, worker: PodWorker) -> None:
        """A kubelet that has just started finds a pod of its node."""
        parts, pod = self._parts, self._host.pod(worker)
        if worker.stop_reason == EVICTED and worker.stage != TERMINATED:
            # Nobody but the kubelet knew of that, and it looks at its node anew.
            worker.stop_reason, worker.evicted = "", None
        if worker.resize in (APPLYING, FINISHING):
            # What has not come to its end is begun again.
            worker.resize = ASKED
        for run in worker.runs.values():
            # Counters of delays live in the kubelet's memory.
            run.delay_ms = run.due_ms = run.pull_delay_ms = 0
            run.must_restart, run.kill_reason = False, ""
            was_starting = run.stage == POST_START
            if run.process is None:
                run.stage = IDLE
            elif run.stage in (POST_START, PRE_STOP, STOPPING):
                # It is running, says the runtime; what was being done to it is done anew or not at all.
                run.stage, run.hook, run.waiting = RUNNING, None, None
            if run.process is not None and was_starting:
                run.started = run.container.startup_probe is None
        if worker.stage == TERMINATING:
            worker.stage = SYNCING
        else:
            self._resume_probes(worker, pod)
        worker.has_changed = worker.must_act = True
        self._host.begin_anew(worker, pod)
        parts.touch(worker)

    def _resume_probes(self, worker: PodWorker, pod: Pod) -> None:
        forgets = self._parts.context.features.get(RESTART_GATE, False)
        live = [run for run in worker.runs.values() if run.process is not None]
        if forgets and live:
            # Not ready until it is evaluated again (KUBELET-06).
            for run in live:
                run.ready = False
            pod = self._host.report(worker, pod)
        for run in live:
            self._prober.resume(worker, pod, run)

    # --- partition ------------------------------------------------------------------------------------

    def _hear(self, worker: PodWorker) -> None:
        heard = self._last_heard.pop(worker.uid, None)
        worker.has_changed = worker.must_act = True
        if heard is not None:
            self._host.hear(worker, heard)
        else:
            self._parts.touch(worker)

    def _take_new(self, agent: NodeAgent) -> None:
        """Pods bound while nobody listened."""
        store, workers = self._parts.store, self._host.workers
        bound = filter(None, map(store.pods.get, store.index.pods_by_node.get(agent.name, ())))
        for pod in sorted(bound, key=lambda one: (one.meta.creation_ms or 0, one.meta.uid)):
            if not (pod.meta.uid in workers or pod.is_finished or pod.is_mirror):
                self._host.take(pod)

    # --- save and load --------------------------------------------------------------------------------

    def save(self) -> list[Any]:
        """Plain data of what was last heard."""
        return [encode_pod(pod) for pod in self._last_heard.values()]

    def load(self, data: list[Any]) -> None:
        """Go on from what `save` described; the agents are restored before."""
        pods = map(decode_pod, data)
        self._last_heard = {pod.meta.uid: pod for pod in pods}
        self._parts.outages = sum(len(agent.outages) for agent in self._parts.agents.values())


def encode_pod(pod: Pod) -> list[Any]:
    """Plain data of a pod that the store does not hold as it is here."""
    return [encode(pod.replace(spec=None)), pod.spec.raw]


def decode_pod(data: list[Any]) -> Pod:
    """The pod that `encode_pod` described."""
    pod: Pod = decode(data[0]).replace(spec=PodSpec(data[1]))
    return pod
