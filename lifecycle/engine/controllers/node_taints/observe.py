"""Seeing nodes whose conditions, taints, cordon or labels have changed."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.node import Node
from ...objects.times import format_time
from ..act import Act
from .decide import decide_labels, decide_taints


class NodeTaintController:
    """Keys are names of nodes whose conditions or taints changed, whoever changed them."""

    name, kind, source = "nodeTaints", "Node", "node-controller"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._act = act
        context.loop.register(self.name, self.sync, "condition_taint")
        context.store.listen("Node", self._on_node)

    def restore(self) -> None:
        """Nothing is derived."""

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            return
        if isinstance(old, Node) and _about(old) == _about(new):
            return
        self._context.loop.enqueue(self.name, "", new.meta.name)

    def find(self, namespace: str, name: str) -> StoredObject | None:
        """The node of that name."""
        return self._context.store.get(self.kind, "", name)

    def sync(self, _namespace: str, name: str) -> None:
        """Look at one node."""
        node, clock = self.find("", name), self._context.clock
        if isinstance(node, Node):
            for action in decide_taints(node, format_time(clock.now_ms, clock.epoch_ms)):
                self._act(action)
        node = self.find("", name)
        if isinstance(node, Node):
            for action in decide_labels(node):
                self._act(action)


def _about(node: Node) -> tuple[object, ...]:
    return node.status.conditions, node.spec, node.meta.labels
