"""The same tests on PostgreSQL, and two workers that share nothing with each other but it and Redis."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest

from lifecycle.benches.servers.postgres_server import NoPostgres, postgres_server
from tests.runs.conftest import TOP
from tests.seeds import one_in

pytestmark = pytest.mark.slow

SECONDS = 300
# Written in bulk, asked in SQL, shared out under locks, let go by age: no other goes past Django's own words.
FIRST = ["test_bulk", "test_plain_questions", "workers/test_shards", "test_retention"]
OTHERS = ["test_runner", "test_forks", "test_checkpoints", "test_container_logs", "test_health", "test_reads"]


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server of the tests' own, on a socket."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres_server())
        except NoPostgres as problem:
            pytest.skip(str(problem))
        yield server.url


@pytest.mark.parametrize("names", one_in(2, [FIRST, OTHERS]), ids=["first", "others"])
def test_runs_are_the_same_on_postgresql(postgres_url, names):
    files = [f"tests/runs/{name}.py" for name in names]
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


WORKERS = "tests/runs/workers/test_workers.py"
KILLED = f"{WORKERS}::test_a_worker_killed_in_mid_rollout_is_replaced_without_gap_or_double"
EACH = (WORKERS, "tests/runs/workers/test_hosts.py")


# Workers are replaced on SQLite in `test_workers`; that the rest is the same here, the test above says.
@pytest.mark.deep
@pytest.mark.parametrize(
    "tests",
    [pytest.param([KILLED], id="one that is killed"), pytest.param(EACH, id="on one machine and on two")],
)
def test_workers_are_replaced(postgres_url, tests):
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=TOP,
        env=os.environ | {"DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert said.returncode == 0, said.stdout[-4000:]


@pytest.mark.deep
def test_nothing_is_lost_when_the_database_is_killed_as_well(postgres_url):
    """The bench has a server of its own; the URL says which kind."""
    said = subprocess.run(
        [sys.executable, "manage.py", "bench", "recover", "--kills", "7", "--pods", "4", "--json"],
        cwd=TOP,
        env=os.environ | {"DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    figures = json.loads(said.stdout)["figures"]
    assert (figures["lost_commands"], figures["doubled_commands"], figures["difference"]) == (0, 0, "none")
    assert figures["database_seconds"] < 5


HOLD = """
import os, signal, django
django.setup()
from django.db import transaction
from lifecycle.runs.sharing import shards
from lifecycle.runs.celery import serving
from lifecycle.models import Shard
shards.make_shards()
serving.keep_connection()
with transaction.atomic():
    list(Shard.objects.select_for_update())
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.deep
def test_a_stopped_worker_gives_the_shards_up(postgres_url):
    """Stopped in the middle of a heartbeat, it would keep every other worker from taking them."""
    environment = os.environ | {"DATABASE_URL": postgres_url, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=TOP, env=environment, check=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=TOP, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with psycopg.connect(postgres_url) as other:
            other.execute("SET lock_timeout = '5s'")
            assert other.execute("SELECT * FROM lifecycle_shard FOR UPDATE").fetchall()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
