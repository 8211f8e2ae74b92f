"""Tests of a group run in one process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.groups import rank, read_group

TESTS = Path(__file__).resolve().parents[1]
MODULE = """
import time
import pytest
{marks}
@pytest.mark.parametrize("n", range(6))
def test_it(n):
    time.sleep(0.01)
"""


@pytest.mark.parametrize(
    "source, expected",
    [
        ('pytestmark = pytest.mark.xdist_group("floors")\n', "floors"),
        ('pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("kubectl")]\n', "kubectl"),
        ("pytestmark = [pytest.mark.browser, pytest.mark.slow]\n", "browser"),
        ("pytestmark = pytest.mark.slow\n", ""),
        ("@pytest.mark.browser\ndef test_a(): pass\n", ""),
    ],
)
def test_the_top_of_a_file_tells_its_group(source: str, expected: str):
    assert read_group(source) == expected


@pytest.mark.parametrize(
    "source, expected",
    [
        ("pytestmark = [pytest.mark.browser, pytest.mark.slow]\n", 2),
        ("pytestmark = pytest.mark.slow\n", 1),
        ("@pytest.mark.slow\ndef test_a(): pass\n", 0),
    ],
)
def test_a_file_that_takes_longer_begins_sooner(source: str, expected: int):
    assert rank(source) == expected


@pytest.mark.slow
def test_a_file_and_a_group_are_run_by_one_process(tmp_path: Path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    browser\n")
    (tmp_path / "test_one.py").write_text(MODULE.format(marks='pytestmark = pytest.mark.xdist_group("a")'))
    (tmp_path / "test_two.py").write_text(MODULE.format(marks="pytestmark = pytest.mark.browser"))
    (tmp_path / "test_three.py").write_text(MODULE.format(marks='pytestmark = pytest.mark.xdist_group("a")'))
    (tmp_path / "test_four.py").write_text(MODULE.format(marks=""))
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "--dist", "loadgroup", "-p", "tests.groups"]
    command += ["-p", "no:django", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    ran = re.findall(r"\[(gw\d)\] .*PASSED (test_\w+)\.py", done.stdout)
    by = {file: {worker for worker, name in ran if name == file} for _, file in ran}
    assert len(ran) == 24, done.stdout
    assert all(len(workers) == 1 for workers in by.values()), by
    assert by["test_one"] == by["test_three"] != by["test_two"]


def test_groups_are_of_whole_files():
    """One that stands at a single test would be no group."""
    wrong = [
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("test_*.py"))
        if path != Path(__file__) and "mark.xdist_group" in (source := path.read_text())
        if not read_group(source)
    ]
    assert not wrong, wrong
