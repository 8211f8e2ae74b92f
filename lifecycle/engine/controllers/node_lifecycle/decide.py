"""What is done with one node when it is looked at, and when its zone's turn has come."""

from __future__ import annotations

from collections.abc import Iterable

from ...objects.node import Node
from ...objects.pods.pod import Pod
from ...rules.actions import Action, RecordEvent, Update
from ...rules.nodes.health import (
    KEY_OF,
    NOT_READY_KEY,
    UNREACHABLE_KEY,
    mark_not_ready,
    mark_unknown,
    opposite,
    ready_status,
    with_taint,
    without_taint,
)

SOURCE = "node-controller"
_NOT_READY = "NodeNotReady"


def decide_lost(node: Node, pods: Iterable[Pod], now_ms: int) -> list[Action]:
    """Nothing is known of a node any more; if it was ready, none of its pods is (NODELOSS-03, -04)."""
    lost = mark_unknown(node, now_ms)
    if lost is node:
        return []
    actions: list[Action] = [Update(lost)]
    if ready_status(node) != "True":
        return actions
    text = f"Node {node.meta.name} status is now: {_NOT_READY}"
    actions.append(RecordEvent(lost, "Normal", _NOT_READY, text, SOURCE))
    for pod in pods:
        marked = mark_not_ready(pod, now_ms)
        if marked is not pod:
            actions.append(Update(marked))
            actions.append(RecordEvent(marked, "Warning", _NOT_READY, "Node is not ready", SOURCE))
    return actions


def decide_reachable(node: Node) -> list[Action]:
    """Neither of the taints of lost nodes drives pods away from a node that is well."""
    actions: list[Action] = []
    for key in (UNREACHABLE_KEY, NOT_READY_KEY):
        freed = without_taint(node, key)
        if freed is not node:
            actions.append(Update(freed))
            node = freed
    return actions


def decide_tainted(node: Node, now: str) -> list[Action]:
    """The taint that fits what the node says of itself, in the place of the other one; two writes."""
    key = KEY_OF.get(ready_status(node))
    if key is None:
        return []
    tainted = with_taint(node, key, now)
    freed = without_taint(tainted, opposite(key))
    return [
        *([Update(tainted)] if tainted is not node else ()),
        *([Update(freed)] if freed is not tainted else ()),
    ]


def decide_event(node: Node, reason: str, text: str) -> Action:
    """What is told when a node comes or goes."""
    return RecordEvent(node, "Normal", reason, f"Node {node.meta.name} event: {text}", SOURCE)
