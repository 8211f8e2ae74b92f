"""Reads the decision tables: cases of what the real Kubernetes components decide.

They are in `tables/` beside this module; `CONFORMANCE_DIR` names another folder of the same form.
"""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
_ADAPTED = re.compile(r"""load_cases\(\s*["']([a-z_0-9]+)["']""")

Case = dict[str, Any]


def cases_folder() -> Path:
    """Where the tables are, whether or not they are there."""
    named = os.environ.get("CONFORMANCE_DIR")
    return Path(named) if named else HERE / "tables"


@cache
def _read(folder: Path, file_stem: str) -> list[Case] | None:
    path = folder / f"{file_stem}.json"
    return json.loads(path.read_text())["cases"] if path.is_file() else None


def load_cases(file_stem: str) -> list[Any]:
    """The cases of one table as parameters, each marked with its table; one skipped stand-in without it."""
    folder = cases_folder()
    table = pytest.mark.conformance(file_stem)
    cases = _read(folder, file_stem)
    if cases is None:
        absent = pytest.mark.skip(reason=f"{file_stem}.json is not in {folder}; set CONFORMANCE_DIR")
        return [pytest.param(None, id="absent", marks=[table, absent])]
    return [pytest.param(case, id=case["name"], marks=[table]) for case in cases]


def tables() -> list[str]:
    """The stems of all tables that are there, sorted."""
    return sorted(path.stem for path in cases_folder().glob("*.json"))


def adapted_tables() -> set[str]:
    """The stems some test module of this folder loads."""
    return {stem for path in HERE.rglob("test_*.py") for stem in _ADAPTED.findall(path.read_text())}
