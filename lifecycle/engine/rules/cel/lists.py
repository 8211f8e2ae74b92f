"""Lists and sets (pkg/cel/library/lists.go; lists and sets of cel-go's extensions)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from .values import NOT_HERE, count, plain

_MOST_ENTRIES = 10_000


def is_sorted(given: Any) -> bool:
    """Whether each entry is no less than the one before."""
    entries = _plain(given)
    return all(first <= second for first, second in pairwise(entries))


def add_up(given: Any) -> Any:
    """The sum of numbers or durations; 0 of nothing."""
    entries = _plain(given)
    return sum(entries[1:], entries[0]) if entries else 0


def least(given: Any) -> Any:
    """The least entry. Raises ValueError for nothing."""
    if not (entries := _plain(given)):
        raise ValueError("min called on empty list")
    return min(entries)


def most(given: Any) -> Any:
    """The greatest entry. Raises ValueError for nothing."""
    if not (entries := _plain(given)):
        raise ValueError("max called on empty list")
    return max(entries)


def distinct(given: Any) -> list[Any]:
    """Each entry once, where it first is."""
    first: dict[Any, Any] = {}
    for one in _plain(given):
        first.setdefault(_key(one), one)
    return list(first.values())


def flatten(given: Any, depth: int = 1) -> list[Any]:
    """A list of lists as one list, `depth` levels of them. Raises ValueError below 0."""
    if depth < 0:
        raise ValueError("level must be non-negative")
    entries = _plain(given)
    for _level in range(min(depth, 32)):
        if not any(isinstance(one, list) for one in entries):
            break
        count(sum(len(one) if isinstance(one, list) else 1 for one in entries))
        entries = [inner for one in entries for inner in (one if isinstance(one, list) else [one])]
    return entries


def cut(given: Any, start: int, end: int) -> list[Any]:
    """The entries from one place to another, without the last. Raises ValueError beyond the list."""
    entries = _plain(given)
    if start < 0 or end < 0:
        raise ValueError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise ValueError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(entries):
        raise ValueError(f"cannot slice({start}, {end}), list is length {len(entries)}")
    return entries[start:end]


def sort(given: Any) -> list[Any]:
    """The entries in their order."""
    return sorted(_plain(given))


def count_up(end: int) -> list[int]:
    """The numbers from 0 on, so many of them."""
    if end > _MOST_ENTRIES:
        raise ValueError(f"{NOT_HERE}: a range of more than {_MOST_ENTRIES:,} numbers")
    count(max(end, 0))
    return list(range(max(end, 0)))


def contains(given: Any, wanted: Any) -> bool:
    """Whether all entries of the second list are in the first."""
    return _keys(wanted) <= _keys(given)


def is_equivalent(given: Any, other: Any) -> bool:
    """Whether two lists have the same entries."""
    return _keys(given) == _keys(other)


def intersects(given: Any, other: Any) -> bool:
    """Whether two lists share an entry."""
    return not _keys(given).isdisjoint(_keys(other))


def _plain(given: Any) -> list[Any]:
    entries = [plain(one) for one in given]
    count(len(entries))
    return entries


def _keys(given: Any) -> set[Any]:
    return {_key(one) for one in _plain(given)}


def _key(value: Any) -> Any:
    """What equal values share: numbers by their size, true and 1 apart."""
    if isinstance(value, Mapping):
        return "map", frozenset((_key(plain(name)), _key(plain(one))) for name, one in value.items())
    if isinstance(value, list):
        return "list", tuple(_key(plain(one)) for one in value)
    return isinstance(value, bool), value
