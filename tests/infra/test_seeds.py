"""Of costly rows each run takes some, and the deep tests all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.seeds import each_once, first_if, first_of, one_in


def split(rows: list[Any]) -> tuple[list[Any], list[Any]]:
    """What each run takes of them, and what is left to the deep tests."""
    is_deep = [isinstance(row, type(pytest.param())) for row in rows]
    deep = [row.values for row, left in zip(rows, is_deep, strict=True) if left]
    return [row for row, left in zip(rows, is_deep, strict=True) if not left], deep


@pytest.mark.parametrize(
    "rows, taken, deep",
    [
        (first_of(range(4)), [0, 1], [(2,), (3,)]),
        (first_of(range(3), 9, most=1), [0, 9], [(1,), (2,)]),
        (one_in(2, "abc"), ["a", "c"], [("b",)]),
        (first_if(str.isupper, "aBc"), ["B"], [("a",), ("c",)]),
        (each_once("ab", [1, 2]), [("a", 1), ("b", 2)], [("a", 2), ("b", 1)]),
        (
            each_once("ab", [1, 2, 3]),
            [("a", 1), ("a", 3), ("b", 2)],
            [("a", 2), ("b", 1), ("b", 3)],
        ),
    ],
    ids=["first", "first and one more", "one in", "first if", "pairs", "every value once"],
)
def test_what_is_not_taken_is_deep(rows: list[Any], taken: list[Any], deep: list[Any]) -> None:
    assert split(rows) == (taken, deep)
