"""A run as Chrome's trace events: every slice has its place, and they add up to what is recorded."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from lifecycle.models import Cluster
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import event, transition

pytestmark = pytest.mark.django_db
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def shop() -> Cluster:
    """`web-1` of the Deployment web, and `lone`, which nobody owns."""
    cluster = make_cluster(make_user("ada"))
    of_deployment = {"kind": "ReplicaSet", "group": "apps", "uid": "rs", "owner": "Deployment/web"}
    deployment = {"kind": "Deployment", "group": "apps", "uid": "d"}
    owned = {"owner": "ReplicaSet/web-6d4"}
    record(
        cluster,
        [
            transition(0, "exists", "created", "web-6d4", **of_deployment),
            transition(0, "availableReplicas", 0, "web", **deployment),
            transition(10, "exists", "created", **owned),
            transition(10, "state", "pending", **owned),
            transition(1_000, "container.app.state", "Running", **owned),
            transition(1_500, "state", "ready", **owned, reason="because"),
            transition(1_500, "availableReplicas", 1, "web", **deployment),
            event(1_000, "Started", HOSTILE),
            transition(2_000, "exists", "created", "lone"),
            transition(2_000, "state", "starting", "lone"),
            transition(4_000, "exists", "deleted", **owned),
        ],
    )
    return cluster


def read(cluster: Cluster) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("export", cluster.name, format="perfetto", stdout=out)
    told = json.loads(out.getvalue())
    assert told["displayTimeUnit"] == "ms"
    events: list[dict[str, Any]] = told["traceEvents"]
    return events


def name_tracks(events: list[dict[str, Any]], what: str) -> dict[Any, str]:
    return {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == what}


def test_a_workload_is_a_process_and_each_pod_and_container_a_thread(shop: Cluster) -> None:
    events = read(shop)
    assert set(name_tracks(events, "process_name").values()) == {"default/Deployment/web", "default/Pod/lone"}
    assert set(name_tracks(events, "thread_name").values()) == {"web-1", "web-1 · app", "lone"}


def test_owners_that_go_round_end_the_walk() -> None:
    """What owns whom is what manifests say."""
    cluster = make_cluster(make_user("ada"))
    rows = [
        transition(
            0, "exists", "created", name, kind="ReplicaSet", group="apps", uid=name, owner=f"ReplicaSet/{of}"
        )
        for name, of in (("a", "b"), ("b", "c"), ("c", "b"))
    ]
    owned = {"owner": "ReplicaSet/a"}
    record(
        cluster,
        [*rows, transition(1, "exists", "created", **owned), transition(1, "state", "ready", **owned)],
    )
    (process,) = name_tracks(read(cluster), "process_name").values()
    assert process.startswith("default/ReplicaSet/")


def test_slices_are_what_was_so_from_when_to_when(shop: Cluster) -> None:
    events = read(shop)
    threads = name_tracks(events, "thread_name")
    told = [
        (threads[one["pid"], one["tid"]], one["name"], one["ts"], one["dur"])
        for one in events
        if one["ph"] == "X"
    ]
    assert sorted(told) == [
        ("lone", "Starting", 2_000_000, 2_000_000),
        ("web-1", "Pending", 10_000, 1_490_000),
        ("web-1", "Ready", 1_500_000, 2_500_000),
        ("web-1 · app", "Running", 1_000_000, 3_000_000),
    ]


def test_events_are_instants_and_replicas_counters(shop: Cluster) -> None:
    events = read(shop)
    (instant,) = [one for one in events if one["ph"] == "i"]
    assert (instant["name"], instant["ts"], instant["args"]["message"]) == ("Started", 1_000_000, HOSTILE)
    assert [(one["ts"], one["args"]) for one in events if one["ph"] == "C"] == [
        (0, {"availableReplicas": 0}),
        (1_500_000, {"availableReplicas": 1}),
    ]


def test_each_event_stands_on_a_track_that_was_named_before(shop: Cluster) -> None:
    named: set[Any] = set()
    for one in read(shop):
        if one["ph"] == "M":
            named.add((one["pid"], one["tid"]))
        else:
            assert (one["pid"], one["tid"]) in named, one


def test_it_is_there_by_rest_for_who_may_look(shop: Cluster) -> None:
    client = Client()
    assert client.get("/api/clusters/shop/trace").status_code == 401
    client.force_login(shop.owner)
    answer = client.get("/api/clusters/shop/trace")
    assert answer["Content-Disposition"] == 'attachment; filename="shop.trace.json"'
    assert json.loads(b"".join(answer.streaming_content))["traceEvents"] == read(shop)
    client.force_login(make_user("eve"))
    assert client.get("/api/clusters/shop/trace").status_code == 404
    assert client.get("/api/clusters/shop@ada/trace?format=csv").status_code == 400


def test_an_empty_run_is_a_trace_too() -> None:
    assert read(make_cluster(make_user("ada"))) == []


def test_it_is_of_the_whole_run(shop: Cluster) -> None:
    with pytest.raises(CommandError, match="it is of the whole run"):
        call_command("export", shop.name, what="events", format="perfetto")
