"""A budget's picture: how many pods were healthy, how many had to be, how many could go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dashboard.plots.autoscaled import make_line, make_steps
from dashboard.plots.spans import line_key

Row = Mapping[str, Any]
MOST_MOMENTS = 2000
_FIELDS = {
    "disruptionsAllowed": "allowed",
    "currentHealthy": "healthy",
    "desiredHealthy": "desired",
    "expectedPods": "expected",
}


@dataclass(frozen=True, slots=True)
class Sum:
    """From `at_ms` on: what the budget's status says."""

    at_ms: int
    allowed: int = 0
    healthy: int = 0
    desired: int = 0
    expected: int = 0


class Sums:
    """A budget's sums as they followed one another."""

    def __init__(self) -> None:
        self.moments: list[Sum] = []

    def feed(self, row: Row) -> None:
        """Take its next transition."""
        at_ms, field = row["at_ms"], _FIELDS.get(row["field"])
        if row["field"] == "exists" and row["new"] == "created":
            self.moments = [Sum(at_ms)]
        elif field is not None:
            last = self.moments[-1] if self.moments else Sum(at_ms)
            if self.moments and last.at_ms == at_ms:
                self.moments.pop()
            self.moments.append(replace(last, at_ms=at_ms, **{field: row["new"] or 0}))
            del self.moments[:-MOST_MOMENTS]


def make_sums(sums: Sums, now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """Healthy pods above the line they may not fall below, and the evictions that are allowed."""
    held = sums.moments
    lines = [
        ("healthy", "ready", 3.0, "solid", lambda one: one.healthy),
        ("needed", "crashing", 1.5, "dash", lambda one: one.desired),
        ("expected", "notReady", 1.5, "dot", lambda one: one.expected),
        ("allowed", "starting", 2.5, "solid", lambda one: one.allowed),
    ]
    data = [
        make_line(name, tone, width, dash, held, value, now_ms) for name, tone, width, dash, value in lines
    ]
    rows = [line_key(*line[:4]) for line in lines]
    return make_steps(data, rows, held, now_ms, window_ms)
