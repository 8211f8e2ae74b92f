"""The same tests on PostgreSQL, and two workers that share nothing with each other but it and Redis."""

import getpass
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.runs.conftest import TOP

pytestmark = pytest.mark.slow

SECONDS = 300
ON_POSTGRES = ["runner", "shards", "forks", "retention", "checkpoints", "container_logs", "health"]


def find_program(name: str) -> str | None:
    """Debian keeps the server's programs off the PATH."""
    beside = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(beside[-1]) if beside else shutil.which(name)


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server of the tests' own, on a socket."""
    initdb, pg_ctl = find_program("initdb"), find_program("pg_ctl")
    if not (initdb and pg_ctl):
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    # It refuses to run as root, and nobody else may enter pytest's own folders.
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    folder = Path(tempfile.mkdtemp(prefix="podline-postgres-"))
    shutil.chown(folder, user)

    def run(*command: str) -> None:
        # The server keeps its output open: a pipe to it would never end.
        nothing = subprocess.DEVNULL
        subprocess.run(command, check=True, user=user, cwd=folder, stdout=nothing, stderr=nothing)

    data, log = str(folder / "data"), str(folder / "log")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run(initdb, "-D", data, "-A", "trust", "-U", "podline", "--no-sync")
    run(pg_ctl, "-D", data, "-l", log, "-o", options, "-w", "start")
    yield f"postgres://podline@{quote(str(folder), safe='')}/postgres"
    run(pg_ctl, "-D", data, "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder)


def test_runs_are_the_same_on_postgresql(postgres_url):
    files = [f"tests/runs/test_{name}.py" for name in ON_POSTGRES]
    said = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow and not deep",
            *files,
        ],
        cwd=TOP,
        env=os.environ | {"DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert said.returncode == 0, said.stdout[-4000:]


def test_workers_on_one_machine_and_on_two_are_replaced(postgres_url):
    said = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("tests/runs/test_workers.py", "tests/runs/test_hosts.py"),
        ],
        cwd=TOP,
        env=os.environ | {"DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert said.returncode == 0, said.stdout[-4000:]
