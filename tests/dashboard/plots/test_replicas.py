"""The rollout chart as data: every number that was true, at the instant it became true."""

from __future__ import annotations

import pytest

from dashboard.live.bounds import make_budget
from dashboard.plots.replicas import MOST_ROWS, Budget, Rollout, make_replicas
from tests.dashboard.rows import transition


def deployment(at_ms, field, value, name="web"):
    return transition(at_ms, field, value, name, kind="Deployment", group="apps")


def replica_set(at_ms, field, value, name):
    return transition(at_ms, field, value, name, kind="ReplicaSet", group="apps", owner="Deployment/web")


def rollout():
    told = Rollout("Deployment", "web")
    for row in [
        replica_set(0, "exists", "created", "web-a"),
        replica_set(0, "revision", 1, "web-a"),
        replica_set(10, "replicas", 4, "web-a"),
        deployment(5000, "availableReplicas", 4),
        deployment(5000, "readyReplicas", 4),
        replica_set(9000, "revision", 2, "web-b"),
        replica_set(9000, "replicas", 1, "web-b"),
        replica_set(9500, "replicas", 3, "web-a"),
        deployment(9500, "availableReplicas", 3),
        deployment(9600, "availableReplicas", 9, "website"),
    ]:
        told.feed(row)
    told.budgets = [Budget(0, 4, 3, 5)]
    return told


def trace(figure, name):
    return next(trace for trace in figure["data"] if trace["name"].startswith(name))


def points(figure, name):
    drawn = trace(figure, name)
    return list(zip(drawn["x"], drawn["y"], strict=True))


def test_replicas_are_stacked_by_revision_on_common_instants():
    figure = make_replicas(rollout(), 12_000)
    assert points(figure, "revision 1") == [(10, 4), (9000, 4), (9500, 3), (12_000, 3)]
    # Before its first point an area is nothing.
    assert points(figure, "revision 2") == [(9000, 1), (9500, 1), (12_000, 1)]
    stacked = [trace["name"][:10] for trace in figure["data"] if "stackgroup" in trace]
    assert stacked == ["revision 1", "revision 2"]


def test_available_holds_until_it_changes_and_reaches_now():
    assert points(make_replicas(rollout(), 12_000), "available") == [
        (0, 0),
        (5000, 4),
        (9500, 3),
        (12_000, 3),
    ]


def test_where_a_rolling_update_must_not_come_is_hatched():
    figure = make_replicas(rollout(), 12_000)
    zones = [trace for trace in figure["data"] if "fillpattern" in trace]
    assert [(zone["fill"], zone["y"]) for zone in zones] == [
        ("tozeroy", [3, 3]),
        ("tonexty", [figure["layout"]["yaxis"]["range"][1]] * 2),
    ]
    # They say nothing of their own at the pointer.
    assert not any("hovertext" in zone for zone in zones)
    told = Rollout("StatefulSet", "db")
    assert not [trace for trace in make_replicas(told, 1000)["data"] if "fillpattern" in trace]


def test_the_budget_is_drawn_as_two_bounds():
    figure = make_replicas(rollout(), 12_000)
    assert points(figure, "at least") == [(0, 3), (12_000, 3)]
    assert points(figure, "at most") == [(0, 5), (12_000, 5)]


def test_lines_are_steps_nothing_is_drawn_that_did_not_happen():
    assert {trace["line"]["shape"] for trace in make_replicas(rollout(), 1)["data"]} == {"hv"}


def test_a_deployment_without_history_is_an_empty_chart():
    figure = make_replicas(Rollout("Deployment", "web"), 5000)
    assert points(figure, "available") == [(0, 0), (5000, 0)]
    assert points(figure, "at least") == []


def test_a_revision_without_replicas_ends_and_one_with_some_reaches_now():
    told = rollout()
    told.feed(replica_set(10_000, "replicas", 0, "web-a"))
    told.feed(replica_set(11_000, "replicas", 2, "web-b"))
    figure = make_replicas(told, 12_000)
    assert points(figure, "revision 1") == [(10, 4), (9000, 4), (9500, 3), (10_000, 0)]
    assert points(figure, "revision 2")[-3:] == [(10_000, 1), (11_000, 2), (12_000, 2)]
    assert "grows" not in trace(figure, "revision 1")["meta"]
    assert trace(figure, "revision 2")["meta"]["grows"] == "line"
    # Both are in the picture, and so in its key.
    assert [row["label"] for row in figure["layout"]["meta"]["rows"]][-2:] == ["revision 2", "revision 1"]


def test_a_deleted_deployment_has_no_replicas():
    told = rollout()
    told.feed(deployment(11_000, "exists", "deleted"))
    assert points(make_replicas(told, 12_000), "available")[-2:] == [(11_000, 0), (12_000, 0)]


def revisions(count):
    """A Deployment that gets another image every ten seconds, and keeps no history."""
    told = Rollout("Deployment", "web")
    for number in range(count):
        at_ms, name = number * 10_000, f"web-{number}"
        told.feed(replica_set(at_ms, "revision", number + 1, name))
        for step in range(4):
            told.feed(replica_set(at_ms + step * 1000, "replicas", step + 1, name))
            told.feed(deployment(at_ms + step * 1000, "readyReplicas", 4 + step % 2))
            if number:
                told.feed(replica_set(at_ms + step * 1000, "replicas", 3 - step, f"web-{number - 1}"))
        if number:
            told.feed(replica_set(at_ms + 9000, "exists", "deleted", f"web-{number - 1}"))
        told.budgets.append(Budget(at_ms, 4, 3 - number % 2, 5))
    return told


@pytest.mark.slow
def test_of_a_long_story_the_later_part_is_held():
    told = revisions(2000)
    figure = make_replicas(told, 20_000_000)
    assert len(told.replica_sets) < MOST_ROWS
    assert sum(len(trace["x"]) for trace in figure["data"]) < 2 * MOST_ROWS
    # What is left is as it was, and the picture begins with it.
    begins = figure["layout"]["meta"]["from"]
    assert begins > 15_000_000
    assert points(figure, "revision 1999")[:4] == [
        (19_980_000, 1),
        (19_981_000, 2),
        (19_982_000, 3),
        (19_983_000, 4),
    ]
    first_ms, first = points(figure, "ready")[0]
    assert (first_ms, first in (4, 5)) == (begins, True)
    assert points(figure, "at least")[0][0] == begins


@pytest.mark.parametrize(
    "strategy, replicas, low, high",
    [
        pytest.param(
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
            4,
            3,
            5,
            id="1/1",
        ),
        pytest.param(
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            10,
            8,
            13,
            id="25%",
        ),
        pytest.param({"type": "Recreate"}, 4, 0, 4, id="Recreate owes nothing"),
    ],
)
def test_surge_rounds_up_and_unavailable_down(strategy, replicas, low, high):
    assert make_budget("Deployment", {"replicas": replicas, "strategy": strategy}, 7) == Budget(
        7, replicas, low, high
    )
