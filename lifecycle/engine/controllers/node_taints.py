"""Taints that follow a node's conditions, so that the scheduler sends no pods where they cannot cope.

Models the part of the node lifecycle controller that taints nodes by condition, for pressures and a missing
network. Left out: taints of nodes that are not ready, which come with evictions, and of cordoned ones.
"""

from __future__ import annotations

from collections.abc import Callable

from ..api.context import Context
from ..objects.condition import find_condition
from ..objects.meta import StoredObject
from ..objects.node import Node, NodeSpec
from ..objects.times import format_time
from ..rules.actions import Action, Update

Act = Callable[[Action], None]

NO_SCHEDULE = "NoSchedule"
TAINTS = {
    "MemoryPressure": "node.kubernetes.io/memory-pressure",
    "DiskPressure": "node.kubernetes.io/disk-pressure",
    "PIDPressure": "node.kubernetes.io/pid-pressure",
    "NetworkUnavailable": "node.kubernetes.io/network-unavailable",
}


def decide_taints(node: Node, now: str) -> Action | None:
    """Bring the taints of conditions in line with the conditions; those of others stay as they are."""
    wanted = []
    for type_, key in TAINTS.items():
        condition = find_condition(node.status.conditions, type_)
        if condition is not None and condition.status == "True":
            wanted.append(key)
    keys = TAINTS.values()
    raw = node.spec.raw.get("taints") or ()
    found = [entry["key"] for entry in raw if entry.get("key") in keys and entry.get("effect") == NO_SCHEDULE]
    if sorted(wanted) == sorted(found):
        return None
    kept = [
        entry
        for entry in raw
        if entry.get("effect") != NO_SCHEDULE or entry.get("key") not in keys or entry["key"] in wanted
    ]
    new = [{"key": key, "effect": NO_SCHEDULE, "timeAdded": now} for key in wanted if key not in found]
    spec = {name: value for name, value in node.spec.raw.items() if name != "taints"}
    taints = [*kept, *new]
    return Update(node.replace(spec=NodeSpec({**spec, "taints": taints} if taints else spec)))


class NodeTaintController:
    """Keys are names of nodes whose conditions or taints changed, whoever changed them."""

    name = "nodeTaints"

    def __init__(self, context: Context, act: Act) -> None:
        self._context = context
        self._act = act
        context.loop.register(self.name, self.sync)
        context.store.listen("Node", self._on_node)

    def restore(self) -> None:
        """Nothing is derived."""

    def _on_node(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not isinstance(new, Node):
            return
        if isinstance(old, Node) and (old.status.conditions, old.spec) == (new.status.conditions, new.spec):
            return
        if new.spec.taints or any(find_condition(new.status.conditions, type_) for type_ in TAINTS):
            self._context.loop.enqueue(self.name, "", new.meta.name)

    def sync(self, _namespace: str, name: str) -> None:
        """Look at one node."""
        node = self._context.store.get("Node", "", name)
        if isinstance(node, Node):
            action = decide_taints(
                node, format_time(self._context.clock.now_ms, self._context.clock.epoch_ms)
            )
            if action is not None:
                self._act(action)
