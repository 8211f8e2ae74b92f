"""Two users with clusters of one name, each alive: neither is ever shown what the other has."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from dashboard.live import shared_parts
from lifecycle import frames, tokens
from lifecycle.access import give_address
from lifecycle.benches.replay import find_difference
from lifecycle.models import Cluster
from lifecycle.runs import forks, messages, publisher
from tests.dashboard.conftest import make_user, watch
from tests.dashboard.web.test_access_matrix import fill, of_a_cluster, values_at
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_watching import end_feeds
from tests.runs.conftest import deployment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

WHO = ("alice", "bob")
LINK = re.compile(r'(?:href|action|src|hx-get|hx-post|data-socket|data-base)="([^"]*/clusters/[^"]*)"')


def fill_cluster(shop: Shop, who: str) -> None:
    """Everything in it has its owner's name, and another kind that is called the same in both."""
    shop.submit("create", object=deployment(1, f"of-{who}"))
    shop.create("ConfigMap", f"of-{who}", data={"key": f"of-{who}"})
    pod = {
        "containers": [
            {"name": "app", "image": "busybox", "command": ["sh", "-c", f"echo of-{who}; sleep 900"]}
        ]
    }
    shop.create("Pod", f"of-{who}-pod", spec=pod)
    names = {"plural": "toys", "singular": "toy", "kind": f"Toy{who.capitalize()}"}
    version = {"name": "v1", "served": True, "storage": True}
    version["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    shop.submit("create", object=definition)
    shop.turn(30)


@pytest.fixture
def shops(monkeypatch: pytest.MonkeyPatch) -> dict[str, Shop]:
    monkeypatch.setattr(publisher, "publish", lambda group, frame: None)
    monkeypatch.setattr(messages, "_carrier", messages.Nobody())
    made = {who: Shop("shop", of=who) for who in WHO}
    for who, shop in made.items():
        fill_cluster(shop, who)
    return made


def other_of(who: str) -> str:
    return WHO[1 - WHO.index(who)]


def read(client: Any, path: str, **headers: str) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.getvalue().decode()


PATHS = [
    "/",
    "/cards/",
    "/clusters/shop/",
    "/clusters/shop/events/",
    "/clusters/shop/workloads/",
    "/clusters/shop/deployments/default/of-{who}/",
    "/clusters/shop/pods/default/of-{who}-pod/",
    "/clusters/shop/pods/default/of-{who}-pod/log/",
    "/clusters/shop/nodes/node-1/",
    "/clusters/shop/scenario.yaml",
    "/clusters/shop/why/20/",
    "/clusters/shop/ahead/?figure=timeline",
    "/api/clusters/",
    "/api/clusters/shop/transitions",
    "/api/clusters/shop/events?format=ndjson",
    "/api/clusters/shop/objects?view=summary&format=csv",
    "/api/clusters/shop/logs?pod=of-{who}-pod",
    "/k8s/shop/api/v1/namespaces/default/pods",
    "/k8s/shop/api/v1/namespaces/default/pods/of-{who}-pod",
    "/k8s/shop/api/v1/namespaces/default/pods/of-{who}-pod/log",
    "/k8s/shop/api/v1/namespaces/default/configmaps/of-{who}",
    "/k8s/shop/apis/example.org/v1",
    "/k8s/shop/openapi/v2",
    "/k8s/shop/openapi/v3/apis/example.org/v1",
]
EMPTY = ("/", "/cards/", "/api/clusters/", "/clusters/shop/why/20/", "/clusters/shop/ahead/?figure=timeline")


def test_each_is_shown_their_own(client, shops, monkeypatch):
    """Of all that is kept between requests too: one asks just after the other."""
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 600.0)
    for path in PATHS:
        for who in WHO:
            client.force_login(shops[who].cluster.owner)
            told = read(client, path.format(who=who)).lower()
            assert f"of-{other_of(who)}" not in told and f"toy{other_of(who)}" not in told, path
            assert path in EMPTY or who in told, path


def test_a_token_opens_its_own_cluster_of_the_name(client, shops):
    for who in WHO:
        token = tokens.issue(shops[who].cluster.owner, shops[who].cluster)
        told = read(client, "/k8s/shop/api/v1/pods", authorization=f"Bearer {token}")
        assert f"of-{who}-pod" in told and f"of-{other_of(who)}" not in told
        refused = client.get(
            f"/k8s/shop@{other_of(who)}/api/v1/pods", headers={"authorization": f"Bearer {token}"}
        )
        assert refused.status_code == 401


def test_the_token_of_a_superuser_says_which_is_meant(client, shops):
    """As in a kubeconfig of before there was another of the name."""
    root = make_user("root", is_superuser=True)
    token = tokens.issue(root, shops["bob"].cluster)
    assert "of-bob-pod" in read(client, "/k8s/shop/api/v1/pods", authorization=f"Bearer {token}")
    client.force_login(root)
    refused = client.get("/k8s/shop/api/v1/pods")
    assert refused.status_code == 404
    assert "name whose you mean, shop@alice or shop@bob" in refused.json()["message"]


def test_a_review_knows_the_tokens_of_its_own_cluster(client, shops):
    shown = {who: tokens.issue(shops[who].cluster.owner, shops[who].cluster) for who in WHO}
    path, kind = "/k8s/shop/apis/authentication.k8s.io/v1/tokenreviews", "TokenReview"
    for who, is_good in (("alice", True), ("bob", False)):
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": kind, "spec": {"token": shown[who]}}
        headers = {"authorization": f"Bearer {shown['alice']}"}
        answer = client.post(path, asked, "application/json", headers=headers)
        assert answer.json()["status"].get("authenticated", False) is is_good, answer.json()


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.deep)])
def test_a_superusers_links_stay_at_the_cluster_they_look_at(client, shops, monkeypatch, step):
    """Though there is one of the name of their own, and its owner has just looked at the same page."""
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 600.0)
    root = make_user("root", is_superuser=True)
    shops["root"] = Shop("shop", of="root")
    fill_cluster(shops["root"], "alice")
    alice = give_address(shops["alice"].cluster.owner, shops["alice"].cluster)
    routes = [one for one in of_a_cluster() if one.startswith("clusters/") and "kubeconfig" not in one]
    for route in [*routes[::step], "clusters/<str:cluster>/workloads/"]:
        (path,) = fill(route, values_at("shop", "of-alice"))
        for user, address in ((alice.owner, "shop"), (root, "shop@alice"), (root, "shop")):
            client.force_login(user)
            answer = client.get(path.replace("/shop/", f"/{address}/"))
            links = LINK.findall(answer.getvalue().decode()) if answer.status_code == 200 else []
            begins = tuple(f"{before}/clusters/{address}/" for before in ("", "/ws", "/api"))
            assert [link for link in links if not link.startswith(begins)] == [], (route, address)
            assert links or route not in ("clusters/<str:cluster>/", "clusters/<str:cluster>/workloads/")


def test_a_superuser_compares_forks_and_looks_back_at_what_they_mean(client, shops):
    root = make_user("root", is_superuser=True)
    client.force_login(root)
    page = read(client, "/clusters/shop@alice/compare/shop@bob/")
    assert 'href="/clusters/shop@alice/"' in page and '<th scope="col">shop@bob</th>' in page
    assert 'href="/clusters/shop/' not in page
    chosen = client.get("/clusters/shop@alice/compare/", {"with": "shop@bob"})
    assert chosen["Location"] == "/clusters/shop@alice/compare/shop@bob/"
    past = client.get("/clusters/shop@alice/?at=5s", follow=True).content.decode()
    assert 'href="/clusters/shop@alice/">Back to now' in past
    assert 'hx-post="/clusters/shop@alice/fork/"' in past
    forked = client.post("/clusters/shop@alice/fork/", {"name": "shop", "at": ""})
    assert forked["HX-Redirect"] == "/clusters/shop/"
    own = Cluster.objects.get(owner=root, name="shop")
    assert own.parent == shops["alice"].cluster
    assert 'forked from <a href="/clusters/shop@alice/">' in read(client, "/clusters/shop/")
    assert 'href="/clusters/shop@alice/compare/shop/"' in read(client, "/")
    renamed = client.post("/clusters/shop@bob/rename/", {"name": "booth"})
    assert renamed["HX-Redirect"] == "/clusters/booth@bob/"


def test_a_stranger_compares_with_nobodys(client, shops):
    client.force_login(shops["bob"].cluster.owner)
    assert client.get("/clusters/shop/compare/shop@alice/").status_code == 404
    assert client.get("/clusters/shop/compare/shop/").status_code == 200
    assert "shop@alice" not in read(client, "/clusters/shop/")


def test_a_fork_is_named_as_if_the_others_was_not_there(client, shops):
    for who in WHO:
        client.force_login(shops[who].cluster.owner)
        assert 'value="shop-fork"' in read(client, "/clusters/shop/")
        assert client.post("/clusters/shop/fork/", {"name": "shop-fork", "at": ""})["HX-Redirect"]
    made = Cluster.objects.filter(name="shop-fork")
    assert [fork.parent.owner_id for fork in made] == [fork.owner_id for fork in made] and len(made) == 2
    assert forks.suggest_name(made[0], made[0].owner) == "shop-fork-fork"


def test_each_watches_their_own(shops, async_client):
    owners = {who: shops[who].cluster.owner for who in WHO}

    async def follow(who: str) -> list[str]:
        await async_client.aforce_login(owners[who])
        query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
        answer = await async_client.get(f"/k8s/shop/api/v1/namespaces/default/pods?{query}")
        lines = [line async for part in answer.streaming_content for line in part.splitlines()]
        return [json.loads(line)["object"]["metadata"].get("name", "") for line in lines]

    async def follow_both() -> None:
        for who in WHO:
            names = [name for name in await follow(who) if name]
            assert len(names) == 2 and all(name.startswith(f"of-{who}") for name in names)
        await end_feeds()

    asyncio.run(follow_both())


async def test_each_socket_is_of_their_own(shops):
    clusters = {
        who: await sync_to_async(Cluster.objects.select_related("owner").get)(pk=shops[who].cluster.pk)
        for who in WHO
    }
    sockets = {}
    for who, cluster in clusters.items():
        cluster.address = "shop"
        sockets[who] = watch(cluster.owner, cluster, "?after=0&figure=timeline")
        assert (await sockets[who].connect())[0]
    layer: Any = get_channel_layer()
    alice = clusters["alice"]
    frame = await sync_to_async(frames.make_frame)(alice, alice.seq, alice.rv, [], [])
    text = frames.encode(frame | {"seq": alice.seq + 1, "word": "of-alice"})
    message = {
        "type": "cluster.frame",
        "epoch_id": str(alice.epoch_id),
        "from": alice.seq,
        "seq": alice.seq + 1,
    }
    await layer.group_send(alice.group, message | {"rv": alice.rv, "text": text})
    for who, socket in sockets.items():
        told = ""
        while f"of-{who}" not in told or "figure" not in told:
            told += await socket.receive_from(timeout=30)
        await asyncio.sleep(0.5)
        while not await socket.receive_nothing(timeout=0.3):
            told += await socket.receive_from(timeout=5)
            if len(told) > 10**7:
                break
        assert f"of-{other_of(who)}" not in told
        await socket.disconnect()


def migrate(to: str) -> Any:
    """Bring the database there, forwards or back; the models as they are then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("lifecycle", to)])
    return executor.loader.project_state([("lifecycle", to)]).apps


def find_newest() -> str:
    (newest,) = (name for app, name in MigrationExecutor(connection).loader.graph.leaf_nodes("lifecycle"))
    return newest


@pytest.fixture
def newest() -> Iterator[str]:
    """The newest migration: a test that goes back behind it comes back, whatever fails."""
    yield find_newest()
    migrate(find_newest())


def test_a_database_in_which_no_two_clusters_had_one_name_goes_on(newest, monkeypatch):
    monkeypatch.setattr(publisher, "publish", lambda group, frame: None)
    monkeypatch.setattr(messages, "_carrier", messages.Nobody())
    shop = Shop("shop", of="alice")
    fill_cluster(shop, "alice")
    token = tokens.issue(shop.cluster.owner, shop.cluster)
    counted = {"history": shop.cluster.seq, "objects": shop.cluster.objects_stored.count()}
    eve = make_user("eve")
    former = migrate("0014_digests_of_tokens").get_model("lifecycle", "Cluster")
    with pytest.raises(IntegrityError), transaction.atomic():
        former.objects.create(owner_id=eve.pk, name="shop")
    migrate(newest)
    connection.check_constraints()
    shop.cluster.refresh_from_db()
    assert counted == {"history": shop.cluster.seq, "objects": shop.cluster.objects_stored.count()}
    found = tokens.find(token, "shop")
    assert found is not None and found.cluster == shop.cluster
    other = Shop("shop", of="bob")
    for one in (shop, other):
        one.submit("create", object=deployment(1, "more"))
        one.turn(30)
        assert find_difference(one.cluster) == ""
    with pytest.raises(IntegrityError), transaction.atomic():
        Cluster.objects.create(owner=shop.cluster.owner, name="shop")
