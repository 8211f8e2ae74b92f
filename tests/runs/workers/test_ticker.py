"""The ticker looks when a wake comes, not some tenth of a second later."""

from __future__ import annotations

import pytest

from lifecycle.models import Cluster
from lifecycle.runs.celery.ticker import LEAST_SECONDS, TICK_SECONDS, due_shards
from lifecycle.runs.run_clock import moment

NOW = 1_800_000_000.0
pytestmark = pytest.mark.django_db


def wake(make_cluster, shard: int, seconds: float | None, **fields: object) -> None:
    made = make_cluster(f"shop-{shard}")
    wake_at = None if seconds is None else moment(NOW + seconds)
    Cluster.objects.filter(pk=made.pk).update(shard=shard, next_wake_at=wake_at, **fields)


@pytest.mark.parametrize(
    ("wakes", "due", "wait"),
    [
        ([], [], TICK_SECONDS),
        ([None, 3.0], [], TICK_SECONDS),
        ([-1.0, 0.0, None], [0, 1], TICK_SECONDS),
        ([-1.0, 0.03, 0.02], [0], 0.02),
        ([0.001], [], LEAST_SECONDS),
    ],
)
def test_it_nudges_what_is_due_and_looks_again_when_the_next_is(make_cluster, wakes, due, wait):
    for shard, seconds in enumerate(wakes):
        wake(make_cluster, shard, seconds)
    shards, wait_seconds = due_shards(NOW)
    assert shards == due
    assert wait_seconds == pytest.approx(wait, abs=1e-5)


def test_a_cluster_that_failed_is_not_looked_at(make_cluster):
    wake(make_cluster, 1, -1.0, failure="broken")
    assert due_shards(NOW) == ([], TICK_SECONDS)
