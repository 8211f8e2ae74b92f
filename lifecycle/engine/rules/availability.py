"""Whether what a workload has available falls again and again, by the last ten minutes of its rows. Pure.

A status says how it is now: of one whose pods restart every three minutes mostly that all is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .verdict_words import tell_instant

WINDOW_MS = 600_000
"""So far back it is looked."""
AVAILABLE = ("availableReplicas", "numberAvailable")
"""What a workload's status calls its available pods."""
_SIZES = (
    "revision",
    "replicas",
    "updatedReplicas",
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "updatedNumberScheduled",
)
FIELDS = (*AVAILABLE, *_SIZES)
"""The fields whose rows tell."""
_AGAIN = 2


class Change(NamedTuple):
    """One change of one of these fields."""

    at_ms: int
    field: str
    old: Any
    new: Any


class Falls(NamedTuple):
    """How often fewer than all were available, and how few at worst."""

    count: int
    wanted: int
    fewest: int
    last_ms: int

    def tell(self) -> str:
        """`fewer than 2 were available 4 times in the last 10 minutes, 0 at worst, last at 00:12:00`"""
        often = f"fewer than {self.wanted} were available {self.count} times in the last 10 minutes"
        return f"{often}, {self.fewest} at worst, last at {tell_instant(self.last_ms)}"


def find_falls(changes: Iterable[Change], wanted: int, now_ms: int) -> Falls | None:
    """How often it fell, in order; None where it did not fall again.

    What came before its size or its revision changed is left out: a rollout may have fewer for a while.
    """
    began_ms: list[int] = []
    counts: list[int] = []
    for at_ms, field, old, new in changes:
        if at_ms < now_ms - WINDOW_MS:
            continue
        if field in _SIZES:
            began_ms, counts = [], []
        elif field in AVAILABLE and (new or 0) < wanted:
            counts.append(new or 0)
            if (old or 0) >= wanted:
                began_ms.append(at_ms)
    if len(began_ms) < _AGAIN:
        return None
    return Falls(len(began_ms), wanted, min(counts), began_ms[-1])
