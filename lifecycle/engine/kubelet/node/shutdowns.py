"""Machines that are shut down while their kubelets can still do something about it.

The node says that it is not ready and takes no more pods; these end group by group; then the machine stops.
"""

from __future__ import annotations

from collections.abc import Callable

from ...heart.agenda import Timer
from ...objects.node import NODE_KIND, Node
from ...objects.pods.pod import POD_KIND, Pod
from ...rules.nodes.shutdown import (
    EVENT,
    EVENT_TEXT,
    TERMINATED,
    TERMINATED_TEXT,
    Group,
    decide_grace_seconds,
    group_pods,
    read_groups,
)
from ...store.audience import Useless
from ..parts import Parts
from ..state.node_agent import KUBELET, NodeAgent, Shutdown
from ..state.normal_events import tell_normal
from ..state.worker import SYNCING, TERMINATING, PodWorker
from ..state.worker import TERMINATED as ENDED
from .node_reporter import NodeReporter

GROUP_OVER = "kubelet.shutdownGroupOver"
SYNC = "nodeShutdown"


class Shutdowns:
    """All kubelets' shutdown managers. Keys are names of nodes a pod of which may have ended."""

    __slots__ = ("_go_down", "_node_reporter", "_parts")

    def __init__(
        self,
        parts: Parts,
        node_reporter: NodeReporter,
        go_down: Callable[[NodeAgent, int | None], None],
    ) -> None:
        """`go_down` switches a machine off, for so many ms or for ever."""
        self._parts = parts
        self._node_reporter = node_reporter
        self._go_down = go_down
        parts.context.loop.on_timer(GROUP_OVER, self._on_over)
        parts.context.loop.register(SYNC, self._sync)
        parts.store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS, is_asleep=True)

    def restore(self) -> None:
        """Where a machine is being shut down, be told of pods."""
        if any(agent.shutdown is not None for agent in self._parts.agents.values()):
            self._parts.store.wake(self._on_pod)

    def begin(self, agent: NodeAgent, for_ms: int | None) -> None:
        """The machine is to be off for so long, or for ever. Without a time for its pods it is at once."""
        if agent.shutdown is not None:
            return
        if KUBELET in agent.outages or not read_groups(agent.configuration):
            self._go_down(agent, for_ms)
            return
        agent.shutdown = Shutdown(for_ms)
        self.restore()
        node = self._parts.store.get(NODE_KIND.id, "", agent.name)
        if isinstance(node, Node):
            tell_normal(self._parts.trace, agent, node.subject, EVENT, EVENT_TEXT)
            self._node_reporter.report_now(agent)
        self._next(agent)

    def _next(self, agent: NodeAgent) -> None:
        """The next group's turn; after the last the machine is off. Where nobody is, nobody is waited for."""
        state = agent.shutdown
        assert state is not None, agent.name
        while True:
            state.step += 1
            groups = self._group(agent)
            if state.step >= len(groups):
                agent.shutdown = None
                self._go_down(agent, state.for_ms)
                return
            if groups[state.step].pods:
                break
        group = groups[state.step]
        state.waiting = [pod.kubelet_uid for pod in group.pods]
        for pod in group.pods:
            self._stop(pod, group)
        state.timer = self._parts.context.later(group.seconds * 1000, GROUP_OVER, agent.name)

    def _group(self, agent: NodeAgent) -> list[Group]:
        """The pods that are there now, those that end by themselves or were deleted too."""
        pod_manager = self._parts.pod_manager
        live = [one for one in pod_manager.workers_on(agent.name) if one.stage in (SYNCING, TERMINATING)]
        return group_pods(read_groups(agent.configuration), [pod_manager.known(one.uid) for one in live])

    def _stop(self, pod: Pod, group: Group) -> None:
        worker = self._parts.pod_manager.workers[pod.kubelet_uid]
        if worker.stage != SYNCING or worker.stop_reason:
            return
        worker.evicted = (TERMINATED, TERMINATED_TEXT, decide_grace_seconds(group, pod))
        worker.stop_reason = TERMINATED
        self._parts.touch(worker)

    # --- waiting for a group ------------------------------------------------------------------------------

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None, "a write has an old or a new object"
        agent = self._parts.agents.get(pod.node_name)
        if agent is not None and agent.shutdown is not None:
            self._parts.context.loop.enqueue(SYNC, "", agent.name)

    def _sync(self, _namespace: str, name: str) -> None:
        agent = self._parts.agents[name]
        state = agent.shutdown
        if state is None or any(map(self._is_waited_for, state.waiting)):
            return
        if state.timer is not None:
            self._parts.context.agenda.cancel(state.timer)
        self._next(agent)

    def _is_waited_for(self, uid: str) -> bool:
        worker: PodWorker | None = self._parts.pod_manager.workers.get(uid)
        return worker is not None and worker.stage != ENDED

    def _on_over(self, timer: Timer) -> None:
        """A group has had its time; the next one's has come, whoever is still there."""
        agent = self._parts.agents[timer.target]
        if agent.shutdown is not None and agent.shutdown.timer == timer.sequence:
            agent.shutdown.timer = None
            self._next(agent)
