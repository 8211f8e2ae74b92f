"""Sets of completion indexes as Jobs write them: `0,2-4,6,7` (JOB-IDX-13)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from lifecycle.late_patterns import late_pattern

_BEYOND = float("inf")
_NUMBER = late_pattern(r"[+]?[0-9]+")
_LARGEST = 2**63 - 1
Intervals = tuple[tuple[int, int], ...]
"""(first, last) of each run of indexes, apart from each other, in order."""


@lru_cache(maxsize=256)
def _made_of(text: str) -> list[Intervals]:
    """What a text was made of, if it was made here: a Job's next look does not read what it has written."""
    return []


def parse_indexes(text: str, completions: int) -> Intervals:
    """The indexes below `completions` that a text names; parts that cannot be read are left out."""
    if not text:
        return ()
    known = _made_of(text)
    return known[0] if known and known[0][-1][1] < completions else _read_indexes(text, completions)


@lru_cache(maxsize=256)
def _read_indexes(text: str, completions: int) -> Intervals:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        limits = part.split("-")
        first = _read_number(limits[0])
        if first is None:
            continue
        if first >= completions:
            break
        # What follows a second hyphen is not looked at.
        last = _read_number(limits[1]) if len(limits) > 1 else first
        if last is None:
            continue
        last = min(last, completions - 1)
        if found and found[-1][1] == first - 1:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return tuple(found)


def _read_number(text: str) -> int | None:
    """A number as Go reads it; None where it cannot."""
    if _NUMBER.fullmatch(text) is None or len(text) > 4300:
        return None
    number = int(text)
    return number if number <= _LARGEST else None


def union(one: Intervals, other: Intervals) -> Intervals:
    """The indexes of either."""
    if not other:
        return one
    found: list[tuple[int, int]] = []
    for first, last in sorted((*one, *other)):
        if not found or first > found[-1][1] + 1:
            found.append((first, last))
        elif found[-1][1] < last:
            found[-1] = (found[-1][0], last)
    return tuple(found)


def with_indexes(intervals: Intervals, indexes: Iterable[int]) -> Intervals:
    """The intervals with single indexes added, in whatever order they come."""
    found = [*intervals]
    for index in indexes:
        place = bisect_right(found, (index, _BEYOND))
        first = last = index
        if place and found[place - 1][1] >= index - 1:
            if found[place - 1][1] >= index:
                continue
            place -= 1
            first = found.pop(place)[0]
        if place < len(found) and found[place][0] == index + 1:
            last = found.pop(place)[1]
        found.insert(place, (first, last))
    return tuple(found)


def count_indexes(intervals: Intervals) -> int:
    """How many indexes there are."""
    return sum(last - first for first, last in intervals) + len(intervals)


def has_index(intervals: Intervals, index: int) -> bool:
    """Whether an index is among them."""
    place = bisect_right(intervals, (index, _BEYOND))
    return place > 0 and intervals[place - 1][1] >= index


def count_common(one: Intervals, other: Intervals) -> int:
    """How many indexes are in both."""
    total = mine = theirs = 0
    while mine < len(one) and theirs < len(other):
        (first, last), (start, end) = one[mine], other[theirs]
        total += max(0, min(last, end) - max(first, start) + 1)
        # Whichever ends first has nothing more in common with what follows.
        mine, theirs = mine + (last <= end), theirs + (end <= last)
    return total


@lru_cache(maxsize=64)
def format_indexes(intervals: Intervals) -> str:
    """The text: three or more neighbours are shortened, two stay `a,b`."""
    text = ",".join(
        str(first) if first == last else f"{first}{',' if last == first + 1 else '-'}{last}"
        for first, last in intervals
    )
    if text:
        _made_of(text)[:] = [intervals]
    return text


def list_gaps(intervals: Intervals, completions: int) -> Iterator[int]:
    """The indexes below `completions` that are not among them, lowest first."""
    starts = (0, *(last + 1 for _first, last in intervals))
    ends = (*(first for first, _last in intervals), completions)
    return chain.from_iterable(
        range(start, min(end, completions)) for start, end in zip(starts, ends, strict=True)
    )
