"""Lanes of objects that somebody opened: read once, then followed; bounded, and each of its own cluster."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.live.feeds import make_feed
from dashboard.live.objects import MOST_BRANCHES, ObjectsFeed, read_branches
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life, transition
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


def make_web(replicas: int = 2, image: str = "nginx:1") -> dict[str, Any]:
    container = {"name": "app", "image": image}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def make_secret(text: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "data": {"token": text}}


def draw(cluster: Cluster, name: str, now_ms: int = 60_000) -> dict[str, Any]:
    feed = make_feed(cluster, name)
    assert feed is not None
    return feed.figure(now_ms)


def list_lanes(figure: dict[str, Any]) -> list[str]:
    return [row["label"] for row in figure["layout"]["meta"]["rows"]]


def list_changes(figure: dict[str, Any]) -> list[tuple[int, str]]:
    marks = figure["data"][-1]
    return list(zip(marks["x"], marks["seqs"], strict=True))


def test_what_is_asked_for_is_read_and_nonsense_is_left_out() -> None:
    asked = "Deployment/shop,Node/,Node/,Pod/shop,nonsense,,/shop,\ud800/x,K/\x00"
    assert read_branches(asked) == [("Deployment", "shop"), ("Node", "")]
    assert len(read_branches(",".join(f"K{number}/" for number in range(1_000)))) == MOST_BRANCHES


def test_a_run_is_drawn_with_a_mark_and_the_difference_at_each_change_of_a_spec(client: Client) -> None:
    door = Door()
    door.apply(make_web())
    door.apply(make_secret("c2VjcmV0"))
    door.cluster.run_until(20_000)
    door.apply(make_web(3, "nginx:2"))
    # As long as the one before, and another one.
    door.apply(make_secret("c2VjcmVU"))
    door.cluster.run_until(60_000)
    cluster = keep(door.cluster)
    figure = draw(cluster, "objects:Deployment/default,Secret/default,Node/")
    assert list_lanes(figure)[:3] == ["Deployment in default", "web", "Secret in default"]
    assert "Node" in list_lanes(figure) and "node-1" in list_lanes(figure)
    words = {word for trace in figure["data"] if trace["type"] == "bar" for word in trace["words"]}
    assert {"2/2 available", "3/3 available", "Ready"} <= words
    changes = list_changes(figure)
    assert [at_ms for at_ms, _ in changes] == [20_000, 20_000]
    client.force_login(cluster.owner)
    of_web, of_key = (
        client.get(f"/clusters/{cluster.name}/why/{seq}/").content.decode() for _, seq in changes
    )
    for text in ("spec.replicas", "nginx:1", "nginx:2", "Deployment default/web"):
        assert text in of_web
    # Who may look at pages is not told what a Secret holds.
    assert "data.token" in of_key and "(not shown)" in of_key
    assert "c2VjcmV0" not in of_key and "c2VjcmVU" not in of_key
    assert "is not kept" in client.get(f"/clusters/{cluster.name}/why/change/{10**25}/").content.decode()
    tree = client.get(f"/clusters/{cluster.name}/objects/").content.decode()
    assert 'data-branch="Deployment/default"' in tree and 'data-figure="objects:"' in tree
    assert 'data-branch="Pod/' not in tree
    # Of a version whose beginning is gone only the fields that it set are known.
    ObjectVersion.objects.filter(cluster=cluster, type="ADDED").delete()
    assert "kept no longer" in client.get(f"/clusters/{cluster.name}/why/{changes[0][1]}/").content.decode()


def test_what_comes_later_is_followed_and_too_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.live.objects.MOST_OBJECTS", 2)
    cluster = make_cluster(make_user())
    made = [
        transition(0, "exists", "created", name, kind="StatefulSet", group="apps", uid=name)
        for name in ("one", "two")
    ]
    record(cluster, [*made, *pod_life()])
    feed = make_feed(cluster, "objects:StatefulSet/default")
    assert isinstance(feed, ObjectsFeed)
    later = [
        transition(5, "exists", "created", "three", kind="StatefulSet", group="apps", uid="three"),
        transition(6, "replicas", 2, "one", kind="StatefulSet", group="apps", uid="one", old=0),
        transition(7, "replicas", 2, "one", kind="StatefulSet", group="apps", uid="one", namespace="else"),
    ]
    feed.follow(cluster, {"transitions": record(cluster, later), "events": [], "rv": 1})
    figure = feed.figure(10)
    assert list_lanes(figure) == ["StatefulSet in default", "one", "two"]
    assert figure["layout"]["meta"]["left_out"] == 1
    assert "0/2 available" in {word for trace in figure["data"][:-2] for word in trace["words"]}
    # Once one of them is gone there is room.
    sets = {"kind": "StatefulSet", "group": "apps"}
    again = [
        transition(20, "exists", "deleted", "two", uid="two", old="created", **sets),
        transition(21, "exists", "created", "four", uid="four", **sets),
    ]
    feed.follow(cluster, {"transitions": record(cluster, again), "events": [], "rv": 2})
    assert list_lanes(feed.figure(30)) == ["StatefulSet in default", "four", "one"]


def test_an_object_whose_first_rows_are_gone_is_drawn_as_the_others_say_it_was() -> None:
    cluster = make_cluster(make_user())
    kind = {"kind": "StatefulSet", "group": "apps", "uid": "db"}
    record(cluster, [transition(9_000, "availableReplicas", 2, "db", old=1, **kind)])
    cluster.oldest_seq = 2
    status = {"replicas": 2, "availableReplicas": 2}
    StoredObject.objects.filter(cluster=cluster, uid="db").update(created_ms=0, data={"status": status})
    bars = [trace for trace in draw(cluster, "objects:StatefulSet/default")["data"] if trace["type"] == "bar"]
    assert sorted(word for trace in bars for word in trace["words"]) == ["1/2 available", "2/2 available"]


def test_the_parts_are_of_ones_own_clusters_alone(client: Client) -> None:
    cluster = make_cluster(make_user())
    client.force_login(make_user("eve"))
    for part in ("objects/", "why/change/1/"):
        assert client.get(f"/clusters/{cluster.name}/{part}").status_code == 404
        assert client.post(f"/clusters/{cluster.name}/{part}").status_code == 405
