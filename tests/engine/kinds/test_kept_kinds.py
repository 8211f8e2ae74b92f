"""Kinds of one name in the database: rows say whose they are, and pages and exports tell them apart."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from dashboard.live.feeds import TimelineFeed
from dashboard.pages.cluster.readings import list_workloads
from lifecycle.engine import Cluster as Engine
from lifecycle.engine import Command
from lifecycle.models import Cluster, Event, ObjectVersion, StoredObject, Transition
from lifecycle.recorded.objects import find_object
from tests.engine.kinds.both import FOREIGN, make_foreign, make_ours
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db
TABLES: tuple[Any, ...] = (StoredObject, ObjectVersion, Transition)


@pytest.fixture
def shop() -> Cluster:
    """Of each kind that there is twice both, called alike."""
    engine = Engine()
    for api_version, kind, _group in FOREIGN:
        for data in (make_foreign(api_version, kind), make_ours(kind)):
            command = Command(id=f"{api_version}-{kind}", kind="create", payload={"object": data})
            assert engine.submit(command).ok
    engine.run_until(5_000)
    return keep(engine)


@pytest.mark.slow
@pytest.mark.parametrize("api_version, kind, group", FOREIGN)
@pytest.mark.parametrize("table", TABLES)
def test_rows_say_the_group(shop: Cluster, table: Any, api_version: str, kind: str, group: str) -> None:
    rows = table.objects.filter(cluster=shop, kind=kind, name="same")
    own = make_ours(kind)["apiVersion"].rpartition("/")[0]
    assert set(rows.values_list("group", flat=True)) == {group, own}
    assert len(set(rows.filter(group=group).values_list("uid", flat=True))) == 1


def test_events_say_the_group(shop: Cluster) -> None:
    groups = Event.objects.filter(cluster=shop).values_list("kind", "group")
    of_apps = {(kind, "apps") for kind in ("Deployment", "ReplicaSet", "StatefulSet")}
    assert set(groups) <= {("Pod", ""), ("Node", ""), ("Job", "batch"), *of_apps}


def test_pages_list_and_find_ours(shop: Cluster) -> None:
    listed = [(one.kind, one.summary) for one in list_workloads(shop)]
    assert listed == [
        ("Job", "1 active · 0 succeeded · 0 failed"),
        ("StatefulSet", "1 of 1 ready · partitioned roll out complete: 1 new pods have been updated"),
    ]
    for _version, kind, group in FOREIGN:
        namespaced = None if kind == "Node" else "default"
        ours = find_object(shop, kind, namespaced, "same")
        theirs = find_object(shop, f"{kind}.{group}", "default", "same")
        assert ours is not None
        assert theirs is not None
        assert (ours.group, theirs.group) == (make_ours(kind)["apiVersion"].rpartition("/")[0], group)
    feed = TimelineFeed(shop, "", None)
    names = [story.name.partition("-")[0] for story in feed.stories.by_uid.values()]
    assert names == ["same", "same"]


def test_an_export_is_asked_by_group(shop: Cluster, client: Client) -> None:
    client.force_login(shop.owner)
    # The API server has a Service of its own.
    for group, expected in (("", ["v1", "v1"]), ("serving.knative.dev", ["serving.knative.dev/v1"])):
        url = f"/api/clusters/{shop.name}/objects?kind=Service&group={group}"
        rows = json.loads(b"".join(client.get(url).streaming_content))
        assert [row["apiVersion"] for row in rows] == expected


def test_histories_of_before_get_their_groups(shop: Cluster) -> None:
    """What the migration makes of rows that had none."""
    wanted = {table: list(table.objects.order_by("pk").values_list("group", flat=True)) for table in TABLES}
    assert any(wanted[Transition])
    for table in TABLES:
        table.objects.update(group="")
    import_module("lifecycle.migrations.0007_objects_by_group").fill(apps, None)
    for table in TABLES:
        assert list(table.objects.order_by("pk").values_list("group", flat=True)) == wanted[table]
