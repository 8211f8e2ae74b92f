"""A set of ordinals in order: the lowest, the highest and the gaps of a range without walking all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any


class Ordinals(list[int]):
    """Whole numbers, sorted, each once. Ranges include both of their ends."""

    __slots__ = ()

    def __init__(self, ordinals: Iterable[int] = ()) -> None:
        super().__init__(sorted(ordinals))

    def __contains__(self, ordinal: Any) -> bool:
        place = bisect_left(self, ordinal)
        return place < len(self) and self[place] == ordinal

    def add(self, ordinal: int) -> None:
        """One more; one that is there stays one."""
        place = bisect_left(self, ordinal)
        if place == len(self) or self[place] != ordinal:
            self.insert(place, ordinal)

    def discard(self, ordinal: int) -> None:
        """One less, if it is there."""
        place = bisect_left(self, ordinal)
        if place < len(self) and self[place] == ordinal:
            del self[place]

    def put(self, ordinal: int, is_in: bool) -> None:
        """Have it among them or not."""
        (self.add if is_in else self.discard)(ordinal)

    def within(self, low: int, high: int) -> Iterator[int]:
        """Those of a range, lowest first."""
        place = bisect_left(self, low)
        while place < len(self) and self[place] <= high:
            yield self[place]
            place += 1

    def falling_within(self, low: int, high: int) -> Iterator[int]:
        """Those of a range, highest first."""
        place = bisect_right(self, high)
        while place > 0 and self[place - 1] >= low:
            place -= 1
            yield self[place]

    def last_within(self, low: int, high: int) -> int | None:
        """The highest of those of a range."""
        place = bisect_right(self, high)
        return self[place - 1] if place > 0 and self[place - 1] >= low else None

    def count_within(self, low: int, high: int) -> int:
        """How many are in a range."""
        if not self or (low <= self[0] and self[-1] <= high):
            return len(self)
        return max(0, bisect_right(self, high) - bisect_left(self, low))

    def first_outside(self, low: int, high: int) -> int | None:
        """The lowest of those that are not in a range."""
        if not self or (low <= self[0] and self[-1] <= high):
            return None
        if self[0] < low:
            return self[0]
        place = bisect_right(self, high)
        return self[place] if place < len(self) else None

    def last_outside(self, low: int, high: int) -> int | None:
        """The highest of those that are not in a range."""
        if self and self[-1] > high:
            return self[-1]
        place = bisect_left(self, low)
        return self[place - 1] if place > 0 else None

    def outside(self, low: int, high: int) -> list[int]:
        """All that are not in a range, highest first."""
        below, above = self[: bisect_left(self, low)], self[bisect_right(self, high) :]
        return [*reversed(above), *reversed(below)]

    def gaps(self, low: int, high: int) -> Iterator[int]:
        """What is missing in a range, lowest first. Each gap is found by halving."""
        while low <= high:
            low = _find_gap(self, low)
            if low > high:
                return
            yield low
            low += 1


def _find_gap(found: list[int], low: int) -> int:
    """The lowest number from `low` on that is not among those found."""
    first = bisect_left(found, low)
    # Up to the gap each number is as far from the first as its place is.
    shift, places = low - first, range(first, len(found))
    return low + bisect_left(places, True, key=lambda place: found[place] - place > shift)
