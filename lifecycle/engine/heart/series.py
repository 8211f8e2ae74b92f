"""Events that repeat: what has been told of an open series at an instant, computed and not counted.

The row of an open series says in its detail how often the event comes (`period_ms`), when the token bucket of
its source and object is full again (`paid_ms`, see the correlator), and which other series take tokens from
that bucket: when each was told last and how often it comes (`beside`), and how many of these go first at one
instant (`turn`). Where any of this changes a new row says so. The row that closes a series says the period
alone. Whoever shows an event asks `tell_at`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .correlator import EVENT_COST_MS, MOST_OWED_MS, pay

_FREE_MS = MOST_OWED_MS - EVENT_COST_MS
_MOST_ROUNDS = 10_000
"""Who was not told of in so many rounds, a month and more, is not looked for in earlier ones."""

Series = tuple[int, int]
"""When it was told last, and how often it comes, in ms."""


def tell_at(count: int, last_ms: int, detail: Mapping[str, Any] | None, now_ms: int) -> tuple[int, int]:
    """How often an event has been told at an instant, and when last, by the latest row about it."""
    if not is_open(detail):
        return count, last_ms
    assert detail is not None, "an open series has a period"
    period_ms, turn = int(detail["period_ms"]), int(detail.get("turn", 0))
    series = [(one[0], one[1]) for one in detail.get("beside", ())]
    series.insert(turn, (last_ms, period_ms))
    told = count_repeats(detail["paid_ms"], series, now_ms)[0][turn]
    return count + told, last_ms + told * period_ms


def is_open(detail: Mapping[str, Any] | None) -> bool:
    """Whether the event that a row tells of goes on repeating, until a later row of it."""
    return isinstance(detail, Mapping) and "paid_ms" in detail


def count_repeats(paid_ms: int, series: Sequence[Series], until_ms: int) -> tuple[list[int], int]:
    """Which repetition of each series is the last that is told by an instant: its number, 0 for none.

    And the instant by which all are paid for then. Once the burst is spent one is told in 300 s, and counts
    those that were dropped: of a probe that fails each 5 s, number 24, 120 s after the first, then number 60.
    """
    told, numbers = [0] * len(series), [1] * len(series)
    while True:
        at_ms, first = _find_first(series, numbers)
        if at_ms > until_ms:
            return told, paid_ms
        due_ms = pay(paid_ms, at_ms)
        if due_ms is not None:
            paid_ms, told[first] = due_ms, numbers[first]
            numbers[first] += 1
            continue
        # Nothing is told before so much of what is owed has passed.
        free_ms = paid_ms - _FREE_MS
        if min(period_ms for _, period_ms in series) <= EVENT_COST_MS:
            return _count_rounds(told, paid_ms, series, until_ms)
        numbers = _list_numbers(series, free_ms)


def _count_rounds(
    told: list[int], paid_ms: int, series: Sequence[Series], until_ms: int
) -> tuple[list[int], int]:
    """From now on, for ever: each time that one more is paid off, whoever is first then is told of."""
    free_ms = paid_ms - _FREE_MS
    latest = (until_ms - free_ms) // EVENT_COST_MS
    if (
        latest >= 0
        and _find_first(series, _list_numbers(series, free_ms + latest * EVENT_COST_MS))[0] > until_ms
    ):
        latest -= 1
    missing = set(range(len(series)))
    for number in range(latest, max(latest - _MOST_ROUNDS, -1), -1):
        numbers = _list_numbers(series, free_ms + number * EVENT_COST_MS)
        _, first = _find_first(series, numbers)
        if first in missing:
            told[first] = numbers[first]
            missing.discard(first)
            if not missing:
                break
    return told, paid_ms + (latest + 1) * EVENT_COST_MS


def _find_first(series: Sequence[Series], numbers: Sequence[int]) -> tuple[int, int]:
    """When the next of these repetitions comes, and of which series."""
    return min(
        (last_ms + number * period_ms, place)
        for place, ((last_ms, period_ms), number) in enumerate(zip(series, numbers, strict=True))
    )


def _list_numbers(series: Sequence[Series], from_ms: int) -> list[int]:
    """The number of each series' first repetition from an instant on."""
    return [max(1, -((last_ms - from_ms) // period_ms)) for last_ms, period_ms in series]
