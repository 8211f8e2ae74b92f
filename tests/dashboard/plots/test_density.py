"""How many pods were in each state over time: told backwards from now, read as it is followed."""

from __future__ import annotations

from collections import Counter

import pytest

from dashboard.live.densities import read_density
from dashboard.live.timeline_feed import Asked, TimelineFeed
from dashboard.plots.density import Density, make_band
from dashboard.plots.living import LivingPods
from lifecycle.models import Cluster, StoredObject, Transition
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life, transition

WEB = ("default", "ReplicaSet/web")
LIVES = [
    *pod_life("a", 0, "ReplicaSet/web"),
    *pod_life("b", 1000, "ReplicaSet/web"),
    transition(8000, "state", "crashing", "b", old="ready", owner="ReplicaSet/web"),
    transition(9000, "exists", "deleted", "a", owner="ReplicaSet/web"),
]


def follow(rows, now_ms=10_000):
    living = LivingPods()
    living.densities = [Density(0, now_ms)]
    for row in sorted(rows, key=lambda row: row["at_ms"]):
        living.feed(row)
    return living


def runs_of(density, living, factor=1):
    runs = density.tell_runs([WEB], living.by_owner.get(WEB, Counter()), factor)
    return [(run.start_ms, run.end_ms, dict(run.states)) for run in runs]


def test_what_was_is_told_backwards_from_what_is():
    living = follow(LIVES)
    assert runs_of(living.densities[0], living) == [
        (0, 1000, {"starting": 1}),
        (1000, 2000, {"starting": 2}),
        (2000, 3000, {"notReady": 1, "starting": 1}),
        (3000, 5000, {"notReady": 2}),
        (5000, 6000, {"ready": 1, "notReady": 1}),
        (6000, 8000, {"ready": 2}),
        (8000, 9000, {"ready": 1, "crashing": 1}),
        (9000, None, {"crashing": 1}),
    ]


def test_longer_stretches_are_drawn_as_they_were_at_their_end():
    living = follow(LIVES)
    assert runs_of(living.densities[0], living, factor=16)[0] == (0, 4000, {"notReady": 2})
    living.densities[0].widen(500_000)
    assert living.densities[0].size_ms == 4000
    assert runs_of(living.densities[0], living)[0] == (0, 4000, {"notReady": 2})


def test_a_window_that_moves_on_forgets():
    living = follow(LIVES)
    living.densities[0].move(7000)
    assert runs_of(living.densities[0], living) == [
        (7000, 8000, {"ready": 2}),
        (8000, 9000, {"ready": 1, "crashing": 1}),
        (9000, None, {"crashing": 1}),
    ]


@pytest.mark.django_db
def test_what_is_read_is_what_was_followed():
    cluster = make_cluster(make_user())
    record(cluster, sorted(LIVES, key=lambda row: row["at_ms"]))
    pods = StoredObject.objects.filter(cluster=cluster)
    pods.filter(name="b").update(state="crashing")
    pods.filter(name="a").update(state="ready", deleted_ms=9000)
    living = follow(LIVES)
    assert runs_of(read_density(cluster, 0), living) == runs_of(living.densities[0], living)


def test_a_band_stands_on_what_is_well_and_shows_one_of_many():
    states = Counter({"ready": 9999, "crashing": 1})
    density = Density(0, 1000)
    bars = make_band("lane", "web", density.tell_runs([WEB], states), 3)
    assert [bar.tone.name for bar in bars] == ["ready", "crashing"]
    assert bars[0].title == "web: 9999 of 10000 ready"
    tops = {bar.tone.name: bar.place[0] for bar in bars}
    assert tops["crashing"] < tops["ready"]
    assert bars[1].place[1] > 0.1


@pytest.fixture
def crowd() -> Cluster:
    """More pods than rows: p007 crashes on node-2, the others are well on node-1."""
    cluster = make_cluster(make_user())
    names = [f"p{number:03}" for number in range(310)]
    rows = [row for name in names for row in _life(name)]
    Transition.objects.bulk_create(
        Transition(
            cluster=cluster, **{key: value for key, value in row.items() if key != "type"} | {"seq": seq}
        )
        for seq, row in enumerate(rows, start=1)
    )
    StoredObject.objects.bulk_create(
        StoredObject(
            cluster=cluster,
            uid=f"uid-{name}",
            kind="Pod",
            namespace="default",
            name=name,
            owner="ReplicaSet/web",
            state=state,
            status=status,
            node=node,
            rv=1,
            data={},
        )
        for name, (state, status, node) in ((name, _told(name)) for name in names)
    )
    cluster.seq, cluster.instant_ms = len(rows), 9000
    cluster.save()
    return cluster


def _told(name: str) -> tuple[str, str, str]:
    return ("crashing", "CrashLoopBackOff", "node-2") if name == "p007" else ("ready", "Running", "node-1")


def _life(name: str) -> list[dict]:
    state, status, node = _told(name)
    told = {"exists": "created", "node": node, "status": status, "state": state}
    return [transition(0, field, new, name, owner="ReplicaSet/web") for field, new in told.items()]


@pytest.mark.slow
@pytest.mark.django_db
def test_every_pod_of_a_crowd_is_in_the_band_and_can_be_reached(crowd: Cluster):
    meta = TimelineFeed(crowd, "", None).figure(9000)["layout"]["meta"]
    problems, pod, band = meta["rows"][:3]
    assert (problems["label"], pod["label"], band["slots"] > 1) == ("Problems", "p007", True)
    assert meta["hidden"] == 310 - 60
    reached = set()
    for page in (0, 1, 7):
        meta = TimelineFeed(crowd, "", None, Asked(page=page)).figure(9000)["layout"]["meta"]
        reached |= {row["label"] for row in meta["rows"] if not row.get("header")}
    assert len(reached) == 310
    assert meta["page"] == {"number": 1, "order": "name", "first": 301, "last": 310, "count": 310}


@pytest.mark.slow
@pytest.mark.django_db
def test_pages_by_state_begin_with_trouble(crowd: Cluster):
    meta = TimelineFeed(crowd, "", None, Asked(page=0, order="state")).figure(9000)["layout"]["meta"]
    assert meta["rows"][1]["label"] == "p007"


ASKED = [
    ("status:crashing", 1),
    ("node:node-2", 1),
    ("kind:replicaset p00", 10),
    ("kind:pod p00 ns:default", 10),
    ("ns:shop", 0),
    ("kind:deployment", 0),
    ("status:run p30 p309", 1),
    ("nothing: at:all", 0),
]


@pytest.mark.slow
@pytest.mark.django_db
def test_what_is_asked_for_is_drawn(crowd: Cluster):
    for query, expected in ASKED:
        meta = TimelineFeed(crowd, "", None, Asked(query)).figure(9000)["layout"]["meta"]
        assert sum(not row.get("header") for row in meta["rows"]) == expected, query
        assert meta["counts"] == {"ready": 309, "crashing": 1}, query


@pytest.mark.slow
@pytest.mark.django_db
def test_a_pod_that_was_not_held_is_read_from_its_beginning(crowd: Cluster):
    feed = TimelineFeed(crowd, "", None)
    story = feed.stories.by_uid.pop("uid-p050")
    late = transition(9000, "state", "crashing", "p050", old="ready", owner="ReplicaSet/web")
    rows = record(crowd, [late])
    crowd.refresh_from_db()
    feed.follow(crowd, {"transitions": rows, "events": [], "seq": crowd.seq})
    again = feed.stories.by_uid["uid-p050"]
    assert [span.start_ms for span in again.spans] == [*(span.start_ms for span in story.spans), 9000]
