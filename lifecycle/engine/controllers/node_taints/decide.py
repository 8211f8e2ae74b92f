"""The taints that a node's conditions and its cordon ask for, and the labels of old beside today's."""

from __future__ import annotations

from ...objects.condition import find_condition
from ...objects.node import Node, NodeSpec
from ...rules.actions import Action, Update
from ...rules.nodes.health import KEY_OF, ready_status
from ...rules.placement.node_filters import UNSCHEDULABLE_TAINT

NO_SCHEDULE = "NoSchedule"
TAINTS = {
    "MemoryPressure": "node.kubernetes.io/memory-pressure",
    "DiskPressure": "node.kubernetes.io/disk-pressure",
    "PIDPressure": "node.kubernetes.io/pid-pressure",
    "NetworkUnavailable": "node.kubernetes.io/network-unavailable",
}
LABELS_OF_OLD = {name: f"beta.{name}" for name in ("kubernetes.io/os", "kubernetes.io/arch")}
_KEYS = frozenset((*TAINTS.values(), *KEY_OF.values(), UNSCHEDULABLE_TAINT.key))


def decide_taints(node: Node, now: str) -> list[Action]:
    """Bring the taints of conditions and cordon in line with these; those of others stay as they are."""
    wanted = []
    for type_, key in TAINTS.items():
        condition = find_condition(node.status.conditions, type_)
        if condition is not None and condition.status == "True":
            wanted.append(key)
    if ready_status(node) in KEY_OF:
        wanted.append(KEY_OF[ready_status(node)])
    if node.spec.unschedulable:
        wanted.append(UNSCHEDULABLE_TAINT.key)
    raw = node.spec.raw.get("taints") or ()
    found = [
        entry["key"] for entry in raw if entry.get("key") in _KEYS and entry.get("effect") == NO_SCHEDULE
    ]
    if sorted(wanted) == sorted(found):
        return []
    kept = [
        entry
        for entry in raw
        if entry.get("effect") != NO_SCHEDULE or entry.get("key") not in _KEYS or entry["key"] in wanted
    ]
    new = [{"key": key, "effect": NO_SCHEDULE, "timeAdded": now} for key in wanted if key not in found]
    spec = {name: value for name, value in node.spec.raw.items() if name != "taints"}
    taints = [*kept, *new]
    return [Update(node.replace(spec=NodeSpec({**spec, "taints": taints} if taints else spec)))]


def decide_labels(node: Node) -> list[Action]:
    """Have the labels of old say what today's say; where these are missing, nothing is known."""
    labels = node.meta.labels
    wanted = {old: labels[new] for new, old in LABELS_OF_OLD.items() if new in labels}
    if all(labels.get(name) == value for name, value in wanted.items()):
        return []
    return [Update(node.replace(meta=node.meta.replace(labels={**labels, **wanted})))]
