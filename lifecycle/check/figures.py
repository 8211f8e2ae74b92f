"""Figures of many futures as ranges: least, middle, 95 of 100, most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lifecycle.check.life import ENDS, Figures, Future

SPREAD = ("min", "p50", "p95", "max")


def spread(values: Iterable[int]) -> dict[str, int]:
    """`{min, p50, p95, max}`, by nearest rank: each was seen in a future."""
    found = sorted(values)
    if not found:
        return dict.fromkeys(SPREAD, 0)
    return {
        "min": found[0],
        "p50": found[_rank(50, len(found))],
        "p95": found[_rank(95, len(found))],
        "max": found[-1],
    }


def _rank(percent: int, count: int) -> int:
    return max(-(-percent * count // 100) - 1, 0)


def worst_of(futures: Sequence[Future]) -> Figures:
    """Of several things that the same befell under one seed: the worst of each figure."""
    found = [one.figures for one in futures]
    times = [one.recovery_ms for one in found]
    return Figures(
        lost_ms=max(one.lost_ms for one in found),
        fewest_available=min(one.fewest_available for one in found),
        below_budget_ms=max(one.below_budget_ms for one in found),
        recovery_ms=None if None in times else max(one for one in times if one is not None),
        restarts=max(one.restarts for one in found),
    )


def sum_up(figures: Sequence[Figures]) -> dict[str, Any]:
    """The ranges of all figures, in the shape of the report. Seconds are rounded up: nothing looks like 0."""
    times = [one.recovery_ms for one in figures if one.recovery_ms is not None]
    return {
        "lostMs": spread(one.lost_ms for one in figures),
        "fewestAvailable": spread(one.fewest_available for one in figures),
        "belowBudgetSeconds": spread(-(-one.below_budget_ms // 1000) for one in figures),
        "recoverySeconds": spread(-(-one // 1000) for one in times),
        "restarts": spread(one.restarts for one in figures),
    }


def worst_end(futures: Iterable[Future]) -> str:
    """The worst of several ends."""
    return max((one.end for one in futures), key=ENDS.index, default=ENDS[0])
