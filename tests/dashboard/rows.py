"""Rows of the trace as the engine writes them, shortened to what a test says."""

from __future__ import annotations

from itertools import count
from typing import Any

Row = dict[str, Any]
_SEQ = count(1)


def transition(at_ms: int, field: str, new: Any, name: str = "web-1", **more: Any) -> Row:
    """A pod's transition; `kind`, `owner`, `reason`, `detail`… by name."""
    row = {
        "type": "transition",
        "seq": next(_SEQ),
        "at_ms": at_ms,
        "kind": "Pod",
        "namespace": "default",
        "name": name,
        "uid": f"uid-{name}",
        "owner": None,
        "field": field,
        "old": None,
        "new": new,
        "reason": None,
        "message": None,
        "cause": None,
        "detail": None,
        "group": "",
    }
    return row | more


def event(at_ms: int, reason: str, message: str, name: str = "web-1", **more: Any) -> Row:
    """An event about a pod."""
    row = {
        "type": "event",
        "seq": next(_SEQ),
        "at_ms": at_ms,
        "kind": "Pod",
        "namespace": "default",
        "name": name,
        "uid": f"uid-{name}",
        "fieldPath": None,
        "eventType": "Normal",
        "reason": reason,
        "message": message,
        "source": "kubelet",
        "count": 1,
        "first_ms": at_ms,
        "last_ms": at_ms,
        "eventId": "1",
        "cause": None,
        "detail": None,
        "group": "",
    }
    return row | more


def pod_life(name: str = "web-1", start_ms: int = 0, owner: str | None = None) -> list[Row]:
    """Created, scheduled 100 ms later, running at +2 s, ready at +5 s."""

    def at(offset_ms: int, field: str, new: Any, **more: Any) -> Row:
        return transition(start_ms + offset_ms, field, new, name, owner=owner, **more)

    return [
        at(0, "exists", "created"),
        at(0, "phase", "Pending"),
        at(0, "status", "Pending"),
        at(0, "state", "pending"),
        at(100, "node", "node-1"),
        at(100, "status", "ContainerCreating"),
        at(100, "state", "starting", old="pending", reason="ContainerCreating"),
        at(2000, "phase", "Running"),
        at(2000, "status", "Running"),
        at(2000, "state", "notReady", old="starting", reason="ContainersNotReady"),
        at(5000, "condition.Ready", "True"),
        at(5000, "ready", "1/1"),
        at(5000, "state", "ready", old="notReady"),
    ]
