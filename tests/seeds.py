"""How many seeds and rows of a costly test each run takes; the deep tests take all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, product
from typing import Any

import pytest

FIRST = 2


def first_of(seeds: Iterable[int], *more: int, most: int = FIRST) -> list[Any]:
    """Parameters: the first seeds, and `more` that each run needs; the others are deep."""
    rest = [*seeds]
    deep = (pytest.param(seed, marks=pytest.mark.deep) for seed in rest[most:])
    return [*chain(rest[:most], more, deep)]


def one_in(many: int, rows: Iterable[Any]) -> list[Any]:
    """Parameters: of so many rows always the first; the others are deep."""
    return [row if number % many == 0 else _as_deep(row) for number, row in enumerate(rows)]


def first_if(is_first: Callable[[Any], bool], rows: Iterable[Any]) -> list[Any]:
    """Parameters: the rows that are first; the others are deep."""
    return [row if is_first(row) else _as_deep(row) for row in rows]


def each_once(*columns: Iterable[Any]) -> list[Any]:
    """Parameters: rows that hold every value of each column; what else stands beside what is deep."""
    lists = [[*column] for column in columns]
    longest = max(map(len, lists))
    short = {tuple(at % len(column) for column in lists) for at in range(longest)}
    places = product(*(range(len(column)) for column in lists))
    rows = [(place, tuple(column[at] for at, column in zip(place, lists, strict=True))) for place in places]
    return [row if place in short else _as_deep(row) for place, row in rows]


def _as_deep(row: Any) -> Any:
    if isinstance(row, type(pytest.param())):
        return pytest.param(*row.values, id=row.id, marks=[*row.marks, pytest.mark.deep])
    return pytest.param(*(row if isinstance(row, tuple) else (row,)), marks=pytest.mark.deep)
