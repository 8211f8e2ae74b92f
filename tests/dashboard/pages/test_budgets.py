"""The bounds of a rolling update over time, from versions that may no longer reach back."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.bounds import BudgetReader
from dashboard.plots.replicas import Budget
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = pytest.mark.django_db

SUBJECT = {"kind": "Deployment", "group": "apps", "namespace": "default", "name": "web"}


def spec(replicas: int) -> dict[str, Any]:
    rolling = {"maxSurge": 1, "maxUnavailable": 1}
    return {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}


@pytest.fixture
def shop() -> Cluster:
    """An hour on, at version 9; the watch window begins with version 5, of something else."""
    cluster = make_cluster(make_user(), rv=9, oldest_rv=5, instant_ms=3_600_000)
    keep(cluster, 5, 1_000_000, "MODIFIED", {"status": {}}, name="other")
    return cluster


def keep(cluster: Cluster, rv: int, at_ms: int, kind: str, patch: dict[str, Any], name: str = "web") -> None:
    ObjectVersion.objects.create(
        cluster=cluster,
        rv=rv,
        at_ms=at_ms,
        type=kind,
        patch=patch,
        uid=f"uid-{name}",
        **SUBJECT | {"name": name},
    )


def store(cluster: Cluster, replicas: int, created_ms: int = 0, deleted_ms: int | None = None) -> None:
    StoredObject.objects.create(
        cluster=cluster,
        uid="uid-web",
        created_ms=created_ms,
        deleted_ms=deleted_ms,
        rv=9,
        data={"spec": spec(replicas)},
        **SUBJECT,
    )


def read(cluster: Cluster) -> list[Budget]:
    return BudgetReader("Deployment", "default", "web").read(cluster)


def test_each_change_of_the_spec_is_a_budget(shop):
    keep(shop, 6, 1_100_000, "ADDED", {"spec": spec(3)})
    keep(shop, 7, 1_200_000, "MODIFIED", {"status": {"replicas": 3}})
    keep(shop, 8, 1_300_000, "MODIFIED", {"spec": {"replicas": 5}})
    assert read(shop) == [Budget(1_100_000, 3, 2, 4), Budget(1_300_000, 5, 4, 6)]


@pytest.mark.parametrize("statuses", [0, 2])
def test_what_no_kept_version_changes_was_so_all_the_time(shop, statuses):
    store(shop, replicas=4)
    for number in range(statuses):
        keep(shop, 6 + number, 1_100_000 + number, "MODIFIED", {"status": {"replicas": number}})
    assert read(shop) == [Budget(1_000_000, 4, 3, 5)]


def test_without_any_version_the_whole_window_is_known(shop):
    ObjectVersion.objects.all().delete()
    shop.watch_ms = 600_000
    store(shop, replicas=4)
    assert read(shop) == [Budget(3_000_000, 4, 3, 5)]


def test_what_was_before_a_change_is_not_guessed(shop):
    store(shop, replicas=7)
    keep(shop, 6, 1_100_000, "MODIFIED", {"status": {"replicas": 2}})
    keep(shop, 7, 1_200_000, "MODIFIED", {"spec": {"replicas": 7}})
    assert read(shop) == [Budget(1_200_000, 7, 6, 8)]


def test_what_was_deleted_before_the_window_has_no_budget(shop):
    store(shop, replicas=7, deleted_ms=500_000)
    assert read(shop) == []


def test_a_second_reading_goes_on(shop):
    store(shop, replicas=4)
    reader = BudgetReader("Deployment", "default", "web")
    reader.read(shop)
    keep(shop, 10, 3_700_000, "DELETED", {})
    shop.rv = 10
    assert reader.read(shop) == [Budget(1_000_000, 4, 3, 5), Budget(3_700_000, 0, 0, 0)]
