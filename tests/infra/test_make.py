"""What `make` says when something on the machine is missing: one line, with the cure."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    for name in ("Makefile", "requirements.txt", "constraints.txt"):
        shutil.copy(TOP / name, folder)
    # Nothing of a `make test` around this test.
    theirs = {"ARGS", "PYTHON", "MFLAGS", "MAKEFLAGS", "MAKEOVERRIDES", "MAKELEVEL"}
    environment = {key: value for key, value in os.environ.items() if key not in theirs}
    return subprocess.run(["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def fake_python(folder: Path) -> Path:
    """A Python that runs nothing: as on a Debian without python3-venv, it cannot import ensurepip."""
    python = folder / "python3"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize(
    "python, said",
    [
        ("", "Podline needs Python 3.11 or newer. Cure (Debian): apt-get install python3 python3-venv"),
        ("fake", "has no ensurepip, so it cannot make a virtual environment. Cure (Debian): apt-get install"),
    ],
)
def test_a_missing_python_is_one_line_with_the_cure(tmp_path: Path, python: str, said: str):
    path = fake_python(tmp_path) if python else ""
    result = make(tmp_path, "up", f"PYTHON={path}")
    ours = [line for line in result.stderr.splitlines() if not line.startswith("make:")]
    assert result.returncode != 0
    assert len(ours) == 1 and said in ours[0]


def test_what_is_installed_already_is_not_installed_again(tmp_path: Path):
    (tmp_path / ".venv/bin").mkdir(parents=True)
    installed = tmp_path / ".venv/bin/.runs"
    installed.touch()
    os.utime(installed, (2**31, 2**31))
    assert make(tmp_path, "--dry-run", "up").stdout.strip() == "exec .venv/bin/python manage.py up"


@pytest.mark.parametrize("script", ["run", "check"])
def test_ci_scripts_can_be_started(script: str):
    assert os.access(TOP / ".ci" / script, os.X_OK)


def test_ci_runs_exactly_make_test():
    assert "exec make test </dev/null" in (TOP / ".ci/run").read_text()
