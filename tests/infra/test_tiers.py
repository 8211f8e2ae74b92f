"""What the fast tier passes over without reading it is never a fast test."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.seeds import one_in
from tests.tiers import TIERS, read_tiers, read_unwanted

TESTS = Path(__file__).resolve().parents[1]
FAST = "not browser and not slow and not deep"
MARKERS = "[pytest]\nmarkers =\n" + "".join(f"    {tier}\n" for tier in sorted(TIERS))
MODULES = {
    "test_all_slow": "import pytest\npytestmark = pytest.mark.slow\ndef test_a(): pass\n",
    "test_listed": "import pytest\npytestmark = [\n    pytest.mark.browser,\n]\ndef test_b(): pass\n",
    "test_mixed": (
        "import pytest\n\ndef test_c(): pass\n"
        "@pytest.mark.slow\n@pytest.mark.parametrize('n', range(3))\ndef test_d(n): pass\n"
        "@pytest.mark.parametrize('n', [1, pytest.param(2, marks=pytest.mark.deep)])\ndef test_e(n): pass\n"
        "@pytest.mark.deep\nclass TestF:\n    def test_f(self): pass\n"
    ),
}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def marks_of(tree: ast.Module) -> frozenset[str]:
    """The tiers in the assignment that pytest reads."""
    values = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    names = {node.attr for value in values for node in ast.walk(value) if isinstance(node, ast.Attribute)}
    return TIERS & names


def find_tests(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        if named or (isinstance(node, ast.ClassDef) and node.name.startswith("Test")):
            yield node


@pytest.mark.parametrize(
    "expression, expected",
    [
        (FAST, TIERS),
        ("not deep", {"deep"}),
        ("not slow and not kubectl", {"slow"}),
        ("", set()),
        ("deep", set()),
        ("deep or not deep", set()),
        ("not slow or deep", set()),
        ("not slow and browser", set()),
        ("not (slow and deep)", set()),
        ("not slow and not (deep or browser)", set()),
    ],
)
def test_only_a_plain_row_of_nots_leaves_something_out(expression: str, expected: set[str]):
    assert read_unwanted(expression) == expected


@pytest.mark.parametrize(
    "source, expected",
    [
        ("pytestmark = pytest.mark.slow\n", {"slow"}),
        ("pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.deep]\n", {"deep"}),
        ("pytestmark = [\n    pytest.mark.browser,\n    pytest.mark.slow,\n]\n", {"browser", "slow"}),
        ("pytestmark = pytest.mark.django_db\n@pytest.mark.slow\ndef test_a(): pass\n", set()),
        ("def make():\n    pytestmark = pytest.mark.slow\n", set()),
        ("# pytestmark = pytest.mark.slow\n", set()),
    ],
)
def test_the_top_of_a_file_tells_its_tier(source: str, expected: set[str]):
    assert read_tiers(source) == expected


def collect(folder: Path, *arguments: str) -> list[str]:
    """What pytest would run of MODULES."""
    (folder / "pytest.ini").write_text(MARKERS)
    for name, source in MODULES.items():
        (folder / f"{name}.py").write_text(source)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.tiers",
        "-p",
        "no:django",
        "-p",
        "no:hypothesispytest",
    ]
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    options = ["--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run([*command, *options], cwd=folder, env=environment, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, expected",
    one_in(
        3,
        [
            (["-m", FAST], ["test_mixed.py::test_c", "test_mixed.py::test_e[1]"]),
            (
                ["-m", "slow"],
                ["test_all_slow.py::test_a", *(f"test_mixed.py::test_d[{n}]" for n in range(3))],
            ),
            (["-m", "deep"], ["test_mixed.py::test_e[2]", "test_mixed.py::TestF::test_f"]),
            (["test_mixed.py::test_d", "-m", "not deep"], [f"test_mixed.py::test_d[{n}]" for n in range(3)]),
            (["test_all_slow.py", "-m", FAST], []),
        ],
    ),
)
def test_what_is_wanted_is_collected(tmp_path: Path, arguments: list[str], expected: list[str]):
    assert collect(tmp_path, *arguments) == expected


@pytest.mark.slow
def test_what_is_passed_over_says_so_where_pytest_reads_it():
    """The scan of the text finds no mark that the file's own assignment has not."""
    wrong = []
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text()
        if (read := read_tiers(source)) and not read <= marks_of(parse(path)):
            wrong.append(f"{path.relative_to(TESTS)}: {sorted(read)}")
    assert not wrong, wrong


@pytest.mark.slow
def test_a_file_without_a_fast_test_says_so_at_its_top():
    """Else it is read by every run of the fast tests for nothing."""
    silent = []
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = parse(path)
        marks = [
            {
                node.attr
                for one in test.decorator_list
                for node in ast.walk(one)
                if isinstance(node, ast.Attribute)
            }
            for test in find_tests(tree)
        ]
        if marks and not marks_of(tree) and all(TIERS & found for found in marks):
            silent.append(str(path.relative_to(TESTS)))
    assert not silent, f"add `pytestmark = pytest.mark.slow` to {silent}"
