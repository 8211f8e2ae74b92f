"""Two sequences of values of one field, laid beside each other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

Lane = list[list[Any]]
"""[seconds, value, message] of each change."""
Ends = tuple[float | None, float | None]
"""When the real object and ours went, in seconds, where its last values are no verdict on it."""

SHORT_SECONDS = 1.5
"""Values that last less than this may be missing on the other side."""
SLACK_SECONDS, SHARE = 2.5, 0.10
"""Instants may differ by so many seconds, or by SHARE of the time since the change before."""
HARD = 2.0
"""What a value costs that has no partner."""

Path = Any
"""A linked list of ("pair" | "real" | "mine", i, j, rest of the path), None at its end."""


def align(
    real: Lane, mine: Lane, until: float, ends: Ends = (None, None)
) -> tuple[list[tuple[int, int]], list[bool], list[bool]]:
    """Pairs of equal values, and which values of each side are there for nothing on the other side.

    The cheapest alignment: a value without a partner costs HARD, a pair costs what it is apart in time beyond
    the tolerance, up to HARD; optional values cost nothing, and neither does a return to the value both sides
    are at.
    """
    pairs: list[tuple[int, int]] = []
    alone = ([False] * len(real), [False] * len(mine))
    path = _find_path(real, mine, until, ends)
    while path:
        word, i, j, path = path
        if word == "pair":
            pairs.append((i, j))
        else:
            alone[word == "mine"][i if word == "real" else j] = True
    return pairs, *alone


def _find_path(real: Lane, mine: Lane, until: float, ends: Ends) -> Path:
    left, right = _find_optional(real, until, ends[0]), _find_optional(mine, until, ends[1])

    @cache
    def rest(i: int, j: int, last: str) -> tuple[float, int, Path]:
        """(cost, less pairs, the path) from here on; `last` is the value both were at."""
        if i == len(real) and j == len(mine):
            return 0.0, 0, None
        options = []
        if i < len(real) and j < len(mine) and _key(real[i][1]) == _key(mine[j][1]):
            cost, pairs, path = rest(i + 1, j + 1, _key(real[i][1]))
            cost += _count_distance(real[i][0], mine[j][0])
            options.append((cost, pairs - 1, ("pair", i, j, path)))
        if i < len(real):
            is_free = left[i] or _key(real[i][1]) == last
            cost, pairs, path = rest(i + 1, j, last)
            options.append((cost + HARD * (not is_free), pairs, path if is_free else ("real", i, j, path)))
        if j < len(mine):
            is_free = right[j] or _key(mine[j][1]) == last
            cost, pairs, path = rest(i, j + 1, last)
            options.append((cost + HARD * (not is_free), pairs, path if is_free else ("mine", i, j, path)))
        return min(options, key=lambda one: one[:2])

    # A count is 0 before anything is said of it.
    is_count = any(type(one[1]) is int for one in (*real, *mine))
    with _deep_recursion():
        return rest(0, 0, _key(0) if is_count else "")[2]


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """For long lanes; other tests meet the limit of every process."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _find_optional(lane: Lane, until: float, end: float | None) -> list[bool]:
    """Which values may be missing on the other side: short ones, and those just before the end."""
    found = []
    for index, (at, _, _) in enumerate(lane):
        later = lane[index + 1][0] if index + 1 < len(lane) else end
        since = at - lane[index - 1][0] if index else at
        is_short = later is not None and later - at < SHORT_SECONDS
        is_last = index > 0 and until - at < max(SLACK_SECONDS, SHARE * since)
        found.append(is_short or is_last)
    return found


def _count_distance(there: float, here: float) -> float:
    apart = abs(there - here)
    return 0.0 if apart <= SLACK_SECONDS else min(HARD, apart / max(SLACK_SECONDS, there / 4))


def _key(value: Any) -> str:
    return f"{type(value).__name__}:{value}"
