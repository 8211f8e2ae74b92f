"""Wherever pods are listed stands how often their containers were restarted."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from dashboard.live.feeds import make_feed
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_user
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LABELS = {"app": "web"}
ENDS_ONCE = {"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 60; exit 1"]}
VERSIONS = {"Job": "batch/v1", "Pod": "v1"}


def make_workload(kind: str) -> dict[str, Any]:
    """One pod whose container ends after a minute, and is started again at once."""
    pod = {"containers": [ENDS_ONCE], "restartPolicy": "OnFailure" if kind == "Job" else "Always"}
    meta = {"name": "web", "namespace": "default", "labels": LABELS}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": meta, "spec": pod}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": LABELS}}
    template = {"metadata": {"labels": LABELS}, "spec": pod}
    spec = {**selector, "template": template, **({"serviceName": "web"} if kind == "StatefulSet" else {})}
    return {"apiVersion": VERSIONS.get(kind, "apps/v1"), "kind": kind, "metadata": meta, "spec": spec}


def restarted(kind: str, *others: dict[str, Any]) -> Cluster:
    door = Door()
    for one in (make_workload(kind), *others):
        door.apply(one)
    return keep(door.run(80).cluster)


def read_text(client: Client, cluster: Cluster, page: str) -> str:
    client.force_login(cluster.owner)
    html = client.get(f"/clusters/{cluster.name}/{page}").content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


@pytest.mark.parametrize(
    "kind, page",
    [
        ("StatefulSet", "statefulsets/default/web/"),
        ("DaemonSet", "daemonsets/default/web/"),
        ("Job", "jobs/default/web/"),
    ],
)
def test_places_and_cells_say_the_restarts_of_their_pods(client: Client, kind: str, page: str) -> None:
    # The facts above say how many there are of all.
    assert " 1 restart " in read_text(client, restarted(kind), page)


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "Pod"])
def test_the_rows_of_timelines_say_the_restarts_of_their_pods(kind: str) -> None:
    cluster = restarted(kind)
    feed = make_feed(cluster, "timeline")
    assert feed is not None
    (row,) = [one for one in feed.figure(80_000)["layout"]["meta"]["rows"] if not one.get("header")]
    assert row["restarts"] == 1


def test_a_timeline_goes_on_counting() -> None:
    cluster = restarted("Pod")
    feed = make_feed(cluster, "timeline")
    assert feed is not None
    pod = StoredObject.objects.get(cluster=cluster, kind="Pod")
    frame = {"transitions": [], "events": [], "objects": [{"uid": pod.uid, "restarts": 7}]}
    feed.follow(cluster, frame)
    rows = feed.figure(80_000)["layout"]["meta"]["rows"]
    assert [one.get("restarts") for one in rows if not one.get("header")] == [7]


def test_the_pods_of_budgets_and_nodes_have_a_column(client: Client) -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": LABELS}},
    }
    cluster = restarted("Pod", budget)
    told = read_text(client, cluster, "poddisruptionbudgets/default/web/")
    assert " State Restarts Node " in told and " Running 1 node-" in told
    node = re.search(r"Running 1 (node-\d+)", told)
    assert node is not None
    assert " Running 1 nobody " in read_text(client, cluster, f"nodes/{node[1]}/")


def test_the_admin_has_a_column(client: Client) -> None:
    restarted("Pod")
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    html = client.get("/admin/lifecycle/storedobject/?kind=Pod").content.decode()
    assert 'class="field-restarts">1<' in html
