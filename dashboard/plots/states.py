"""A pod's `state` at every instant, from the facts its transitions carry.

The stored summary says only the latest state; a timeline needs all of them, in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# kubectl's STATUS of a pod whose container failed and is tried again.
CRASHING = {
    "CrashLoopBackOff",
    "Error",
    "OOMKilled",
    "ContainerStatusUnknown",
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "ErrImageNeverPull",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "StartError",
    "PostStartHookError",
}


# The transitions a state follows from.
FIELDS = ("exists", "node", "deletion", "phase", "ready", "status", "condition.Ready")


class Facts:
    """What is known of a pod after some transitions."""

    __slots__ = ("deleting", "is_ready", "message", "node", "phase", "ready", "reason", "status")

    def __init__(self) -> None:
        self.phase = "Pending"
        self.status = "Pending"
        self.ready: str | None = None
        self.node: str | None = None
        self.deleting = False
        self.is_ready = False
        self.reason: str | None = None
        self.message: str | None = None

    def feed(self, row: Mapping[str, Any]) -> None:
        field, new = row["field"], row["new"]
        if field in ("phase", "status", "node", "ready"):
            setattr(self, field, new)
        elif field == "deletion":
            self.deleting = True
        elif field == "condition.Ready":
            self.is_ready = new == "True"
        if row.get("reason") or row.get("message"):
            self.reason, self.message = row.get("reason"), row.get("message")

    def notes(self) -> tuple[str, ...]:
        """What a hover label adds to the state's name."""
        lines = [f"STATUS {self.status}" + (f" · READY {self.ready}" if self.ready else "")]
        if self.node:
            lines.append(f"on {self.node}")
        if self.reason or self.message:
            lines.append(": ".join(part for part in (self.reason, self.message) if part))
        return tuple(lines)


def state_of(facts: Facts) -> str:
    """One of the nine states; the first rule that applies."""
    if facts.status == "Unknown" or facts.phase == "Unknown":
        return "unknown"
    if facts.phase in ("Succeeded", "Failed"):
        return facts.phase.lower()
    if facts.deleting:
        return "terminating"
    if (facts.status or "").rpartition(":")[2] in CRASHING:
        return "crashing"
    if facts.phase == "Pending":
        return "starting" if facts.node else "pending"
    return "ready" if facts.is_ready else "notReady"
