"""What the last rollout of a Deployment came to, and where its pods are by revision."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.workload.readings import tell_outcome
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import transition

pytestmark = pytest.mark.django_db

DONE = {
    "metadata": {"name": "web", "generation": 1},
    "spec": {"replicas": 4},
    "status": {"observedGeneration": 1, "replicas": 4, "updatedReplicas": 4, "availableReplicas": 4},
}


def web(at_ms: int, field: str, value: Any, reason: str | None = None) -> dict[str, Any]:
    return transition(at_ms, field, value, "web", kind="Deployment", group="apps", reason=reason)


def available(at_ms: int, count: int) -> dict[str, Any]:
    return web(at_ms, "availableReplicas", count)


def progressing(at_ms: int, reason: str) -> dict[str, Any]:
    return web(at_ms, "condition.Progressing", "True", reason)


FIRST = [web(0, "revision", 1), available(3000, 4), progressing(3500, "NewReplicaSetAvailable")]
SECOND = [web(10_000, "revision", 2), available(11_000, 3), available(14_000, 4)]


def tell(rows: list[dict[str, Any]], data: dict[str, Any] = DONE) -> str:
    cluster: Cluster = make_cluster(make_user("ada"))
    record(cluster, rows)
    StoredObject.objects.filter(cluster=cluster).update(data=data)
    return tell_outcome(cluster, StoredObject.objects.get(cluster=cluster, kind="Deployment"))


@pytest.mark.parametrize(
    "rows, words",
    [
        pytest.param(FIRST, "took 3.5s", id="the first has nothing to lose"),
        pytest.param([*FIRST, *SECOND], "", id="not over"),
        pytest.param(
            # What came afterwards is no part of it.
            [*FIRST, *SECOND, progressing(15_000, "NewReplicaSetAvailable"), available(20_000, 0)],
            "took 5s, never fewer than 3 of 4 available",
            id="over",
        ),
    ],
)
def test_a_rollout_that_is_over_says_what_it_cost(rows: list[dict[str, Any]], words: str) -> None:
    assert tell(rows) == words


def test_one_that_goes_on_says_nothing_yet() -> None:
    going_on = {**DONE, "status": {**DONE["status"], "updatedReplicas": 1}}
    assert tell([*FIRST, *SECOND, progressing(15_000, "NewReplicaSetAvailable")], going_on) == ""


@pytest.mark.slow
def test_each_revision_shows_its_pods_by_state(client: Any) -> None:
    ada = make_user("ada")
    client.force_login(ada)
    cluster = make_cluster(ada)
    record(cluster, FIRST)
    StoredObject.objects.update(data=DONE, owner=None)
    known = {"cluster": cluster, "namespace": "default", "rv": 9, "data": {"spec": {"replicas": 2}}}
    StoredObject.objects.create(
        **known, uid="rs", kind="ReplicaSet", group="apps", name="web-a", owner="Deployment/web", revision=1
    )
    for name, state in (("a", "ready"), ("b", "crashing"), ("c", "ready")):
        StoredObject.objects.create(
            **known, uid=name, kind="Pod", name=name, owner="ReplicaSet/web-a", state=state
        )
    page = client.get("/clusters/shop/deployments/default/web/status/").content.decode()
    assert 'aria-label="1 crashing 2 ready "' in page or 'aria-label="2 ready 1 crashing "' in page
