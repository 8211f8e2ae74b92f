"""A fair share of a worker for every user, and clusters that stand while their owner holds too much."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model

from lifecycle.models import RunControl
from lifecycle.runs import inbox, recorder, runner
from lifecycle.runs.sharing import shards, turns
from lifecycle.runs.sharing.shares import Due, Shares, split
from tests.runs.conftest import create


@pytest.mark.parametrize(
    "owners, expected",
    [
        pytest.param([1], {1: 0.1}, id="alone, a whole turn"),
        pytest.param([1, 1, 1, 1], {1: 0.05}, id="one user's share among the clusters"),
        pytest.param([1] * 4 + [2], {1: 0.025, 2: 0.1}, id="as much for one cluster as for four"),
        pytest.param([1] * 50 + [2], {1: 0.01, 2: 0.1}, id="no less than a little"),
    ],
)
def test_users_have_equal_parts_of_a_round(owners, expected):
    due = [Due(number, owner) for number, owner in enumerate(owners)]
    assert split(due, most=0.1, least=0.01, together=0.2) == pytest.approx(expected)


def test_who_had_least_goes_first_and_what_was_had_is_forgotten():
    shares = Shares()
    shares.charge(1, 0.4, now=0.0)
    shares.charge(2, 0.1, now=0.0)
    due = [Due(10, 1), Due(11, 1), Due(20, 2), Due(30, 3)]
    assert [one.cluster for one in shares.order(due, 0.0)] == [30, 20, 10, 11]
    assert [one.cluster for one in shares.before(due, 2, 0.0)] == [30]
    assert [one.cluster for one in shares.before(due, 1, 0.0)] == [30, 20]
    assert shares.lately(1, now=2.0) == pytest.approx(0.1)
    shares.charge(3, 0.1, now=60.0)
    assert list(shares.had) == [3]


@pytest.mark.slow
@pytest.mark.django_db
def test_fifty_busy_clusters_of_one_user_keep_anothers_waiting_for_no_more_than_a_turn(
    owner, wall, settings, monkeypatch
):
    settings.SHARDS = 4
    shards.make_shards()
    shards.beat("test")
    users = get_user_model().objects
    busy = [inbox.create_cluster(users.create_user("busy"), "busy-0")]
    busy += [inbox.create_cluster(busy[0].owner, f"busy-{number}") for number in range(1, 50)]
    quiet = inbox.create_cluster(users.create_user("quiet"), "quiet")
    taken: list[int] = []
    wall.go_on(60)

    def turn(cluster_id: int, seconds: float, between: object) -> float:
        taken.append(cluster_id)
        # Every turn takes longer than it should; only the quiet one is done with it.
        wall.now += 0.15
        if cluster_id == quiet.pk:
            type(quiet).objects.filter(pk=quiet.pk).update(next_wake_at=None)
        return wall.now

    monkeypatch.setattr(owner, "turn", turn)
    other = next(one.shard for one in busy if one.shard != quiet.shard)
    # In its own shard it goes first, whoever else is due; in another's turn it is not forgotten.
    turns.turn_of_shard(owner, other)
    assert quiet.pk in taken[:2]
    type(quiet).objects.filter(pk=quiet.pk).update(next_wake_at=turns.moment(wall.now - 1))
    taken.clear()
    turns.turn_of_shard(owner, quiet.shard)
    assert taken[0] == quiet.pk and len(taken) > 10


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_nobody_waits_until_a_large_slice_is_recorded(owner, wall, settings, monkeypatch):
    """What is written in parts is left between them: another user's command is answered meanwhile."""
    settings.SHARDS = 1
    monkeypatch.setattr(turns, "LOOK_AROUND_SECONDS", -1.0)
    monkeypatch.setattr(recorder, "BATCH_ROWS", 20)
    users = get_user_model().objects
    busy = inbox.create_cluster(users.create_user("busy"), "busy")
    quiet = inbox.create_cluster(users.create_user("quiet"), "quiet")
    turns.turn_of_shard(owner, busy.shard)
    create(busy, replicas=40)
    asked = []
    record = recorder.record

    def record_slowly(cluster, fence, piece, *rest):
        if len(piece.rows) > 100 and not asked:
            asked.append(create(quiet, replicas=1))
            wall.go_on(0.5)
        is_large = len(piece.rows) > 100
        written.append((cluster.name, f"begun {is_large}"))
        summaries = record(cluster, fence, piece, *rest)
        written.append((cluster.name, f"done {is_large}"))
        return summaries

    written: list[tuple[str, str]] = []
    monkeypatch.setattr(recorder, "record", record_slowly)
    wall.go_on(1)
    for _ in range(3):
        turns.turn_of_shard(owner, busy.shard)
        wall.go_on(1)
    begun, done = (written.index(("busy", f"{what} True")) for what in ("begun", "done"))
    assert ("quiet", "done False") in written[begun:done]
    asked[0].refresh_from_db()
    assert asked[0].is_done
    busy.refresh_from_db()
    assert owner.hot[busy.pk].engine.head == busy.seq


@pytest.mark.slow
def test_a_cluster_whose_owner_has_too_many_pods_is_paused_and_says_so(
    owner, wall, make_cluster, settings, monkeypatch
):
    monkeypatch.setattr(runner, "HOLDINGS_SECONDS", 0.0)
    cluster = make_cluster()
    # One cluster alone does not come so far: it was made when more were allowed.
    settings.MAX_PODS = 5
    create(cluster, replicas=8)
    for _ in range(3):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    assert cluster.pods == 8 and cluster.paused
    assert cluster.clock_note == (
        "Paused: your clusters have 8 pods, and 5 is the most for one user (MAX_PODS): delete some, or a"
        " cluster"
    )
    stands_at = cluster.instant_ms
    # What went round the inbox is stopped as well.
    RunControl.objects.create(cluster=cluster, kind="resume")
    owner.turn(cluster.pk)
    wall.go_on(5)
    owner.turn(cluster.pk)
    cluster.refresh_from_db()
    assert cluster.paused and cluster.instant_ms < stands_at + 1000


@pytest.mark.slow
def test_pods_that_went_are_not_counted(owner, wall, make_cluster):
    cluster = make_cluster()
    create(cluster, replicas=4)
    owner.turn(cluster.pk)
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    inbox.append(cluster, "scale", target | {"replicas": 1})
    for _ in range(6):
        wall.go_on(10)
        owner.turn(cluster.pk, 10.0)
    cluster.refresh_from_db()
    assert cluster.pods == 1 and cluster.recorded_bytes > 10_000
    # Counted anew by whoever takes it over.
    type(cluster).objects.filter(pk=cluster.pk).update(pods=77)
    owner.close()
    owner.turn(cluster.pk, 10.0)
    inbox.append(cluster, "scale", target | {"replicas": 2})
    for _ in range(2):
        wall.go_on(1)
        owner.turn(cluster.pk, 10.0)
    cluster.refresh_from_db()
    assert cluster.pods == 2
