"""Who gets what at every address there is: taken from the URL configuration, so that none is forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from dashboard import consumers
from dashboard.routing import websocket_urlpatterns
from lifecycle import tokens
from lifecycle.access import Verb, give_address, may
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record, watch
from tests.dashboard.rows import pod_life

SECRET = "told-to-nobody-else"
WHO = ["anonymous", "other", "owner", "staff", "superuser", "deactivated", "revoked"]
STRANGERS = {"anonymous", "other", "staff", "deactivated", "revoked"}
REFUSED = {302, 401, 403, 404, 405}
"""What a surface says to who may not: to the sign-in, or as if it were not there."""


def all_routes(resolver: Any = None, before: str = "") -> Iterator[str]:
    """Every route below, as text with its parameters."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from all_routes(pattern, route)
        else:
            assert isinstance(pattern, URLPattern)
            yield route


def of_a_cluster() -> list[str]:
    """The routes that name a cluster: the admin's name its row."""
    return sorted({route for route in all_routes() if re.search(r":cluster>|^admin/lifecycle/.*<", route)})


def fill(route: str, cluster: Cluster) -> str:
    values = {
        "cluster": cluster.address,
        "folder": "deployments",
        "namespace": "default",
        "name": "web-1",
        "path": "api/v1/namespaces/default/pods",
        "path:object_id": str(cluster.pk),
        "seq": "1",
        "token": "1",
        "command": str(uuid4()),
    }

    def value(found: re.Match[str]) -> str:
        return values.get(found[1]) or values.get(found[1].rpartition(":")[2]) or str(cluster.pk)

    return "/" + re.sub(r"<([^>]+)>", value, route).replace("$", "").replace("^", "").replace("\\Z", "")


@pytest.fixture
def cluster(db: None) -> Cluster:
    return make_cluster(make_user("ada"), f"shop-{SECRET}")


def sign_in(client: Any, who: str, cluster: Cluster) -> dict[str, str]:
    """Become somebody; what is to go into each request's head."""
    if who == "owner":
        client.force_login(cluster.owner)
    elif who == "revoked":
        token = tokens.issue(cluster.owner, cluster)
        tokens.ApiToken.objects.all().delete()
        return {"Authorization": f"Bearer {token}"}
    elif who != "anonymous":
        user = make_user("bob", is_staff=who in ("staff", "superuser"), is_superuser=who == "superuser")
        client.force_login(user)
        if who == "superuser":
            give_address(user, cluster)
        if who == "deactivated":
            cluster.owner = user
            cluster.save()
            user.is_active = False
            user.save()
    return {}


@pytest.mark.django_db
@pytest.mark.parametrize("who", WHO)
def test_every_address_of_a_cluster_is_its_owners_alone(client, cluster, who):
    record(cluster, pod_life())
    StoredObject.objects.update(data={"metadata": {"namespace": "default", "name": "web-1"}})
    headers = sign_in(client, who, cluster)
    client.raise_request_exception = False
    is_let_in = client.get(fill("clusters/<str:cluster>/", cluster), headers=headers).status_code == 200
    assert is_let_in is (who not in STRANGERS)
    wrong = []
    for route in of_a_cluster():
        for method in (client.get, client.post):
            answer = method(fill(route, cluster), headers=headers)
            is_told = who in STRANGERS and answer.status_code not in REFUSED
            if answer.status_code == 500 or is_told:
                wrong.append((method.__name__, route, answer.status_code))
    assert wrong == []
    assert Cluster.objects.filter(pk=cluster.pk).exists() or who not in STRANGERS


@pytest.mark.django_db
@pytest.mark.parametrize("who", sorted(STRANGERS))
def test_no_address_tells_of_somebody_elses_cluster(client, cluster, who):
    headers = sign_in(client, who, cluster)
    client.raise_request_exception = False
    for route in sorted(set(all_routes())):
        if "<" not in route and "sign-out" not in route:
            answer = client.get(fill(route, cluster), headers=headers)
            text = b"" if answer.streaming else answer.content
            assert answer.status_code < 500 or route == "readyz", (route, answer.status_code)
            assert SECRET.encode() not in text, route


def test_the_addresses_are_really_found():
    routes = of_a_cluster()
    for expected in (
        "clusters/<str:cluster>/",
        "k8s/<str:cluster>/<path:path>",
        "api/clusters/<str:cluster>/",
    ):
        assert expected in routes
    assert len(routes) > 50


@pytest.mark.django_db
@pytest.mark.parametrize("verb", list(Verb))
def test_what_shows_a_past_is_only_looked_at(cluster, verb):
    cluster.is_look = True
    root = make_user("root", is_superuser=True)
    assert [may(user, cluster, verb) for user in (cluster.owner, root)] == [verb == Verb.VIEW] * 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["other", "owner", "staff", "superuser", "deactivated"])
async def test_every_socket_is_its_owners_alone(who):
    assert [str(one.pattern) for one in websocket_urlpatterns] == ["ws/clusters/<str:cluster>/"], (
        "try it here"
    )
    ada = await consumers.in_thread(make_user)("ada")
    rights = {"is_staff": who in ("staff", "superuser"), "is_superuser": who == "superuser"}
    bob = await consumers.in_thread(make_user)("bob", is_active=who != "deactivated", **rights)
    cluster = await consumers.in_thread(make_cluster)(bob if who == "deactivated" else ada)
    socket = watch(ada if who == "owner" else bob, cluster)
    connected, _ = await socket.connect()
    assert connected is (who in ("owner", "superuser"))
    await socket.disconnect()
