"""Chance has two seeds: one names things, the other draws all else; and a saved state serves many futures."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from lifecycle.engine import Cluster, Command
from tests.engine.api.desk import make_deployment

MINUTE_MS = 60_000
RESTART = {"kind": "Deployment", "namespace": "default", "name": "web", "action": "restart"}


def submit(cluster: Cluster, kind: str, payload: dict[str, Any]) -> None:
    assert cluster.submit(Command(kind, kind, payload)).ok


def settle() -> Cluster:
    cluster = Cluster(seed=1)
    submit(cluster, "create", {"object": make_deployment(2)})
    cluster.run_until(MINUTE_MS)
    cluster.take_changes()
    return cluster


def restart(saved: dict[str, Any], seed: int | None) -> tuple[list[str], list[int], Cluster]:
    """The names of the pods of a new revision, the instants of all that happens, and the cluster then."""
    cluster = Cluster.load(saved)
    if seed is not None:
        submit(cluster, "chance", {"seed": seed})
    submit(cluster, "rollout", RESTART)
    cluster.run_until(cluster.now_ms + MINUTE_MS)
    rows = cluster.take_changes().rows
    pods = sorted(pod["metadata"]["name"] for pod in cluster.list("Pod"))
    return pods, [row.at_ms for row in rows], cluster


def test_another_seed_draws_other_delays_for_pods_of_the_same_names():
    saved = settle().save()
    first, second = restart(saved, 7), restart(saved, 8)
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_the_own_seed_of_a_cluster_changes_nothing():
    saved = settle().save()
    assert restart(saved, saved["seed"])[:2] == restart(saved, None)[:2]


def test_what_is_saved_remembers_the_seed_that_is_drawn_from():
    cluster = restart(settle().save(), 7)[2]
    saved = cluster.save()
    assert (saved["seed"], saved["chance"]) == (cluster.seed, 7)
    assert Cluster.load(saved).save()["chance"] == 7


def test_a_future_leaves_the_state_that_it_began_with_as_it_was():
    saved = settle().save()
    before = deepcopy(saved)
    restart(saved, 7)
    assert saved == before
