"""The kubelets of all nodes, and the behaviour profiles that all of them read.

A kubelet goes on running when its Node object is deleted, and may register the node again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...heart.saved import fill_in, map_of, part_of
from ...objects.meta import StoredObject
from ...objects.node import Node, find_kubelet_version
from ...programs import read_profile
from ...rules.defaults.nodes import find_internal_address
from ...rules.pods.backoff import decide_limits
from ...rules.pods.image_names import full_name
from ..eviction.evictor import Evictor
from ..parts import Parts
from ..state.node_agent import API_SERVER, KubeletRules, NodeAgent, make_address

_MOST_ADDRESSES = 8192
NEW_MACHINE = "newMachine"
"""Keys are names of nodes whose machines were taken away, and that are there again."""


class NodeAgents:
    """Keeps `parts.agents` and `parts.profiles` up with the store."""

    __slots__ = ("_count", "_evictor", "_parts")

    def __init__(self, parts: Parts, evictor: Evictor) -> None:
        self._parts = parts
        self._evictor = evictor
        self._count = 0
        parts.context.find_machine_address = self._find_address
        parts.store.listen("Node", self._on_node)
        parts.store.listen("ContainerProfile", self._on_profile)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        agents = self._parts.agents
        if not isinstance(new, Node):
            return
        if new.meta.name not in agents:
            agents[new.meta.name] = self._make(new.meta.name)
            return
        if old is not None and find_kubelet_version(old) != find_kubelet_version(new):
            self._follow_version(agents[new.meta.name], new)
        if agents[new.meta.name].is_removed:
            self._parts.context.loop.enqueue(NEW_MACHINE, "", new.meta.name)
        elif old is None:
            # Its Node was deleted and is there again: the kubelet tells it what it sees.
            self._evictor.synchronize(new.meta.name)

    def _make(self, node: str) -> NodeAgent:
        context = self._parts.context
        configuration: Mapping[str, Any] | None = None
        for entry in context.settings.kubelet:
            selected = ((entry.get("metadata") or {}).get("labels") or {}).get("podline.dev/node")
            if selected in (None, node):
                configuration = entry
        self._count += 1
        last_ms = max(self._parts.relist_period_ms - 1, 0)
        phase_ms = context.chance.draw_ms("kubelet_look", node, 0, last_ms)
        stored = self._parts.store.get("Node", "", node)
        gates, switches = context.settings.of_kubelet(find_kubelet_version(stored))
        rules = KubeletRules.read(gates, switches, self._parts.relist_period_ms > 0)
        agent = NodeAgent(node, self._count, phase_ms, gates, rules, configuration)
        if isinstance(stored, Node):
            agent.host_ip = find_internal_address(stored.status.raw) or agent.host_ip
        return agent

    def _follow_version(self, agent: NodeAgent, node: Node) -> None:
        """Its kubelet is of another release now."""
        gates, switches = self._parts.context.settings.of_kubelet(find_kubelet_version(node))
        agent.rules = KubeletRules.read(gates, switches, self._parts.relist_period_ms > 0)
        agent.back_off = decide_limits(gates, agent.configuration)

    def _find_address(self, node: str) -> str:
        known = self._parts.agents.get(node)
        return make_address(self._count + 1) if known is None or known.is_removed else known.host_ip

    def _on_profile(self, old: StoredObject | None, new: StoredObject | None) -> None:
        parts = self._parts
        parts.profiles = tuple(read_profile(obj.to_json())[0] for obj in parts.store.list("ContainerProfile"))
        parts.has_profiles += 1

    def save(self) -> dict[str, Any]:
        """Plain data of every node."""
        agents = {name: agent.save() for name, agent in self._parts.agents.items()}
        return {"count": self._count, "agents": agents}

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from what `save` described; the store is restored before."""
        parts = self._parts
        for name, entry in data["agents"].items():
            # Its number gives its addresses, so it keeps the one it had.
            self._count = entry["number"] - 1
            parts.agents[name] = agent = self._make(name)
            agent.load(entry)
        self._count = data["count"]
        if parts.store.count("ContainerProfile"):
            self._on_profile(None, None)

    def take_up(self, saved: Any, is_waiting: Callable[[Any], bool]) -> None:
        """Go on from what another engine saved; of what cannot be read a node is as the store shows it.

        `is_waiting` says whether a timer of that number waits: an outage whose timer is lost is over.
        """
        for name, entry in map_of(saved, "agents").items():
            number = part_of(entry, "number")
            if isinstance(number, int):
                self._count = number - 1
            self._parts.agents[name] = agent = self._make(name)
            try:
                agent.load(fill_in(entry, agent.save(), f"node {name}"))
                agent.outages = {
                    kind: timer
                    for kind, timer in agent.outages.items()
                    # With another engine the API server is there again.
                    if kind != API_SERVER and (timer is None or is_waiting(timer))
                }
                if agent.shutdown is not None and not is_waiting(agent.shutdown.timer):
                    agent.shutdown = None
                if agent.pressure is not None and not all(map(is_waiting, agent.pressure.timers())):
                    agent.pressure = None
            except Exception:
                self._count = agent.number - 1
                self._parts.agents[name] = self._make(name)
        self._count = max([0, *(agent.number for agent in self._parts.agents.values())])
        for node in self._parts.store.list("Node"):
            if node.meta.name not in self._parts.agents:
                self._on_node(None, node)
        for agent in self._parts.agents.values():
            self._learn(agent)
        if self._parts.store.count("ContainerProfile"):
            self._on_profile(None, None)

    def _learn(self, agent: NodeAgent) -> None:
        """Give no address again that a pod has, and pull no image that a container was started from."""
        store = self._parts.store
        found = map(store.pods.get, store.index.pods_by_node.get(agent.name, ()))
        pods = [pod for pod in found if pod is not None]
        taken = {pod.status.pod_ip for pod in pods} - {"", agent.host_ip}
        if agent.last_address == 0:
            for _ in range(_MOST_ADDRESSES):
                if not taken:
                    break
                taken.discard(agent.next_address())
        for pod in pods:
            for status in (*pod.status.init_containers, *pod.status.containers):
                if status.container_id:
                    agent.images[full_name(status.image)] = None
