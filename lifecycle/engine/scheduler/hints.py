"""Which changes may help a pod that no node took: it is tried again for these alone.

Models the queueing hints of the scheduler's plugins, by what was said to keep a pod from the nodes. A hint is
one word or several, and a key of the scheduler's queue. Left out: pods that are tried again because they
waited for five minutes.
"""

from __future__ import annotations

from ..objects.node import Node

ROOM, LABELS, TAINTS, CORDON = "room", "labels", "taints", "cordon"
CLAIM_CHANGED, VOLUME_CHANGED, CLASS_MADE = "claim", "volume", "class"
NODE, PORTS = "node", "ports"
# What the scheduler says of a pod that such a change may help.
_WORDS: dict[str, tuple[str, ...]] = {
    ROOM: ("Insufficient ", "Too many pods"),
    LABELS: ("node affinity/selector", "[NodeAffinity]"),
    TAINTS: ("untolerated taint",),
    CORDON: ("were unschedulable",),
    PORTS: ("free ports",),
    CLAIM_CHANGED: ("persistentvolumeclaim", "PersistentVolume", "persistent volumes", "pvc(s)"),
    VOLUME_CHANGED: ("persistent volumes to bind", "PersistentVolume's node affinity", "pvc(s)"),
    CLASS_MADE: ("unbound immediate", "persistent volumes to bind"),
    NODE: ("",),
}


def decide_hint(old: Node, new: Node) -> str:
    """Whom a changed node may help, "" for nobody: cordoned, tainted or made smaller it helps no pod."""
    hints = []
    if any(amount > old.status.allocatable.get(name, 0) for name, amount in new.status.allocatable.items()):
        hints.append(ROOM)
    if old.meta.labels != new.meta.labels:
        hints.append(LABELS)
    if any(taint not in new.spec.taints for taint in old.spec.taints):
        hints.append(TAINTS)
    if old.spec.unschedulable and not new.spec.unschedulable:
        hints.append(CORDON)
    return " ".join(hints)


def is_helped(hint: str, message: str) -> bool:
    """Whether a pod of which that was said may be helped."""
    return any(words in message for one in hint.split() for words in _WORDS[one])
