"""The cycle collector around engines: what they make is out of sight, and freed once they are let go."""

import subprocess
import sys

import pytest

from tests.runs.conftest import TOP
from tests.runs.workers.collecting import CLAIMS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("claim", [claim.__name__ for claim in CLAIMS])
def test_the_collector_around_engines(claim: str):
    """In a process of its own: to look through all that this one holds takes seconds."""
    command = [sys.executable, "-m", "tests.runs.workers.collecting", claim]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
