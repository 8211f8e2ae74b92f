"""Seeing nodes whose conditions, taints, cordon or labels have changed."""

from __future__ import annotations

from ...api.context import Context
from ...objects.meta import StoredObject
from ...objects.node import Node
from ...objects.times import format_time
from ..act import Act
from ..loop_controller import LoopController
from .decide import decide_labels, decide_taints


class NodeTaintController(LoopController):
    """Keys are names of nodes whose conditions or taints changed, whoever changed them."""

    name, kind, source = "nodeTaints", "Node", "node-controller"
    gathers = "condition_taint"

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        context.store.listen("Node", self._on_node)

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            return
        if isinstance(old, Node) and _about(old) == _about(new):
            return
        self._context.loop.enqueue(self.name, "", new.meta.name)

    def sync(self, _namespace: str, name: str) -> None:
        """Look at one node."""
        node, clock = self.find("", name), self._context.clock
        if isinstance(node, Node):
            self._do(decide_taints(node, format_time(clock.now_ms, clock.epoch_ms)))
        node = self.find("", name)
        if isinstance(node, Node):
            self._do(decide_labels(node))


def _about(node: Node) -> tuple[object, ...]:
    return node.status.conditions, node.spec, node.meta.labels
