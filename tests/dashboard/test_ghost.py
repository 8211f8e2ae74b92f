"""The ghost: what is drawn to the right of now is what then comes."""

from __future__ import annotations

import pytest

from dashboard.ghost import SPAN_MS, read_ghost
from lifecycle.models import StoredObject, Transition
from lifecycle.runs import inbox
from tests.runs.conftest import Wall, create, frames, make_cluster, owner, wall
from tests.runs.test_forks import run_on

__all__ = ["Wall", "frames", "make_cluster", "owner", "wall"]
WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}


@pytest.fixture
def shop(owner, make_cluster):
    """Two pods that are ready, a third asked for at a minute, paused at half a minute."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    inbox.append(cluster, "scale", {**WEB, "replicas": 3}, pinned_ms=60_000)
    run_on(owner, cluster, 30_000)
    return cluster


def test_what_is_to_come_then_comes(owner, shop):
    ghost = read_ghost(shop)
    known = {
        f"default/{name}" for name in StoredObject.objects.filter(kind="Pod").values_list("name", flat=True)
    }
    (new,) = {lane["key"] for lane in ghost["lanes"]}
    assert new not in known
    seen = [(bar["start"], bar["title"].split(" · ")[1]) for bar in ghost["bars"] if bar["lane"] == new]
    run_on(owner, shop, 120_000)
    rows = Transition.objects.filter(cluster=shop, kind="Pod", name=new.split("/")[1], field="state")
    came = [(row.at_ms, row.new.capitalize()) for row in rows.order_by("seq")]
    # Of several states of one instant the last is drawn.
    assert seen == list(dict(came).items())
    assert seen[-1][1] == "Ready"


def test_where_nothing_moves_it_says_so(owner, shop):
    run_on(owner, shop, 120_000)
    ghost = read_ghost(shop)
    assert ghost["note"] == "Looked ahead to 00:12:00: nothing changes by itself until then."
    assert {bar["end"] - ghost["at_ms"] for bar in ghost["bars"]} == {SPAN_MS}
    assert not ghost["lanes"]


def test_a_crash_loop_goes_on_in_what_is_to_come(owner, make_cluster):
    """Nothing but upkeep is left, and yet the container is started again."""
    cluster = make_cluster()
    container = {"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 20; exit 1"]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "again"},
        "spec": {"containers": [container]},
    }
    inbox.append(cluster, "apply", {"object": pod})
    run_on(owner, cluster, 120_000)
    ghost = read_ghost(cluster)
    assert ghost["note"].startswith("Pale, to the right of now")
    assert len([bar for bar in ghost["bars"] if bar["lane"] == "default/again"]) > 1


def test_the_ghost_of_a_workload_has_its_pods_alone(shop):
    assert read_ghost(shop, "default/Deployment/web")["bars"]
    assert not read_ghost(shop, "default/Deployment/other")["bars"]


def test_a_stranger_is_told_nothing(client, django_user_model, shop):
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.get(f"/clusters/{shop.name}/ahead/").status_code == 404
    client.force_login(shop.owner)
    assert client.get(f"/clusters/{shop.name}/ahead/?figure=timeline").json()["bars"]
