"""The benches in full, against what is promised. Minutes each: `make test-deep`, on a quiet machine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from lifecycle.benches.servers.postgres_server import NoPostgres, postgres_server
from tests.runs.conftest import TOP

# `make test-deep` runs them last, one after the other: beside each other they would measure each other.
pytestmark = pytest.mark.deep

SECONDS = 1800
Bench = Callable[..., dict[str, Any]]


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """`manage.py bench NAME --option value…` on a database of that kind."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    with ExitStack() as stack:
        if request.param == "postgresql":
            try:
                environment["DATABASE_URL"] = stack.enter_context(postgres_server()).url
            except NoPostgres as problem:
                pytest.skip(str(problem))

        def run(name: str, **options: int) -> dict[str, Any]:
            words = [word for option, value in options.items() for word in (f"--{option}", str(value))]
            said = subprocess.run(
                [sys.executable, "manage.py", "bench", name, *words, "--json"],
                cwd=TOP,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            assert said.returncode == 0, said.stderr[-4000:]
            print(said.stdout)
            return json.loads(said.stdout)

        yield run


only_sqlite = pytest.mark.parametrize("bench", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("bench", ["postgresql"], indirect=True)


@only_sqlite
def test_ten_thousand_pods_take_twenty_times_the_bare_loop(bench):
    assert bench("engine", pods=10_000, nodes=1_000)["ratio"] >= 0.05


@only_sqlite
def test_a_hundred_thousand_pods_fit_into_two_gibibytes_and_cost_no_more_each(bench):
    few, many = bench("engine", pods=1_000, nodes=100), bench("engine", pods=100_000, nodes=1_000)
    assert many["peak_rss_mb"] < 2048
    # The machine's own speed swings by a third.
    assert many["figures"]["microseconds_per_pod"] < 2 * few["figures"]["microseconds_per_pod"]


@only_sqlite
def test_an_hour_without_changes_costs_next_to_nothing(bench):
    assert bench("idle", pods=10_000, nodes=1_000)["ratio"] <= 0.005


def test_fifty_kills_lose_nothing(bench):
    answer = bench("recover")
    figures = answer["figures"]
    assert (figures["lost_commands"], figures["doubled_commands"], figures["difference"]) == (0, 0, "none")
    assert answer["ratio"] <= 1


def test_recording_keeps_up_with_raw_writes(bench):
    assert bench("record")["ratio"] >= 0.25


def test_a_million_transitions_are_exported(bench):
    answer = bench("export", rows=1_000_000)
    assert answer["ratio"] >= 0.2 and answer["figures"]["rss_growth_mb"] <= 64


@only_sqlite
def test_fifty_browsers_see_two_hundred_changes_a_second(bench):
    answer = bench("live", clients=50, clusters=1, changes=200)
    assert answer["figures"]["rows_per_second_and_cluster"] >= 200
    assert answer["figures"]["clients_that_missed_rows"] == 0 and answer["ratio"] <= 1


@only_sqlite
@pytest.mark.parametrize(
    "work",
    [
        pytest.param({"clients": 1000, "clusters": 20, "changes": 1}, id="many quiet clusters"),
        pytest.param({"clients": 300, "clusters": 1, "changes": 200}, id="more than a web server can send"),
    ],
)
def test_under_load_nothing_is_missed(bench, work):
    answer = bench("live", **work)
    assert answer["figures"]["clients_that_missed_rows"] == 0


@only_postgresql
def test_two_workers_do_more_than_one(bench):
    assert bench("workers")["ratio"] >= 1.6
