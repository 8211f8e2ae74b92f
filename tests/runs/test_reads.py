"""Questions about a cluster: its time, and what is left of it when it is deleted."""

from datetime import timedelta

import orjson
from django.db import models
from django.utils import timezone

from dashboard.live.live_figures import tell_time
from lifecycle import reads
from lifecycle.models import Cluster, Event, ObjectVersion, Shard, StoredObject, Transition
from tests.runs.conftest import create
from tests.runs.histories import replayed


def test_virtual_now_goes_on_between_turns(owner, wall, make_cluster):
    cluster = make_cluster(speed=100.0)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    cluster.anchor_wall = timezone.now() - timedelta(seconds=2)
    assert 200_000 <= reads.virtual_now_ms(cluster) < 260_000


def test_virtual_now_stands_while_nobody_serves(owner, make_cluster):
    cluster = make_cluster(speed=100.0)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    cluster.anchor_wall = timezone.now() - timedelta(seconds=100)
    Shard.objects.update(served_until=timezone.now() - timedelta(seconds=90))
    assert 1_000_000 <= reads.virtual_now_ms(cluster) < 1_010_000
    # The page's clock shows the same.
    clock = tell_time(cluster)
    assert (clock["at_ms"], clock["stalled"]) == (reads.virtual_now_ms(cluster), True)


def test_rows_come_in_order_with_transitions_and_events_together(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=2)
    for _ in range(10):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    rows = reads.rows_since(cluster, 10, limit=80)
    assert [row["seq"] for row in rows] == list(range(11, 91))
    assert {row["type"] for row in rows} == {"transition", "event"}


def test_rows_come_byte_for_byte_as_the_trace_has_them(owner, wall, make_cluster):
    """The order of keys included, or a hash over them would depend on the database."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    for _ in range(10):
        owner.turn(cluster.pk)
        wall.go_on(1)
    expected = replayed(cluster)
    assert any(row["type"] == "transition" and len(row["detail"] or ()) > 1 for row in expected)
    assert orjson.dumps(reads.rows_since(cluster, 0)) == orjson.dumps(expected)


def test_a_deleted_cluster_leaves_nothing_and_its_owner_lets_go(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=2)
    owner.turn(cluster.pk)
    pk = cluster.pk
    cluster.delete()
    owner.turn(pk)
    kept: list[type[models.Model]] = [Cluster, Transition, Event, ObjectVersion, StoredObject]
    assert [model._default_manager.count() for model in kept] == [0] * 5
    assert pk not in owner.hot
