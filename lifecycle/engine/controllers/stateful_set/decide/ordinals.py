"""A set of ordinals in order: the lowest, the highest and the gaps of a range without walking all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class Ordinals:
    """Whole numbers, sorted. Ranges include both of their ends."""

    __slots__ = ("_sorted",)

    def __init__(self, ordinals: Iterable[int] = ()) -> None:
        self._sorted: list[int] = sorted(ordinals)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, ordinal: int) -> bool:
        place = bisect_left(self._sorted, ordinal)
        return place < len(self._sorted) and self._sorted[place] == ordinal

    def __iter__(self) -> Iterator[int]:
        return iter(self._sorted)

    def add(self, ordinal: int) -> None:
        """One more; one that is there stays one."""
        found = self._sorted
        place = bisect_left(found, ordinal)
        if place == len(found) or found[place] != ordinal:
            found.insert(place, ordinal)

    def discard(self, ordinal: int) -> None:
        """One less, if it is there."""
        place = bisect_left(self._sorted, ordinal)
        if place < len(self._sorted) and self._sorted[place] == ordinal:
            del self._sorted[place]

    def put(self, ordinal: int, is_in: bool) -> None:
        """Have it among them or not."""
        (self.add if is_in else self.discard)(ordinal)

    def within(self, low: int, high: int) -> Iterator[int]:
        """Those of a range, lowest first."""
        place = bisect_left(self._sorted, low)
        while place < len(self._sorted) and self._sorted[place] <= high:
            yield self._sorted[place]
            place += 1

    def falling_within(self, low: int, high: int) -> Iterator[int]:
        """Those of a range, highest first."""
        place = bisect_right(self._sorted, high)
        while place > 0 and self._sorted[place - 1] >= low:
            place -= 1
            yield self._sorted[place]

    def count_within(self, low: int, high: int) -> int:
        """How many are in a range."""
        return max(0, bisect_right(self._sorted, high) - bisect_left(self._sorted, low))

    def first_outside(self, low: int, high: int) -> int | None:
        """The lowest of those that are not in a range."""
        found = self._sorted
        if found and found[0] < low:
            return found[0]
        place = bisect_right(found, high)
        return found[place] if place < len(found) else None

    def last_outside(self, low: int, high: int) -> int | None:
        """The highest of those that are not in a range."""
        found = self._sorted
        if found and found[-1] > high:
            return found[-1]
        place = bisect_left(found, low)
        return found[place - 1] if place > 0 else None

    def outside(self, low: int, high: int) -> list[int]:
        """All that are not in a range, highest first."""
        found = self._sorted
        below, above = found[: bisect_left(found, low)], found[bisect_right(found, high) :]
        return [*reversed(above), *reversed(below)]

    def gaps(self, low: int, high: int) -> Iterator[int]:
        """What is missing in a range, lowest first. Each gap is found by halving."""
        found = self._sorted
        while low <= high:
            low = _find_gap(found, low)
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
