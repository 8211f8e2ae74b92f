"""Runs of pytest inside a test."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def run_pytest(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run pytest on one test module, with nothing but the report plugin of this project."""

    def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = spec(*ids): requirements\n")
        (tmp_path / "test_module.py").write_text(module)
        command = [sys.executable, "-m", "pytest", "-p", "tests.spec_report", "-p", "no:django", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run
