"""Tests of a tier that is not asked for are not even collected, since that alone takes seconds.

Where `-m` is `not a and not b …`, a file or a function that has such a mark as a whole is passed over:

* a file that says so at its top (`pytestmark = pytest.mark.slow`, or a list with it) is not imported;
* a function that is marked itself is not made into its hundreds of cases.

A mark only ever adds to those around it, so nothing that is wanted is missed. What the command line names is
always read, and then left to pytest.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

TIERS = frozenset({"browser", "slow", "deep"})

_MARKS_OF_A_FILE = re.compile(r"^pytestmark = (\[[^\]]*\]|.*)$", re.MULTILINE)
_MARK = re.compile(r"\bpytest\.mark\.(\w+)")
_UNWANTED = re.compile(r"not (\w+)")
LEFT_OUT = pytest.StashKey[frozenset[str]]()


def read_marks(source: str) -> str:
    """What a test file says at its top of all its tests."""
    return "".join(_MARKS_OF_A_FILE.findall(source))


def read_tiers(source: str) -> frozenset[str]:
    """The tiers that a test file belongs to as a whole."""
    return TIERS & {*_MARK.findall(read_marks(source))}


def read_unwanted(expression: str) -> frozenset[str]:
    """The tiers that `-m` leaves out, whatever else a test has; none, unless it is `not a and not b …`."""
    found = [_UNWANTED.fullmatch(part.strip()) for part in expression.split(" and ")]
    return TIERS & {one[1] for one in found if one} if all(found) else frozenset()


def pytest_configure(config: pytest.Config) -> None:
    names_a_test = any("::" in argument for argument in config.args)
    config.stash[LEFT_OUT] = frozenset() if names_a_test else read_unwanted(config.getoption("markexpr"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file is all of tiers that are left out; None leaves the question to others."""
    left_out = config.stash[LEFT_OUT]
    if not left_out or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return True if left_out & read_tiers(collection_path.read_text()) else None


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: Any) -> list[pytest.Item] | None:
    """Nothing of a function of a tier that is left out; None leaves the question to others."""
    left_out = collector.config.stash[LEFT_OUT]
    is_ours = left_out and (inspect.isfunction(obj) or inspect.isclass(obj))
    marks = getattr(obj, "pytestmark", ()) if is_ours else ()
    return [] if any(mark.name in left_out for mark in marks) else None
