"""A table of small cases is one test: pytest takes longer over a test than such a case runs.

Where nothing but its own rows is handed to a function (no fixture, no mark on a row, no mark on the function
but those of `ALLOWED`), one test goes through all its rows. Each case is tried, whatever became of those
before it, and what is wrong says the id of its case. With `-v`, with `-k` and where the command line names a
test by its `::`, each case is a test of its own, as it always is in files and functions of a slower tier.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from itertools import product
from typing import Any, NamedTuple

import pytest

ALLOWED = frozenset({"parametrize", "spec", "together"})
# Fixtures of plugins that every test has; a folder or a file with one of its own is left as it is.
OF_PLUGINS = frozenset(
    {"django_db_blocker", "django_test_environment", "event_loop_policy", "monkeypatch", "request"}
)


class Case(NamedTuple):
    """One call of a function."""

    name: str
    values: dict[str, Any]


Test = Callable[..., None]

_IS_ON = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    is_about_cases = config.getoption("verbose") > 0 or config.getoption("keyword")
    config.stash[_IS_ON] = not is_about_cases and not any("::" in argument for argument in config.args)


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: Any) -> list[pytest.Item] | None:
    """The one test of a table; None leaves what is none to others."""
    is_test = isinstance(collector, pytest.Module) and inspect.isfunction(obj) and name.startswith("test")
    if not is_test or not collector.config.stash[_IS_ON]:
        return None
    if any(mark.name not in ALLOWED for mark in collector.iter_markers()):
        return None
    cases = list_cases(obj)
    if not cases:
        return None
    test = pytest.Function.from_parent(collector, name=name, callobj=make_test(obj, cases))
    has_own = any(not one.startswith("_") and one not in OF_PLUGINS for one in test.fixturenames)
    return None if has_own else [test]


def list_cases(function: Test) -> list[Case]:
    """Every case of a function; none where it is more than its tables."""
    marks: list[pytest.Mark] = getattr(function, "pytestmark", [])
    # What makes its own examples or waits for others is not called just like that.
    is_special = hasattr(function, "is_hypothesis_test") or inspect.iscoroutinefunction(function)
    if is_special or any(mark.name not in ALLOWED for mark in marks):
        return []
    tables = [list_rows(mark) for mark in marks if mark.name == "parametrize"]
    cases = [
        Case("-".join(row.name for row in rows), {key: row.values[key] for row in rows for key in row.values})
        for rows in product(*tables)
    ]
    wanted = set(inspect.signature(function).parameters)
    return cases if wanted and all(wanted == set(case.values) for case in cases) else []


def list_rows(table: pytest.Mark) -> list[Case]:
    """The rows of one table; none where they are for fixtures, or have marks of their own."""
    if len(table.args) != 2 or set(table.kwargs) - {"ids"} or not isinstance(table.args[1], Collection):
        return []
    names, given = table.args
    columns = [one.strip() for one in names.split(",")] if isinstance(names, str) else [*names]
    rows = []
    for row in given:
        if isinstance(row, type(pytest.param())):
            if row.marks:
                return []
            name, values = row.id, row.values
        else:
            name, values = None, (row,) if isinstance(names, str) and len(columns) == 1 else row
        rows.append(Case(str(name or "-".join(map(str, values))), dict(zip(columns, values, strict=True))))
    return rows


def make_test(function: Test, cases: list[Case]) -> Test:
    """A function without arguments that tries every case."""

    def try_all() -> None:
        wrong: list[BaseException] = [problem for case in cases for problem in find_wrong(function, case)]
        failed = [one for one in wrong if not isinstance(one, pytest.skip.Exception)]
        if len(failed) > 1:
            raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)
        for one in failed or wrong:
            raise one

    try_all.__doc__ = function.__doc__
    marks = [mark for mark in getattr(function, "pytestmark", ()) if mark.name != "parametrize"]
    # Where pytest looks for what is said of the function, and for its lines.
    vars(try_all).update(pytestmark=marks, place_as=function)
    return try_all


def find_wrong(function: Test, case: Case) -> Iterator[BaseException]:
    """What is wrong with one case, which it names."""
    try:
        function(**case.values)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as problem:
        problem.add_note(f"in the case {case.name}")
        yield problem
