"""Processes that share the test files: each file is run once, by one of them, and one tells of all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.lots import rank, read_group

TESTS = Path(__file__).resolve().parents[1]
INI = """
[pytest]
markers =
    browser
    deep
    together(name)
"""
CONFTEST = """
import os
import signal
from pathlib import Path
import pytest

@pytest.fixture(scope="session")
def made():
    return os.getpid()

@pytest.fixture
def ran(request, made):
    with open("ran", "a") as file:
        file.write(f"{request.path.name} {os.getpid()} {made}\\n")

@pytest.fixture
def is_helper(request):
    return hasattr(request.config, "workerinput")

@pytest.fixture
def both(is_helper):
    "Nobody goes on before the other process is here too; who waits in vain is ended."
    signal.alarm(60)
    there, back = ("a", "b") if is_helper else ("b", "a")
    if is_helper:
        Path(there).write_text("here"), Path(back).read_text()
    else:
        Path(back).read_text(), Path(there).write_text("here")
    signal.alarm(0)
"""
ORDINARY = """
import pytest
{marks}
@pytest.mark.parametrize("n", range(3))
def test_it(n, ran):
    pass
"""
MEETING = """
def test_it(ran, both, is_helper):
    {then}
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Two processes run these files."""

    def run(files: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
        for name, text in {"pytest.ini": INI, "conftest.py": CONFTEST, **files}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        os.mkfifo(tmp_path / "a")
        os.mkfifo(tmp_path / "b")
        plugins = ["tests.tiers", "tests.sharing", "no:django", "no:hypothesispytest", "no:cacheprovider"]
        options = [word for plugin in plugins for word in ("-p", plugin)]
        return subprocess.run(
            [sys.executable, "-m", "pytest", "--processes", "2", *options, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def read_ran(folder: Path) -> list[list[str]]:
    """Of each test: its file, the process that ran it, the process that made what its session shares."""
    return [line.split() for line in (folder / "ran").read_text().splitlines()]


@pytest.mark.parametrize(
    "source, expected",
    [
        ('pytestmark = pytest.mark.together("floors")\n', "floors"),
        ('pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]\n', "kubectl"),
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
def test_each_file_and_each_group_is_run_once_by_one_of_two_processes(run, tmp_path: Path):
    group = ORDINARY.format(marks='pytestmark = pytest.mark.together("g")')
    meeting = MEETING.format(then="pass")
    files = {"test_a.py": meeting, "test_b.py": meeting, "test_g.py": group, "below/test_h.py": group}
    files |= {f"test_{number}.py": ORDINARY.format(marks="") for number in range(4)}
    files |= {"test_deep.py": ORDINARY.format(marks="pytestmark = pytest.mark.deep")}
    done = run(files, "-m", "not deep")
    ran = read_ran(tmp_path)
    by = {file: {process for name, process, _ in ran if name == file} for file, _, _ in ran}
    assert done.returncode == 0 and " 20 passed" in done.stdout, done.stdout
    assert len(ran) == 20 and len(by) == 8
    assert all(len(processes) == 1 for processes in by.values()), by
    assert by["test_g.py"] == by["test_h.py"] and by["test_a.py"] != by["test_b.py"]
    # What belongs to a session is made once in each process, whatever files it takes.
    assert all(process == made for _, process, made in ran)


OF_THE_FOLDER = """
import pytest

@pytest.fixture(autouse=True)
def of_the_folder(request):
    request.module.seen = True
"""
SEES_ITS_FOLDER = """
seen = False

def test_it():
    assert seen
"""


@pytest.mark.slow
def test_a_file_that_is_named_has_what_its_folder_gives(run):
    below = {f"below/test_{name}.py": SEES_ITS_FOLDER for name in "ab"}
    deep = {"below/test_deep.py": "import pytest\npytestmark = pytest.mark.deep\n" + SEES_ITS_FOLDER}
    done = run(
        {**below, **deep, "below/conftest.py": OF_THE_FOLDER, "test_c.py": "def test(): 0\n"},
        *("-m", "not deep", "below/test_b.py", "below"),
    )
    assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_what_goes_wrong_in_either_process_fails_the_run(run):
    meeting = MEETING.format(then="assert 0")
    unread = {f"test_{number}.py": "import nothing_like_it\n" for number in range(3)}
    done = run({"test_a.py": meeting, "test_b.py": meeting, **unread})
    assert done.returncode == 1 and "2 failed, 3 errors" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_a_process_that_dies_fails_the_run(run):
    meeting = MEETING.format(then="import os; is_helper and os._exit(3)")
    done = run({"test_a.py": meeting, "test_b.py": meeting})
    assert done.returncode == 2 and "ended before its tests" in done.stdout, done.stdout + done.stderr


def test_groups_are_of_whole_files():
    """One that stands at a single test would be no group."""
    wrong = [
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("test_*.py"))
        if path != Path(__file__) and "mark.together" in (source := path.read_text())
        if not read_group(source)
    ]
    assert not wrong, wrong
