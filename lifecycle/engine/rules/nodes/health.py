"""Nodes that are lost: what is said of them then, and how fast their pods may be driven away. Pure.

Models Kubernetes' node lifecycle controller. A node whose kubelet has not been heard of for the grace period
is of unknown state, and gets taints: one that keeps new pods away at once, and one that drives pods away when
its zone's turn comes. A zone is as large a part of the cluster as fails together: the more of it is lost, the
likelier it is that nothing but the network is, and the slower pods are driven away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.condition import Condition, find_condition, with_condition
from ...objects.names import OLD_REGION, OLD_ZONE, REGION, ZONE
from ...objects.node import Node, NodeSpec
from ...objects.pods.pod import Pod
from .eviction import NODE_WORDS
from .taint_evictions import NO_EXECUTE

READY = "Ready"
NOT_READY_KEY, UNREACHABLE_KEY = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
KEY_OF = {"False": NOT_READY_KEY, "Unknown": UNREACHABLE_KEY}
"""The key of the taints of a node by what its condition Ready says."""
_OPPOSITE = {NOT_READY_KEY: UNREACHABLE_KEY, UNREACHABLE_KEY: NOT_READY_KEY}
_LOST = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
_NEVER = ("NodeStatusNeverUpdated", "Kubelet never posted node status.")
_EXCLUDED = "node.kubernetes.io/exclude-disruption"
_REGION = (REGION, OLD_REGION)
_ZONE = (ZONE, OLD_ZONE)

# --- one node ---------------------------------------------------------------------------------------------


def ready_status(node: Node) -> str:
    """What its condition Ready says: True, False or Unknown; "" without one."""
    ready = find_condition(node.status.conditions, READY)
    return ready.status if ready is not None else ""


def mark_unknown(node: Node, now_ms: int) -> Node:
    """The node, of which nothing has been heard; itself when that was said before."""
    conditions = node.status.conditions
    for type_ in (READY, *(words.condition for words in NODE_WORDS.values())):
        known = find_condition(conditions, type_)
        if known is None or known.status != "Unknown":
            said = _NEVER if known is None else _LOST
            conditions = with_condition(conditions, Condition(type_, "Unknown", *said, now_ms))
    if conditions is node.status.conditions:
        return node
    return node.replace(status=node.status.replace(conditions=conditions))


def mark_not_ready(pod: Pod, now_ms: int) -> Pod:
    """The pod, which nobody can say to be ready; itself when it is not. All else stays (NODELOSS-04)."""
    ready = pod.ready_condition
    if ready is None or ready.status == "False":
        return pod
    told = ready.replace(status="False", last_transition_ms=now_ms)
    return pod.with_status(pod.status.replace(conditions=with_condition(pod.status.conditions, told)))


def drives_away(node: Node) -> bool:
    """Whether the node has the taint that its condition Ready asks for."""
    return has_taint(node, KEY_OF.get(ready_status(node), ""))


def has_taint(node: Node, key: str) -> bool:
    """Whether the node has a taint of that key with the effect NoExecute."""
    return any(taint.key == key and taint.effect == NO_EXECUTE for taint in node.spec.taints)


def with_taint(node: Node, key: str, now: str) -> Node:
    """The node with the taint of that key that drives pods away; itself when it has it."""
    if has_taint(node, key):
        return node
    taint = {"key": key, "effect": NO_EXECUTE, "timeAdded": now}
    return _with_taints(node, [*(node.spec.raw.get("taints") or ()), taint])


def without_taint(node: Node, key: str) -> Node:
    """The node without it; itself when it has none."""
    raw = node.spec.raw.get("taints") or ()
    kept = [one for one in raw if (one.get("key"), one.get("effect")) != (key, NO_EXECUTE)]
    return node if len(kept) == len(raw) else _with_taints(node, kept)


def opposite(key: str) -> str:
    """The key of the taint that gives way to one of that key."""
    return _OPPOSITE[key]


def _with_taints(node: Node, taints: list[Any]) -> Node:
    spec = {name: value for name, value in node.spec.raw.items() if name != "taints"}
    return node.replace(spec=NodeSpec({**spec, "taints": taints} if taints else spec))


# --- zones ------------------------------------------------------------------------------------------------

INITIAL, NORMAL, PARTIAL, FULL = "Initial", "Normal", "PartialDisruption", "FullDisruption"


def zone_of(node: Node) -> str:
    """Region and zone of a node in a word, "" where it says neither."""
    labels = node.meta.labels
    region, zone = (next((labels[key] for key in keys if labels.get(key)), "") for keys in (_REGION, _ZONE))
    return f"{region}:{zone}" if region or zone else ""


def is_counted(node: Node) -> bool:
    """Whether a node counts when its zone is judged."""
    return _EXCLUDED not in node.meta.labels


def decide_zone_state(ready: int, not_ready: int, threshold: float) -> str:
    """How much of a zone is lost: all; at least the threshold, and more than two nodes; or less."""
    if not ready and not_ready:
        return FULL
    if not_ready > 2 and not_ready / (ready + not_ready) >= threshold:
        return PARTIAL
    return NORMAL


@dataclass(frozen=True, slots=True)
class Rates:
    """How many nodes a second are tainted in a zone: usually; in a large one that is disrupted in part."""

    usual: float = 0.1
    secondary: float = 0.01
    large: int = 50

    def of(self, state: str, size: int) -> float:
        """The rate in a zone of so many nodes. A zone that is lost as a whole is emptied like any other."""
        if state == PARTIAL:
            return self.secondary if size > self.large else 0.0
        return self.usual


@dataclass(frozen=True, slots=True)
class Limiter:
    """A token bucket that holds one: the next is there at `free_ms`, at a rate of 0 never."""

    rate: float
    free_ms: int = 0

    def is_free(self, now_ms: int) -> bool:
        """Whether there is a token."""
        return self.rate > 0 and self.free_ms <= now_ms

    def take(self, now_ms: int) -> Limiter:
        """The bucket without its token."""
        return Limiter(self.rate, now_ms + round(1000 / self.rate))

    def swap(self, rate: float, now_ms: int) -> Limiter:
        """The bucket at another rate: it is full as a new one if this one was, else empty."""
        if rate == self.rate:
            return self
        new = Limiter(rate, now_ms)
        return new if rate <= 0 or self.is_free(now_ms) else new.take(now_ms)


@dataclass(frozen=True, slots=True)
class Disruption:
    """What becomes of evictions: all stop, stand still or resume; else each zone goes at its own pace."""

    stops: bool = False
    stands_still: bool = False
    resumes: bool = False


def decide_disruption(before: Mapping[str, str], now: Mapping[str, str]) -> Disruption:
    """What the zones' new states lead to. Where no node is ready, it is the controller that is cut off."""
    all_lost = bool(now) and all(state == FULL for state in now.values())
    all_were = bool(before) and all(before.get(zone, INITIAL) == FULL for zone in now)
    return Disruption(all_lost and not all_were, all_lost and all_were, all_were and not all_lost)
