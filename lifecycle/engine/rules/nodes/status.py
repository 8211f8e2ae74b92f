"""What a kubelet says of its node, and when it said so last. Pure.

A kubelet reports its node's status when something in it has changed, and every five minutes. Nobody writes
the latter down: heartbeats are worked out when somebody reads a node, or the lease of one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...objects.condition import Condition, find_condition, with_condition
from ...objects.lease import last_renewal_ms, renewed, silent_since_ms
from ...objects.meta import StoredObject
from ...objects.times import format_time
from .eviction import NODE_WORDS

READY = "Ready"
KUBELET_READY, READY_TEXT = "KubeletReady", "kubelet is posting ready status"
KUBELET_NOT_READY, SHUTDOWN_TEXT = "KubeletNotReady", "node is shutting down"
REPORT_MS = 300_000
"""How often a kubelet reports a status in which nothing has changed (nodeStatusReportFrequency)."""
_OWN = (*(words.condition for words in NODE_WORDS.values()), READY)
"""The conditions that are the kubelet's."""

Conditions = tuple[Condition, ...]


def tell_pressures(
    conditions: Conditions, short_of: Collection[str], now_ms: int
) -> tuple[Conditions, list[str]]:
    """The conditions as a kubelet that is short of these resources tells them, and its events' reasons."""
    told: list[str] = []
    for resource, words in NODE_WORDS.items():
        before, is_short = find_condition(conditions, words.condition), resource in short_of
        status = "True" if is_short else "False"
        if status == (before.status if before is not None else "False"):
            continue
        reason, text = (words.reason, words.text) if is_short else (words.ok_reason, words.ok_text)
        conditions = with_condition(conditions, Condition(words.condition, status, reason, text, now_ms))
        told.append(words.event if is_short else words.ok_event)
    return conditions, told


def tell_ready(conditions: Conditions, is_shutting_down: bool, now_ms: int) -> tuple[Conditions, list[str]]:
    """The conditions with what a kubelet says of itself, and the reason of its event if that is news.

    A node whose own manifest says that it is not ready stays so: what it waits for is not modelled.
    """
    before = find_condition(conditions, READY)
    status = "False" if is_shutting_down else "True"
    is_foreign = before is not None and before.status == "False" and before.message != SHUTDOWN_TEXT
    if before is not None and (before.status == status or is_foreign):
        return conditions, []
    reason, text = (KUBELET_NOT_READY, SHUTDOWN_TEXT) if is_shutting_down else (KUBELET_READY, READY_TEXT)
    return with_condition(conditions, Condition(READY, status, reason, text, now_ms)), [
        f"Node{_not(status)}Ready"
    ]


def tell_cordon(is_cordoned: bool, is_unschedulable: bool) -> list[str]:
    """The reason of its event where a Node was cordoned, or no longer is, since the kubelet saw it last.

    See recordNodeSchedulableEvent, kubelet_node_status.go.
    """
    if is_cordoned == is_unschedulable:
        return []
    return ["NodeNotSchedulable" if is_unschedulable else "NodeSchedulable"]


def _not(status: str) -> str:
    return "" if status == "True" else "Not"


def first_conditions(now: str) -> list[dict[str, Any]]:
    """What a kubelet says first of a node that is well, as JSON."""
    well = [(words.condition, "False", words.ok_reason, words.ok_text) for words in NODE_WORDS.values()]
    return [
        {"type": type_, "status": status, "reason": reason, "message": text, "lastTransitionTime": now}
        for type_, status, reason, text in (*well, (READY, "True", KUBELET_READY, READY_TEXT))
    ]


def show_lease(lease: StoredObject, now_ms: int, epoch_ms: int) -> StoredObject:
    """A node's lease as it reads at an instant."""
    if silent_since_ms(lease, epoch_ms) is not None:
        return lease
    return renewed(lease, last_renewal_ms(lease, now_ms), epoch_ms)


def show_node(node: StoredObject, lease: StoredObject | None, now_ms: int, epoch_ms: int) -> dict[str, Any]:
    """A node's JSON as it reads at an instant: with when its kubelet said last what it says."""
    data, created_ms = node.to_json(epoch_ms), node.meta.creation_ms or 0
    silent_ms = silent_since_ms(lease, epoch_ms)
    heard_ms = now_ms if silent_ms is None else min(silent_ms, now_ms)
    last_ms = max(heard_ms - (heard_ms - created_ms) % REPORT_MS, created_ms)
    status = dict(data.get("status") or {})
    status["conditions"] = [
        _with_heartbeat(one, format_time(last_ms, epoch_ms), silent_ms is not None)
        for one in status.get("conditions") or ()
    ]
    return {**data, "status": status}


def _with_heartbeat(condition: dict[str, Any], at: str, is_silent: bool) -> dict[str, Any]:
    is_unknown = condition.get("status") == "Unknown"
    # Of a kubelet that was given up it has to be known when it fell silent.
    if condition.get("type") not in _OWN or (is_unknown and not is_silent):
        return condition
    if not is_unknown:
        # A change is told at once, and is a heartbeat too.
        at = max(at, condition.get("lastTransitionTime") or "")
    return {**condition, "lastHeartbeatTime": at}
