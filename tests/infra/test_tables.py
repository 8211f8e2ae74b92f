"""All rows of a small table are one test, and none of them is lost in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seeds import one_in
from tests.tables import list_cases, make_test

TESTS = Path(__file__).resolve().parents[1]
each = pytest.mark.parametrize
MODULE = """
import pytest
@pytest.mark.parametrize("n", range(3))
def test_plain(n): pass
@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.skip)])
def test_row_with_a_mark(n): pass
@pytest.mark.parametrize("n", range(2))
def test_fixture(n, tmp_path): pass
@pytest.mark.slow
@pytest.mark.parametrize("n", range(2))
def test_slow(n): pass
def test_none(): pass
"""
ROWS = ["test_plain", "test_row_with_a_mark", "test_fixture", "test_slow"]
COUNTS = {"test_plain": 3, "test_row_with_a_mark": 2, "test_fixture": 2, "test_slow": 2}
EACH = [f"{name}[{number}]" for name in ROWS for number in range(COUNTS[name])]


@each("a, b", [(1, 2), pytest.param(3, 4, id="three and four")])
def of_two(a: int, b: int) -> None: ...


@each("a", ["x", "y"])
@each(["b"], [(1,), (2,)])
def of_two_tables(a: str, b: int) -> None: ...


@each("pair", [(1, 2)])
def of_a_pair(pair: tuple[int, int]) -> None: ...


@each("a", [1])
def with_a_fixture(a: int, tmp_path: Path) -> None: ...


@each("a", [pytest.param(1, marks=pytest.mark.deep)])
def with_a_mark_on_a_row(a: int) -> None: ...


@pytest.mark.django_db
@each("a", [1])
def with_a_database(a: int) -> None: ...


@each("a", [1], indirect=True)
def for_a_fixture(a: int) -> None: ...


@each("a", [1])
async def for_a_loop(a: int) -> None: ...


def without_a_table() -> None: ...


@pytest.mark.parametrize(
    "function, expected",
    [
        (of_two, {"1-2": {"a": 1, "b": 2}, "three and four": {"a": 3, "b": 4}}),
        (of_two_tables, {f"{b}-{a}": {"a": a, "b": b} for b in (1, 2) for a in "xy"}),
        (of_a_pair, {"(1, 2)": {"pair": (1, 2)}}),
        (with_a_fixture, {}),
        (with_a_mark_on_a_row, {}),
        (with_a_database, {}),
        (for_a_fixture, {}),
        (for_a_loop, {}),
        (without_a_table, {}),
    ],
)
def test_what_is_handed_nothing_but_its_rows_is_a_table(function: Any, expected: dict[str, Any]):
    assert dict(list_cases(function)) == expected


def end_in(*wrong: int, by: Callable[[int], None]) -> Callable[[], None]:
    """The one test of five rows, of which some end otherwise than well."""

    @each("a", range(5))
    def check(a: int) -> None:
        tried.append(a)
        if a in wrong:
            by(a)

    tried: list[int] = []
    test = make_test(check, list_cases(check))
    vars(test)["tried"] = tried
    return test


def be_wrong(a: int) -> None:
    raise AssertionError(f"{a} is wrong")


def give_up(a: int) -> None:
    pytest.fail("no")


def pass_over(a: int) -> None:
    pytest.skip("not here")


@pytest.mark.parametrize(
    "wrong, by, ends, names",
    [
        ((2,), be_wrong, AssertionError, [["in the case 2"]]),
        ((1, 3), be_wrong, BaseExceptionGroup, [["in the case 1"], ["in the case 3"]]),
        ((0,), give_up, pytest.fail.Exception, [["in the case 0"]]),
        ((0, 4), give_up, BaseExceptionGroup, [["in the case 0"], ["in the case 4"]]),
        ((0,), pass_over, pytest.skip.Exception, [["in the case 0"]]),
    ],
)
def test_every_row_is_tried_and_each_that_fails_is_named(
    wrong: tuple[int, ...], by: Callable[[int], None], ends: type[BaseException], names: list[list[str]]
):
    test = end_in(*wrong, by=by)
    with pytest.raises(ends) as caught:
        test()
    problems = getattr(caught.value, "exceptions", [caught.value])
    assert [one.__notes__ for one in problems] == names
    assert vars(test)["tried"] == [0, 1, 2, 3, 4]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, expected",
    one_in(
        2,
        [
            ([], ["test_plain", *EACH[3:5], *EACH[5:7], *EACH[7:9], "test_none"]),
            (["-k", "plain"], EACH[:3]),
            (["test_it.py::test_plain"], EACH[:3]),
        ],
    ),
)
def test_a_table_is_collected_as_one_unless_its_cases_are_asked_for(
    tmp_path: Path, arguments: list[str], expected: list[str]
):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    slow\n")
    (tmp_path / "test_it.py").write_text(MODULE)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.tables",
        "-p",
        "no:django",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    options = ["--collect-only", "-q", *arguments]
    done = subprocess.run(
        [*command, *options], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert [line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line] == expected
