"""What people see of a pod, as its rows tell it."""

from __future__ import annotations

from lifecycle.lean_tuples import NamedTuple

STATE_WORDS = {
    "pending": "Pending",
    "starting": "Starting",
    "ready": "Ready",
    "notReady": "Not ready",
    "stuck": "Stuck",
    "crashing": "Crashing",
    "terminating": "Terminating",
    "succeeded": "Succeeded",
    "failed": "Failed",
    "unknown": "Unknown",
}
"""Each `state` as people read it: in verdicts, legends and filters the same."""


class State(NamedTuple):
    """A pod's `state`; `reason` and `message` say why it is not ready."""

    name: str
    reason: str | None = None
    message: str | None = None


class Shown(NamedTuple):
    """READY, STATUS and `state`."""

    ready: str
    status: str
    state: State
