"""Which worker has which shards, and what happens to time when nobody has."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F

from lifecycle.models import Shard, Worker
from lifecycle.runs.runner import Owner
from lifecycle.runs.sharing import shards
from tests.runs import conftest

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def four_shards(settings):
    settings.SHARDS = 4
    shards.make_shards()


def test_the_first_worker_takes_everything_and_shares_with_the_second():
    assert shards.beat("one") == [0, 1, 2, 3]
    assert shards.beat("two") == []
    assert shards.beat("one") == [0, 1]
    assert shards.beat("two") == [2, 3]


def test_a_worker_that_waited_for_the_shards_leaves_them_to_who_took_them(monkeypatch):
    really_lock = Shard.objects.select_for_update

    def lock_late():
        monkeypatch.undo()
        shards.beat("one")
        return really_lock()

    monkeypatch.setattr(Shard.objects, "select_for_update", lock_late)
    assert shards.beat("two") == [2, 3]
    assert shards.beat("one") == [0, 1]


def test_a_silent_worker_loses_its_shards():
    shards.beat("one")
    shards.beat("two")
    shards.beat("one")
    be_silent("one", seconds=4)
    assert shards.beat("two") == [0, 1, 2, 3]


def test_a_worker_that_is_known_to_be_dead_is_waited_for_by_nobody(make_cluster):
    """Its time stood since its last beat, as for one that fell silent."""
    shards.beat("one")
    be_silent("one", seconds=2)
    cluster = make_cluster(anchor_wall=datetime(2026, 1, 1, tzinfo=UTC))
    shards.give_up("one")
    assert not Worker.objects.exists()
    assert shards.beat("two") == [0, 1, 2, 3]
    cluster.refresh_from_db()
    assert cluster.anchor_wall >= datetime(2026, 1, 1, 0, 0, 2, tzinfo=UTC)


def test_a_worker_that_beats_keeps_its_shards():
    shards.beat("one")
    be_silent("one", seconds=2)
    assert shards.beat("two") == []


def test_a_worker_that_leaves_frees_its_shards_at_once():
    shards.beat("one")
    shards.leave("one")
    assert shards.beat("two") == [0, 1, 2, 3]


def test_a_shard_that_moves_raises_the_fences_of_its_clusters(make_cluster):
    shards.beat("one")
    cluster = make_cluster()
    cluster.refresh_from_db()
    before = cluster.fence
    shards.leave("one")
    shards.beat("two")
    cluster.refresh_from_db()
    assert cluster.fence == before + 1


def test_time_stands_while_nobody_serves(make_cluster):
    shards.beat("one")
    cluster = make_cluster()
    cluster.anchor_wall = Shard.objects.get(number=cluster.shard).served_until
    cluster.save()
    before = cluster.anchor_wall
    be_silent("one", seconds=3600)
    shards.beat("two")
    cluster.refresh_from_db()
    assert timedelta(0) <= cluster.anchor_wall - before - timedelta(hours=1) < timedelta(seconds=5)


def test_a_laptop_that_slept_loses_no_time_either(make_cluster):
    shards.beat("one")
    cluster = make_cluster()
    cluster.anchor_wall = Shard.objects.get(number=cluster.shard).served_until
    cluster.save()
    before = cluster.anchor_wall
    be_silent("one", seconds=8 * 3600)
    shards.beat("one")
    cluster.refresh_from_db()
    assert timedelta(0) <= cluster.anchor_wall - before - timedelta(hours=8) < timedelta(seconds=5)


@pytest.mark.parametrize("vendor, hours", [("postgresql", 0), ("sqlite", 1)])
def test_workers_go_by_the_clock_that_beats_go_by(monkeypatch, vendor, hours):
    """Another machine's database does not move with ours: a clock set here moves no time there."""
    now = time.time()
    monkeypatch.setattr(connection, "vendor", vendor)
    monkeypatch.setattr(shards, "_offset", None)
    shards._follow_clock(datetime.fromtimestamp(now, UTC))
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert shards.wall() - now == pytest.approx(3600 * hours, abs=60)


def be_silent(worker: str, seconds: float) -> None:
    """As if the worker had last been heard of so long ago."""
    gone = timedelta(seconds=seconds)
    Worker.objects.filter(name=worker).update(seen_at=F("seen_at") - gone)
    Shard.objects.filter(worker=worker).update(served_until=F("served_until") - gone)


@pytest.mark.slow
@pytest.mark.parametrize("hours", [400 * 24, -400 * 24])
def test_a_wall_clock_that_was_set_moves_no_cluster(make_cluster, wall, frames, caplog, monkeypatch, hours):
    """What the clock's jump is worth neither passes at once nor stands for as long."""
    steady = conftest.Wall()
    monkeypatch.setattr(shards, "_database_now", lambda: datetime.fromtimestamp(wall(), UTC))
    shards.make_shards()
    shards.beat("test")
    owner = Owner("test", wall, steady)
    cluster = make_cluster()
    owner.turn(cluster.pk)
    for clock in (wall, steady):
        clock.go_on(0.5)
    owner.turn(cluster.pk)
    wall.go_on(hours * 3600)
    owner.turn(cluster.pk)
    shards.beat("test")
    for clock in (wall, steady):
        clock.go_on(2)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    # The half second since the last beat stood.
    assert 1990 <= cluster.instant_ms <= 2500
    assert ("back by" if hours < 0 else "forward by") in cluster.clock_note
    assert "the wall clock went" in caplog.text
