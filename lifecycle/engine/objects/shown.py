"""What people see of a pod, as its rows tell it."""

from __future__ import annotations

from typing import NamedTuple


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
