"""Objects, summaries and container logs of a cluster."""

import csv
import io
import json

import pytest
from django.test import Client

from lifecycle.models import Cluster, ContainerLog
from tests.builders import make_cluster, make_stored
from tests.dashboard.conftest import record
from tests.dashboard.requests import lost_a_third
from tests.dashboard.rows import transition
from tests.export.test_transitions import ask

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SUMMARY_KEYS = (
    "uid kind namespace name owner node state phase status ready restarts revision created_ms deleted_ms rv"
    " group requests"
).split()


@pytest.fixture
def shop(client: Client) -> Cluster:
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    return cluster


def names(answer: bytes) -> list[str]:
    return [row.get("name") or row["metadata"]["name"] for row in json.loads(answer)]


def test_objects_are_served_as_they_are(client: Client, shop: Cluster):
    stored = make_stored(
        shop, data={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0"}, "x": [1, None]}
    )
    assert json.loads(ask(client, "shop/objects")) == [stored.data]


def test_a_summary_has_the_columns_of_the_contract(client: Client, shop: Cluster):
    make_stored(shop, state="ready", phase="Running", ready="1/1", restarts=0, created_ms=5)
    (summary,) = json.loads(ask(client, "shop/objects", view="summary"))
    assert list(summary) == SUMMARY_KEYS
    assert (summary["state"], summary["created_ms"], summary["deleted_ms"]) == ("ready", 5, None)


def test_a_summary_of_a_service_says_what_requests_were_lost(client: Client, shop: Cluster):
    """A third of them for 3 s, in ms' worth of all; of what is no Service, nothing."""
    record(shop, [*lost_a_third(), transition(6_000, "replicas", 3, kind="Deployment", group="apps")])
    told = json.loads(ask(client, "shop/objects", view="summary"))
    assert {row["kind"]: row["requests"] for row in told} == {
        "Service": {"lostMs": 999, "pods": {"lostMs": 999}},
        "Deployment": None,
    }
    header, row = csv.reader(io.StringIO(ask(client, "shop/objects", format="csv", kind="Service").decode()))
    assert json.loads(row[header.index("requests")])["lostMs"] == 999


def test_the_rows_of_requests_are_asked_for_by_their_field(client: Client, shop: Cluster):
    record(shop, lost_a_third())
    rows = json.loads(ask(client, "shop/transitions", field="requests.pods"))
    assert [(row["at_ms"], row["new"], row["reason"]) for row in rows] == [
        (1_000, 0, None),
        (2_000, 333, "refused"),
        (5_000, 0, None),
    ]
    assert json.loads(ask(client, "shop/transitions", field="requests.ingress")) == []


def test_the_csv_of_objects_is_their_summaries(client: Client, shop: Cluster):
    make_stored(shop)
    header, row = csv.reader(io.StringIO(ask(client, "shop/objects", format="csv").decode()))
    assert (header, row[3]) == (SUMMARY_KEYS, "web-0")


@pytest.mark.parametrize(
    "parameters, expected",
    [
        pytest.param({}, ["web-0", "web"], id="living objects"),
        pytest.param({"view": "summary"}, ["web-0", "web-1", "web"], id="summaries stay after deletion"),
        pytest.param({"view": "summary", "deleted": "false"}, ["web-0", "web"], id="living summaries"),
        pytest.param({"deleted": "true"}, ["web-1"], id="deleted objects"),
        pytest.param({"kind": "Deployment"}, ["web"], id="one kind"),
        pytest.param({"after": 2}, ["web"], id="written since a resource version"),
    ],
)
def test_filters(client: Client, shop: Cluster, parameters: dict, expected: list[str]):
    make_stored(shop)
    make_stored(shop, name="web-1", deleted_ms=9)
    make_stored(shop, "Deployment", "web")
    assert names(ask(client, "shop/objects", **parameters)) == expected


@pytest.mark.parametrize("parameters", [{"view": "wide"}, {"deleted": "maybe"}, {"since": "1s"}])
def test_a_bad_parameter_is_named(client: Client, shop: Cluster, parameters: dict):
    response = client.get("/api/clusters/shop/objects", parameters)
    assert (response.status_code, list(response.json())) == (400, list(parameters))


def write_log(
    cluster: Cluster, attempt: int, text: str, uid: str = "uid-pod-web-0", container: str = "app"
) -> None:
    ContainerLog.objects.create(cluster=cluster, uid=uid, container=container, attempt=attempt, text=text)


def test_logs_are_plain_text(client: Client, shop: Cluster):
    make_stored(shop)
    write_log(shop, 0, "first\n")
    write_log(shop, 1, "second <b>\n")
    response = client.get("/api/clusters/shop/logs?pod=web-0")
    assert (response.content, response.headers["Content-Type"]) == (
        b"second <b>\n",
        "text/plain; charset=utf-8",
    )
    assert client.get("/api/clusters/shop/logs?pod=web-0&previous=true").content == b"first\n"
    assert client.get("/api/clusters/shop/logs?pod=web-0&format=json").json()["attempt"] == 1


def test_a_container_that_wrote_nothing_has_an_empty_log(client: Client, shop: Cluster):
    make_stored(shop)
    assert client.get("/api/clusters/shop/logs?pod=web-0").content == b""


def test_the_living_pod_of_a_name_is_meant(client: Client, shop: Cluster):
    make_stored(shop, uid="old", deleted_ms=5)
    make_stored(shop, uid="new")
    write_log(shop, 0, "old\n", uid="old")
    write_log(shop, 0, "new\n", uid="new")
    assert client.get("/api/clusters/shop/logs?pod=web-0").content == b"new\n"


@pytest.mark.parametrize(
    "query, status, said",
    [
        ("", 400, "Name the pod"),
        ("pod=absent", 404, "no pod default/absent"),
        ("pod=web-0&namespace=shop", 404, "no pod shop/web-0"),
        ("pod=web-0", 400, "app, side"),
        ("pod=web-0&container=nginx", 400, "app, side"),
        ("pod=web-0&container=app&previous=true", 404, "no previous run"),
        ("pod=web-0&container=app&previous=1", 400, "use true or false"),
        ("pod=web-0&container=app&format=csv", 400, "use text, json"),
    ],
)
def test_what_is_missing_is_said(client: Client, shop: Cluster, query: str, status: int, said: str):
    make_stored(shop, data={"spec": {"containers": [{"name": "app"}, {"name": "side"}]}})
    response = client.get(f"/api/clusters/shop/logs?{query}")
    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/json")
    assert said in response.content.decode()
