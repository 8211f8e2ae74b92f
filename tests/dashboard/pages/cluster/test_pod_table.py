"""The table of pods: kubectl's columns, of the pods that are asked for; and names for who types them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.cluster.table import HEADINGS
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = pytest.mark.django_db
PODS = [
    ("web-1", "shop", "ReplicaSet/web", "1/1", "Running", 0, 5000, "node-1", "ready"),
    ("web-2", "shop", "ReplicaSet/web", "0/1", "CrashLoopBackOff", 7, 6000, "node-2", "crashing"),
    ("lone", "blog", None, "0/1", "Pending", None, 7000, None, "pending"),
]


@pytest.fixture
def shop(client: Client) -> Cluster:
    ada = make_user()
    client.force_login(ada)
    cluster = make_cluster(ada)
    columns = ("name", "namespace", "owner", "ready", "status", "restarts", "created_ms", "node", "state")
    for number, told in enumerate(PODS):
        _store(
            cluster, uid=f"uid-{number}", kind="Pod", rv=10 + number, **dict(zip(columns, told, strict=True))
        )
    _store(cluster, uid="gone", kind="Pod", namespace="shop", name="web-0", deleted_ms=9000)
    owner = {"kind": "ReplicaSet", "group": "apps", "namespace": "shop", "owner": "Deployment/web"}
    _store(cluster, uid="set", name="web", **owner)
    _store(cluster, uid="web", kind="Deployment", group="apps", namespace="shop", name="web")
    _store(cluster, uid="node", kind="Node", name="node-1")
    return cluster


def _store(cluster: Cluster, **columns: Any) -> None:
    StoredObject.objects.create(cluster=cluster, data={}, **{"rv": 1} | columns)


def test_the_columns_are_those_of_kubectl_get_pods():
    # kubectl get pods --all-namespaces -o wide, without IP, NOMINATED NODE and READINESS GATES
    headings = [heading.upper() for heading in HEADINGS.values()]
    assert headings == ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "NODE"]


def test_a_row_says_what_the_summary_of_a_living_pod_says(client: Client, shop: Cluster):
    told = client.get("/clusters/shop/table/").json()
    assert [key for key, _ in told["columns"]] == [
        *("namespace", "name", "ready", "status", "restarts", "created_ms", "node")
    ]
    rows = sorted(told["rows"])
    assert rows[1] == ["uid-1", "shop", "web-2", "0/1", "CrashLoopBackOff", 7, 6000, "node-2", "crashing", 11]
    assert rows[2] == ["uid-2", "blog", "lone", "0/1", "Pending", None, 7000, None, "pending", 12]
    assert (len(rows), told["states"][0], told["narrowed"]) == (3, "crashing", False)


@pytest.mark.parametrize(
    "query, names",
    [
        ("ns:shop", {"web-1", "web-2"}),
        ("status:crash", {"web-2"}),
        ("kind:deployment", {"web-1", "web-2"}),
        ("node:node-1", {"web-1"}),
        ("lone", {"lone"}),
        ("nothing", set()),
    ],
)
def test_the_filter_box_asks_for_the_same_pods_as_in_the_timeline(
    client: Client, shop: Cluster, query: str, names: set[str]
):
    told = client.get("/clusters/shop/table/", {"q": query}).json()
    assert ({row[2] for row in told["rows"]}, told["narrowed"]) == (names, True)


@pytest.mark.parametrize(
    "asked, names",
    [
        ({"of": "pod", "like": "we"}, ["web-1", "web-2"]),
        ({"of": "pod", "like": "B-2"}, ["web-2"]),
        ({"of": "pod", "named": "web"}, []),
        ({"of": "workload", "named": "web"}, ["web"]),
        ({"of": "workload", "named": "web", "namespace": "shop"}, ["web"]),
        ({"of": "workload", "named": "web", "namespace": "elsewhere"}, []),
        ({"of": "node", "like": "node"}, ["node-1"]),
        ({"of": "namespace"}, []),
    ],
)
def test_names_are_found_by_what_was_typed(client: Client, shop: Cluster, asked: dict[str, str], names: list):
    told = client.get("/clusters/shop/names/", asked).json()
    assert [one["name"] for one in told["names"]] == names


def test_a_workload_is_told_with_its_page_and_what_there_is_no_list_of_is_refused(
    client: Client, shop: Cluster
):
    (told,) = client.get("/clusters/shop/names/", {"of": "workload"}).json()["names"]
    assert told == {"kind": "Deployment", "namespace": "shop", "name": "web", "page": "deployments/shop/web/"}
    refused = client.get("/clusters/shop/names/", {"of": "secret"})
    assert (refused.status_code, refused.json()) == (422, {"error": "of: use node, namespace, pod, workload"})
