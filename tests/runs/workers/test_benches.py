"""A short form of every bench: it runs, answers in the common shape, and finds nothing lost."""

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from lifecycle.benches import check
from lifecycle.benches.heap_loop import compare_rows
from tests.seeds import one_in

pytestmark = pytest.mark.slow


# Those that record what they measure also say what a recorded row costs.
BY_ROW = ("batch", "crash", "engine", "rollout")


def bench(name: str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("bench", name, "--json", stdout=out, **options)
    answer = json.loads(out.getvalue())
    by_row = ["row_ratio"] if name in BY_ROW else []
    assert list(answer) == ["bench", "work", "figures", "limit", "ratio", *by_row, "peak_rss_mb"]
    assert answer["bench"] == name and answer["limit"]["value"] > 0 and answer["ratio"] > 0
    return answer


def find_row_ratio(answer: dict[str, Any], steps: int) -> float:
    """A step of the loop against a row, by what else is told: the loop's pods a second, of so many steps."""
    step_seconds = 1 / (answer["limit"]["value"] * steps)
    return step_seconds * answer["figures"]["rows"] / answer["figures"]["seconds"]


@pytest.mark.parametrize(
    "loop_seconds, pods, rows, seconds, expected",
    [
        pytest.param(1.0, 125_000, 500_000, 2.0, 0.25, id="a row of 4 steps"),
        pytest.param(0.8, 100_000, 1_000_000, 1.0, 1.0, id="a row of one step"),
        pytest.param(0.8, 100_000, 1_000_000, 10.0, 0.1, id="ten times as long, a tenth"),
    ],
)
def test_a_row_is_compared_with_a_step_of_the_loop(loop_seconds, pods, rows, seconds, expected):
    assert compare_rows(loop_seconds, pods, rows, seconds) == expected


def test_engine():
    answer = bench("engine", pods=100, nodes=10)
    # A pod's whole life is recorded: a few rows a pod would mean that most of it is missing.
    assert answer["figures"]["rows"] > 100 * 15
    # Small and on a busy machine: only a collapse shows here. The figure is the full bench's.
    assert answer["ratio"] > 0.004
    assert answer["row_ratio"] == pytest.approx(find_row_ratio(answer, 8), rel=0.1)


def test_check(monkeypatch):
    monkeypatch.setattr(check, "PASSES", 1)
    monkeypatch.setattr(check, "MANY_SEEDS", 5)
    answer = bench("check", workloads=1, pods=1, seeds=1)
    assert answer["work"]["processes"] >= 2 and answer["figures"]["futures"] > 10
    # Nobody uses more cores than there are processes, and the one that waits for them.
    assert 0 < answer["figures"]["cores_used"] <= answer["work"]["processes"] + 1
    # Its full form holds it to 1.1; a busy machine shows only what grows with the square.
    assert 0 < answer["figures"]["seeds_cost_ratio"] < 5


def test_batch():
    answer = bench("batch", pods=80, parallelism=20, nodes=5, slots=24)
    # Each pod is made, run, counted and let go; so is each hour's, and its Job.
    assert answer["figures"]["rows"] > 80 * 20
    assert answer["figures"]["cron_rows"] > 24 * 40
    assert answer["row_ratio"] == pytest.approx(find_row_ratio(answer, 8), rel=0.1)
    assert answer["figures"]["cron_row_ratio"] > 0


@pytest.mark.parametrize("kind", one_in(2, ["Deployment", "StatefulSet"]))
def test_rollout(kind):
    answer = bench("rollout", pods=30, nodes=5, kind=kind)
    assert answer["figures"]["rows"] > 30 * 25
    # A pod that comes or goes takes 8 steps: the row is compared with one of them.
    assert answer["row_ratio"] == pytest.approx(find_row_ratio(answer, 2 * 8), rel=0.1)


def test_idle():
    answer = bench("idle", pods=100, nodes=10)
    assert answer["ratio"] < 0.05


@pytest.fixture
def migrated(transactional_db: None, kept_database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bench's own database begins as all of them do: each migration is tried without it."""
    create = connection.creation.create_test_db

    def copy(**options: Any) -> str:
        shutil.copy(kept_database, connection.settings_dict["TEST"]["NAME"])
        return create(**options, keepdb=True)

    if connection.vendor == "sqlite":
        monkeypatch.setattr(connection.creation, "create_test_db", copy)


@pytest.mark.usefixtures("migrated")
def test_record():
    answer = bench("record", pods=20, nodes=2)
    # Some 27 rows of history a pod, and its versions.
    assert answer["figures"]["rows"] > 20 * 27


# What is exported has short tests in `export`.
@pytest.mark.deep
@pytest.mark.usefixtures("migrated")
def test_export():
    """It compares count and hash with the run's by itself."""
    answer = bench("export", rows=1_000)
    assert answer["work"]["rows"] >= 1_000
    assert answer["figures"]["rss_growth_mb"] <= 64


# How shards and turns are shared has short tests in `test_shards` and `test_turns`.
@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_workers():
    answer = bench("workers", pods=10, restarts=2)
    # Two pods' lives for each replica and restart, in each of two clusters.
    assert answer["figures"]["rows"] > 2 * 10 * 3 * 25


# Killed workers have a short test in `test_workers`.
@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_recover():
    answer = bench("recover", kills=4, pods=4)
    assert answer["figures"]["lost_commands"] == answer["figures"]["doubled_commands"] == 0
    assert answer["figures"]["difference"] == "none"


# What watchers are told has short tests in `kube_api/test_watching`.
@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_api():
    answer = bench("api", watchers=20, changes=5, seconds=1)
    assert answer["figures"]["missed"] == answer["figures"]["doubled"] == 0
    assert answer["figures"]["gets_per_second"] > answer["figures"]["lists_per_second"] > 0
    assert answer["figures"]["patch_p50_to_page"] > 0
    assert answer["figures"]["patch_cpu_ms"] > answer["figures"]["get_cpu_ms"] > 0


# What sockets are sent has short tests in `dashboard/live/test_consumer`.
@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_live():
    answer = bench("live", clients=5, seconds=5, changes=20)
    assert answer["figures"]["clients_that_missed_rows"] == 0


def test_sizes_start_at_one():
    with pytest.raises(CommandError, match="start at 1"):
        call_command("bench", "engine", pods=0)


def test_crash():
    answer = bench("crash", pods=8, nodes=2)
    # Crash loops of 60 s runs and back-offs up to 300 s: thirteen restarts or so in the hour.
    assert 8 * 12 <= answer["work"]["restarts"] <= 8 * 16
    # Over a hundred checks a restart, and next to none of them is a write.
    assert answer["figures"]["versions"] < answer["figures"]["checks"] / 10
    assert answer["row_ratio"] > 0


def test_sleep():
    answer = bench("sleep", pods=20, nodes=2)
    assert answer["figures"]["rows"] == answer["figures"]["versions"] == 0
