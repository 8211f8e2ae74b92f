"""The nodes' kubelets as they come, and the behaviour profiles all of them read.

A kubelet goes on when its Node object is deleted: the machine runs, and may be registered anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.node import Node
from ...programs import read_profile
from ..parts import Parts
from .node_agent import NodeAgent


class NodeAgents:
    """Keeps `parts.agents` and `parts.profiles` up with the store."""

    __slots__ = ("_count", "_parts")

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._count = 0
        parts.store.listen("Node", self._on_node)
        parts.store.listen("ContainerProfile", self._on_profile)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        agents = self._parts.agents
        if not isinstance(new, Node):
            return
        if new.meta.name not in agents:
            agents[new.meta.name] = self._make(new.meta.name)
        elif old is None:
            # Its Node was deleted and is there again: the kubelet tells it what it sees.
            self._parts.check_pressure(new.meta.name)

    def _make(self, node: str) -> NodeAgent:
        context = self._parts.context
        configuration: Mapping[str, Any] | None = None
        for entry in context.settings.kubelet:
            selected = ((entry.get("metadata") or {}).get("labels") or {}).get("podline.dev/node")
            if selected in (None, node):
                configuration = entry
        self._count += 1
        return NodeAgent(node, self._count, context.features, configuration)

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
