"""What one user may have and do: each limit says itself, what is used and how it is set."""

from __future__ import annotations

import json

import pytest
from django.core.management import call_command

from dashboard.live import consumers
from lifecycle import limits
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user, watch

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note", "namespace": "default"}}


@pytest.fixture(autouse=True)
def nobody_has_done_anything(monkeypatch):
    for name in ("sockets", "previews", "exports"):
        monkeypatch.setattr(limits, name, limits.Places())
    monkeypatch.setattr(limits, "commands", limits.Pace())


@pytest.mark.parametrize(
    "waits, expected",
    [
        pytest.param([0] * 200, 200, id="a burst is taken up to what 20 s have room for"),
        pytest.param([0] * 201 + [0.05], 200, id="then one waits"),
        pytest.param([0] * 200 + [0.1] * 5, 205, id="ten a second"),
        pytest.param([0] * 200 + [1] + [0] * 20, 210, id="a rest is saved up"),
    ],
)
def test_commands_come_at_a_pace(waits, expected):
    now = [1000.0]
    pace = limits.Pace(lambda: now[0])
    taken = 0
    for wait in waits:
        now[0] += wait
        taken += pace.take(1, 10) == 0
    assert taken in (expected, expected + 1)
    assert pace.take(2, 10) == 0


@pytest.mark.django_db
def test_one_user_has_so_many_clusters(client, settings):
    settings.MAX_CLUSTERS = 1
    ada = make_user("ada")
    make_cluster(ada)
    client.force_login(ada)
    refused = client.post("/clusters/", {"name": "more", "nodes": 3, "seed": 1, "timing": "realistic"})
    assert refused.status_code == 403
    assert refused.content == (
        b"You have 1 clusters, and 1 is the most for one user (MAX_CLUSTERS): delete one first.\n"
    )
    for path in ("/clusters/shop/fork/", "/gallery/s01-plain-pod/"):
        assert client.post(path, {"name": "more"}).status_code == 403
    assert Cluster.objects.count() == 1
    inbox.create_cluster(make_user("root", is_superuser=True), "root-1")
    inbox.create_cluster(make_user("bob"), "bob-1")


@pytest.mark.django_db
def test_a_user_who_sends_too_many_commands_waits(client, settings):
    settings.MAX_COMMANDS = 1
    ada = make_user("ada")
    cluster = make_cluster(ada)
    # Of one file all are taken.
    inbox.append_all(cluster, [("create", {"object": CONFIG_MAP})] * 30, ada)
    with pytest.raises(limits.Exceeded, match=r"1 a second is the most for one user \(MAX_COMMANDS\)"):
        inbox.append(cluster, "create", {"object": CONFIG_MAP}, ada)
    client.force_login(ada)
    refused = client.post("/clusters/shop/control/", {"kind": "pause"}, headers={"HX-Request": "true"})
    assert refused.status_code == 429 and int(refused["Retry-After"]) >= 9
    assert "MAX_COMMANDS" in refused.content.decode()
    refused = client.post(
        "/k8s/shop/api/v1/namespaces/default/configmaps", CONFIG_MAP, content_type="application/json"
    )
    assert refused.status_code == 429 and int(refused["Retry-After"]) >= 9
    status = json.loads(refused.content)
    assert (status["kind"], status["reason"]) == ("Status", "TooManyRequests")
    inbox.append(cluster, "create", {"object": CONFIG_MAP}, make_user("bob"))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
async def test_one_user_has_so_many_sockets(settings):
    settings.MAX_SOCKETS = 1
    ada = await consumers.in_thread(make_user)("ada")
    bob = await consumers.in_thread(make_user)("bob")
    cluster, other = [await consumers.in_thread(make_cluster)(one, one.username) for one in (ada, bob)]
    first = watch(ada, cluster)
    assert (await first.connect())[0]
    assert await watch(ada, cluster).connect() == (False, 4429)
    beside = watch(bob, other)
    assert (await beside.connect())[0]
    await first.disconnect()
    again = watch(ada, cluster)
    assert (await again.connect())[0]
    await again.disconnect()
    await beside.disconnect()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_watches_count_as_sockets_do(client, settings):
    settings.MAX_SOCKETS = 1
    ada = make_user("ada")
    make_cluster(ada)
    client.force_login(ada)
    path = "/k8s/shop/api/v1/pods?watch=true&timeoutSeconds=1"
    first = client.get(path)
    assert first.status_code == 200
    assert client.get(path).status_code == 429
    assert client.get("/k8s/shop/api/v1/pods").status_code == 200
    first.close()
    assert client.get(path).status_code == 200


@pytest.mark.django_db
def test_one_user_looks_ahead_so_often_at_once(client, settings):
    settings.MAX_PREVIEWS = 1
    ada = make_user("ada")
    make_cluster(ada)
    client.force_login(ada)
    with limits.preview(ada):
        refused = client.get("/clusters/shop/ahead/")
        assert refused.status_code == 429 and "MAX_PREVIEWS" in refused.content.decode()
        assert client.get("/clusters/shop/?at=0").status_code == 429
    assert client.get("/clusters/shop/ahead/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "held, setting, expected",
    [
        ({"pods": 11}, "MAX_PODS", "your clusters have 11 pods, and 10 is the most for one user"),
        ({"recorded_bytes": 11 << 20}, "MAX_MEGABYTES", "of your clusters have 11 MiB, and 10 is the most"),
    ],
)
def test_who_holds_too_much_adds_nothing(client, settings, held, setting, expected):
    setattr(settings, setting, 10)
    ada = make_user("ada")
    cluster = make_cluster(ada, **held)
    for ask in (
        lambda: inbox.append(cluster, "create", {"object": CONFIG_MAP}, ada),
        lambda: inbox.control(cluster, "resume", {}, ada),
        lambda: inbox.create_cluster(ada, "more"),
    ):
        with pytest.raises(limits.Exceeded, match=expected) as refused:
            ask()
        assert setting in str(refused.value) and refused.value.code == 403
    inbox.append(cluster, "delete", {"kind": "Pod", "namespace": "default", "name": "web-0"}, ada)
    inbox.control(cluster, "pause", {}, ada)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "given, expected",
    [
        pytest.param({}, 10, id="as many as one may have"),
        pytest.param({"controllerManager": {"mostPods": 4}}, 4, id="fewer are asked for"),
        pytest.param({"controllerManager": {"mostPods": 40}}, 10, id="more are asked for"),
    ],
)
def test_no_cluster_takes_more_pods_than_its_owner_may_have(settings, given, expected):
    settings.MAX_PODS = 10
    cluster = inbox.create_cluster(make_user("ada"), "shop", settings=given)
    assert cluster.settings["controllerManager"]["mostPods"] == expected


def test_every_limit_is_documented():
    from dashboard import settings as module

    assert module.__doc__ is not None
    for name in (name for name in vars(module) if name.startswith("MAX_")):
        assert f"| {name} " in module.__doc__, name
    call_command("check")
