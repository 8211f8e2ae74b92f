"""The rollout chart as data: every number that was true, at the instant it became true."""

from __future__ import annotations

import pytest

from dashboard.budgets import make_budget
from dashboard.plots.replicas import Budget, Rollout, make_replicas
from tests.dashboard.rows import transition


def deployment(at_ms, field, value, name="web"):
    return transition(at_ms, field, value, name, kind="Deployment")


def replica_set(at_ms, field, value, name):
    return transition(at_ms, field, value, name, kind="ReplicaSet", owner="Deployment/web")


def rollout():
    told = Rollout("web")
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
        deployment(9500, "availableReplicas", 3, "website"),
    ]:
        if row["name"] != "website":
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
    assert points(figure, "revision 2") == [(10, 0), (9000, 1), (9500, 1), (12_000, 1)]
    stacked = [trace["name"][:10] for trace in figure["data"] if "stackgroup" in trace]
    assert stacked == ["revision 1", "revision 2"]


def test_available_holds_until_it_changes_and_reaches_now():
    assert points(make_replicas(rollout(), 12_000), "available") == [
        (0, 0),
        (5000, 4),
        (9500, 3),
        (12_000, 3),
    ]


def test_the_budget_is_drawn_as_two_bounds():
    figure = make_replicas(rollout(), 12_000)
    assert points(figure, "at least") == [(0, 3), (12_000, 3)]
    assert points(figure, "at most") == [(0, 5), (12_000, 5)]


def test_lines_are_steps_nothing_is_drawn_that_did_not_happen():
    assert {trace["line"]["shape"] for trace in make_replicas(rollout(), 1)["data"]} == {"hv"}


def test_a_deployment_without_history_is_an_empty_chart():
    figure = make_replicas(Rollout("web"), 5000)
    assert points(figure, "available") == [(0, 0), (5000, 0)]
    assert points(figure, "at least") == []


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
    assert make_budget({"replicas": replicas, "strategy": strategy}, 7) == Budget(7, replicas, low, high)
