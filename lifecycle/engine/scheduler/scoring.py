"""The scores of the default profile that nodes of one line share, and what they come to with their weights.

Each is 0 to 100 over the nodes that fit: TaintToleration counts three times, NodeAffinity, PodTopologySpread
and InterPodAffinity twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..rules.placement.terms import Constraint
from .pod_topology import Amounts, Description, Neighbors
from .pre_filter import Wishes
from .topology_domains import Sums

Raw = Description
TAINTS_WEIGHT, AFFINITY_WEIGHT, SPREAD_WEIGHT, PULL_WEIGHT = 3, 2, 2, 2


class Line:
    """Nodes that are alike but for their load, the best of them first in the heap."""

    __slots__ = ("heap", "key", "size")

    def __init__(self, key: Raw) -> None:
        self.key = key
        self.heap: list[tuple[int, int, int, str]] = []
        self.size = 0


class ScoredLine(NamedTuple):
    """A line and its scores, 0 to 100 each; `total` has them with their weights."""

    line: Line
    total: int
    taints: int = 0
    affinity: int = 0
    spread: int = 0
    pulls: int = 0


def score_lines(wishes: Wishes, neighbors: Neighbors, lines: Sequence[Line]) -> Sequence[ScoredLine]:
    """The scores of all nodes of each line."""
    if not lines:
        return ()
    columns = [_score_taints([line.key[-2] for line in lines])]  # type: ignore[misc]
    preferences: list[int] = [line.key[-1] for line in lines]  # type: ignore[misc]
    columns.append(_normalize(preferences) if wishes.has_preferences else [0] * len(lines))
    columns.append(_score_spread(wishes, neighbors, lines) if neighbors.soft else [0] * len(lines))
    columns.append(_score_pulls(neighbors, lines) if neighbors.pulls else [0] * len(lines))
    return [
        ScoredLine(
            line,
            TAINTS_WEIGHT * taints
            + AFFINITY_WEIGHT * affinity
            + SPREAD_WEIGHT * spread
            + PULL_WEIGHT * pulls,
            taints,
            affinity,
            spread,
            pulls,
        )
        for line, taints, affinity, spread, pulls in zip(lines, *columns, strict=True)
    ]


def _normalize(raw: Sequence[int]) -> list[int]:
    most = max(raw)
    return [100 * one // most for one in raw] if most else [0] * len(raw)


def _score_taints(unwelcome: Sequence[int]) -> list[int]:
    return [100 - one for one in _normalize(unwelcome)]


def _score_pulls(neighbors: Neighbors, lines: Sequence[Line]) -> list[int]:
    raw = []
    for line in lines:
        amounts = neighbors.amounts_of(line.key)
        raw.append(sum(amounts[sums.place] or 0 for sums in neighbors.pulls.values()))
    least, gap = min(raw), max(raw) - min(raw)
    return [int(100 * ((one - least) / gap)) if gap else 0 for one in raw]


def _score_spread(wishes: Wishes, neighbors: Neighbors, lines: Sequence[Line]) -> list[int]:
    """The fewer pods are in a node's domains the better; nodes that lack a label that they should have: 0."""
    soft = neighbors.soft
    all_amounts = [neighbors.amounts_of(line.key) for line in lines]
    is_out = [
        wishes.needs_all_labels and any(amounts[sums.place] is None for _one, sums in soft)
        for amounts in all_amounts
    ]
    weights = [_weigh(sums, lines, is_out) for _one, sums in soft]
    raw = [
        0 if out else _add_up(soft, weights, amounts)
        for out, amounts in zip(is_out, all_amounts, strict=True)
    ]
    counted = [one for one, out in zip(raw, is_out, strict=True) if not out]
    least, most = min(counted, default=0), max(counted, default=0)
    return [
        0 if out else 100 * (most + least - one) // most if most else 100
        for out, one in zip(is_out, raw, strict=True)
    ]


def _add_up(soft: Sequence[tuple[Constraint, Sums]], weights: Sequence[float], amounts: Amounts) -> int:
    total = 0.0
    for (constraint, sums), weight in zip(soft, weights, strict=True):
        amount = amounts[sums.place]
        if amount is not None:
            total += amount * weight + (constraint.max_skew - 1)
    # Rounded as Go does: a half goes up.
    return int(total + 0.5)


def _weigh(sums: Sums, lines: Sequence[Line], is_out: Sequence[bool]) -> float:
    """The more domains there are among the nodes that fit, the more a pod in one of them says."""
    if not sums.key:
        count = sum(line.size for line, out in zip(lines, is_out, strict=True) if not out)
    else:
        count = len({line.key[sums.place] for line, out in zip(lines, is_out, strict=True) if not out})
    return math.log(count + 2)
