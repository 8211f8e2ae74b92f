"""Who gets what at every address and every socket there is: taken from the URL configuration and the socket
routes, so that none is forgotten. A route without a row here, or a row without a route, fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import chain
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import Group, Permission
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, path

from dashboard import asgi
from dashboard import urls as all_urls
from dashboard.live import consumers
from lifecycle import rest_tokens, tokens
from lifecycle.access import Verb, may
from lifecycle.kube_api.containers import carrying
from lifecycle.kube_api.routing import websocket_urlpatterns as kube_api_sockets
from lifecycle.models import Check, Cluster, Command, Comparison, Role, RunControl, StoredObject
from tests.dashboard.conftest import make_cluster, make_user
from tests.kube_api.conftest import Shop, shop, shop_settings
from tests.seeds import first_if, one_in

pytestmark = pytest.mark.slow

__all__ = ["shop", "shop_settings"]

NAME = "told-to-nobody-else"
ALL, OUTSIDE, SIGNED_IN, EXPORT = "all", "not signed in", "signed in", "export"
ASKER = "who asked for a comparison of releases"
STAFF, SUPERUSER = "staff", "superuser"
# Who there is, and which of the addresses without a cluster are theirs. By session; by a token of the
# Kubernetes API, which is of one cluster and opens nothing else; by a token of the REST export.
WHO = {
    "anonymous": {ALL, OUTSIDE},
    "other": {ALL, SIGNED_IN, EXPORT},
    "other's token": {ALL, OUTSIDE},
    "other's REST token": {ALL, OUTSIDE, EXPORT},
    "staff": {ALL, SIGNED_IN, EXPORT, STAFF},
    "staff with all permissions": {ALL, SIGNED_IN, EXPORT, STAFF},
    "revoked token": {ALL, OUTSIDE},
    "revoked REST token": {ALL, OUTSIDE},
    "deactivated": {ALL, OUTSIDE},
    "deactivated's token": {ALL, OUTSIDE},
    "deactivated's REST token": {ALL, OUTSIDE},
    "owner": {ALL, SIGNED_IN, EXPORT, ASKER},
    "owner's token": {ALL, OUTSIDE},
    "owner's REST token": {ALL, OUTSIDE, EXPORT},
    "superuser": {ALL, SIGNED_IN, EXPORT, STAFF, SUPERUSER},
}
# Who was given a role, of which `test_roles` tells all.
MEMBERS = {"viewer", "editor", "further owner"}
WHO |= {who: {ALL, SIGNED_IN, EXPORT} for who in sorted(MEMBERS)}
STRANGERS = [who for who in WHO if not who.startswith(("owner", "superuser")) and who not in MEMBERS]
# One of each way to be known: the first at every address by every method, each other at a third of them by
# the main ones; the deep tests try everybody everywhere by every method.
FIRST, *FURTHER = ("other", "other's token", "staff with all permissions", "deactivated's REST token")
REFUSED = {302, 401, 403, 404, 405, 410}
"""What a surface says to who may not: to the sign-in, or as if it were not there."""
METHODS = ("GET", "OPTIONS", "POST", "PATCH", "DELETE")
MAIN = ("GET", "POST")
NOBODY = "nobody by looking"
# Addresses without a cluster, by who gets to see them.
OTHERS = {
    "": SIGNED_IN,
    "admin/": STAFF,
    "admin/(?P<url>.*)$": NOBODY,
    "admin/<app_label>/": STAFF,
    **{
        f"admin/{model}/{rest}": SUPERUSER
        for model in ("auth/group", "auth/user")
        for rest in ("", "<path:object_id>/change/", "<path:object_id>/delete/", "add/")
    },
    **{
        f"admin/{model}/<path:object_id>/{rest}": whose
        for model in ("auth/group", "auth/user", "authtoken/tokenproxy")
        for rest, whose in (("", NOBODY), ("history/", SUPERUSER))
    },
    "admin/auth/user/<id>/password/": SUPERUSER,
    "admin/authtoken/tokenproxy/": SUPERUSER,
    "admin/authtoken/tokenproxy/<path:object_id>/change/": SUPERUSER,
    "admin/authtoken/tokenproxy/<path:object_id>/delete/": SUPERUSER,
    "admin/authtoken/tokenproxy/add/": NOBODY,
    "admin/autocomplete/": NOBODY,
    "admin/jsi18n/": STAFF,
    "admin/lifecycle/cluster/": STAFF,
    "admin/lifecycle/cluster/add/": STAFF,
    "admin/lifecycle/command/": STAFF,
    "admin/lifecycle/command/add/": NOBODY,
    "admin/lifecycle/storedobject/": STAFF,
    "admin/lifecycle/storedobject/add/": NOBODY,
    "admin/login/": NOBODY,
    "admin/logout/": NOBODY,
    "admin/password_change/": STAFF,
    "admin/password_change/done/": STAFF,
    "admin/r/<path:content_type_id>/<path:object_id>/": NOBODY,
    "admin/r/<path:rest>": NOBODY,
    "api/": EXPORT,
    "api/clusters/": EXPORT,
    "api/docs/": SIGNED_IN,
    "api/schema/": SIGNED_IN,
    "cards/": SIGNED_IN,
    "clusters/": NOBODY,
    "delete/": NOBODY,
    "enter/<str:token>/": NOBODY,
    "favicon.ico": NOBODY,
    "gallery/": SIGNED_IN,
    "gallery/<str:story>.svg": SIGNED_IN,
    "gallery/<str:story>/": SIGNED_IN,
    "healthz": ALL,
    "mcp": NOBODY,
    "metrics": STAFF,
    "palette.css": ALL,
    "readyz": ALL,
    "releases/": SIGNED_IN,
    "releases/<uuid:comparison>/": ASKER,
    "releases/<uuid:comparison>/cancel/": NOBODY,
    "releases/start/": NOBODY,
    "sign-in/": OUTSIDE,
    "sign-out/": NOBODY,
    "try/": NOBODY,
}
SOCKETS = {
    "ws/clusters/<str:cluster>/": {"owner", "superuser", "viewer", "editor", "further owner"},
    kube_api_sockets[0].pattern.regex.pattern: {"owner's token"},
    # Who has a link, of which `test_links` tells.
    "s/<str:token>/ws/clusters/<str:cluster>/": set(),
}
# Who is let in at a socket, and one of each that is not.
ENTERING = {*chain(*SOCKETS.values()), "anonymous", "other", "other's token", "revoked token", "deactivated"}
EXECUTIONS = ("exec", "attach", "portforward")


def all_routes(resolver: Any = None, before: str = "") -> Iterator[str]:
    """Every route below, as text with its parameters."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from all_routes(pattern, route)
        else:
            assert isinstance(pattern, URLPattern)
            # The admin's apps come in any order.
            yield re.sub(r"\^\(\?P<app_label>.*", "<app_label>/", route)


def all_sockets(application: Any) -> Iterator[str]:
    """Every socket's route, through whatever middleware stands before it."""
    if isinstance(application, URLRouter):
        for route in application.routes:
            if str(route.pattern) and not hasattr(route.callback, "application"):
                yield str(route.pattern)
            yield from all_sockets(route.callback)
    for name in ("application", "inner"):
        if hasattr(application, name):
            yield from all_sockets(getattr(application, name))


def of_a_cluster() -> list[str]:
    """The routes that name a cluster: the admin's name its row."""
    return sorted({route for route in all_routes() if re.search(r":cluster>|^admin/lifecycle/.*<", route)})


def list_without_row() -> set[str]:
    """Routes that name no cluster and are not in the table, and the table's that are no route."""
    return (set(all_routes()) - set(of_a_cluster())) ^ OTHERS.keys()


def values_of(cluster: Cluster) -> dict[str, str]:
    """What a route's parameters stand for: things that are there."""
    pod, command = StoredObject.objects.get(cluster=cluster, kind="Pod"), cluster.commands.first()
    values = {"cluster": cluster.name, "other": cluster.name, "folder": "deployments", "namespace": "default"}
    values |= {
        "admin/lifecycle/cluster/name": cluster.name,
        "what": "transitions",
        "seq": "1",
        "number": "1",
        "name": "web",
    }
    values |= {"token": getattr(cluster.api_tokens.last(), "pk", 1), "command": command.pk, "pod": pod.name}
    values |= {"admin/lifecycle/command": command.pk, "admin/lifecycle/storedobject": pod.pk}
    values |= {"app_label": "lifecycle", "story": "s01-plain-pod", "": cluster.pk}
    values |= {"comparison": getattr(cluster.comparisons.first(), "pk", UUID(int=1))}
    values |= {"check": getattr(cluster.checks.first(), "pk", UUID(int=1))}
    values |= {"admin/auth/group": Group.objects.get().pk, "admin/auth/user": cluster.owner_id}
    values |= {"admin/authtoken/tokenproxy": cluster.owner_id, "id": cluster.owner_id}
    return {name: str(value) for name, value in values.items()}


def values_at(address: str, name: str = "web-1") -> dict[str, str]:
    """The same below an address of which nothing need be there: every object is called `name`."""
    values = {"cluster": address, "other": address, "folder": "deployments", "namespace": "default"}
    return values | {
        "name": name,
        "pod": name,
        "command": str(UUID(int=1)),
        "check": str(UUID(int=1)),
        "comparison": str(UUID(int=1)),
        "": "1",
    }


def fill(route: str, values: dict[str, str]) -> list[str]:
    """A route's addresses; below the Kubernetes API there are many."""
    if route.endswith("<path:path>"):
        return [f"/k8s/{values['cluster']}/{path.replace('POD', values['pod'])}" for path in KUBE_PATHS]

    def value(found: re.Match[str]) -> str:
        if found[1] == "str:name" and "/pods/" in route:
            return values["pod"]
        if found[1] == "str:name" and "/nodes/" in route:
            return "node-1"
        if found[1] == "str:name" and route.startswith("admin/lifecycle/cluster/"):
            return values["admin/lifecycle/cluster/name"]
        kind, _, name = found[1].rpartition(":")
        if name == "object_id":
            return values.get("/".join(route.split("/")[:3]), values[""])
        return values.get(f"{kind}:{name}") or values.get(name) or values[""]

    route = re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", route)
    filled = "/" + re.sub(r"<([^>]+)>", value, route).replace("$", "").replace("^", "").replace("\\Z", "")
    return [filled + ASKED.get(route.rpartition(">/")[2], "").replace("POD", values["pod"])]


ASKED = {
    "logs": "?pod=POD",
    "compare/": f"?with={NAME}",
    "names/": "?of=node",
    "schema/": "?kind=Deployment&apiVersion=apps/v1",
    "stretch/": "?from=0&to=1",
}
KUBE_PATHS = [
    "api/v1/namespaces/default/pods",
    "api/v1/pods?watch=true&timeoutSeconds=1",
    "api/v1/namespaces/default/pods/POD/log",
    "api/v1/namespaces/default/pods/POD/log?follow=true",
    *(f"api/v1/namespaces/default/pods/POD/{action}?command=ls" for action in EXECUTIONS),
    "apis/apps/v1/namespaces/default/deployments/web/scale",
    "openapi/v2",
    "version",
]


def manifest(kind: str, version: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "web", "namespace": "default"},
        "spec": spec,
    }


@pytest.fixture
def cluster(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Somebody's, with something at every address."""
    Cluster.objects.filter(pk=shop.cluster.pk).update(name=NAME)
    container = {"name": "app", "image": "busybox:1.36", "command": ["sleep", "1d"]}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    selector = {"matchLabels": {"app": "web"}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    for one in (
        manifest("Deployment", "apps/v1", replicas=1, selector=selector, template=template),
        manifest("PodDisruptionBudget", "policy/v1", minAvailable=1, selector=selector),
        manifest("HorizontalPodAutoscaler", "autoscaling/v2", maxReplicas=2, scaleTargetRef=target),
        manifest("Service", "v1", selector={"app": "web"}, ports=[{"port": 80}]),
    ):
        shop.submit("create", object=one)
    shop.turn(30)
    shop.turn(1)
    tokens.issue(shop.cluster.owner, shop.cluster)
    rest_tokens.issue(shop.cluster.owner)
    Check.objects.create(cluster=shop.cluster, user=shop.cluster.owner, state=Check.State.DONE)
    Comparison.objects.create(cluster=shop.cluster, user=shop.cluster.owner, state=Comparison.State.DONE)
    Group.objects.create(name="people")
    return shop.cluster


class Person:
    """Somebody's client, and what goes into each request's head."""

    def __init__(self, who: str, cluster: Cluster) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers: dict[str, str] = {}
        owns = who.startswith(("owner", "revoked"))
        user = cluster.owner if owns else make_user("bob", is_staff=who.startswith(("staff", "superuser")))
        if who.startswith("deactivated"):
            Cluster.objects.filter(pk=cluster.pk).update(owner=user)
        mine = cluster if owns or who.startswith("deactivated") else make_cluster(user, "of-bob")
        if who in MEMBERS:
            Role.objects.create(cluster=cluster, user=user, name=who.rpartition(" ")[2])
        if who == "staff with all permissions":
            user.user_permissions.set(Permission.objects.all())
        if who == "superuser":
            user.is_superuser = True
            user.save()
        if "REST token" in who:
            self.headers = {"Authorization": f"Bearer {rest_tokens.issue(user)}"}
        elif "token" in who:
            self.headers = {"Authorization": f"Bearer {tokens.issue(user, mine)}"}
        elif who != "anonymous":
            self.client.force_login(user)
        if who.startswith("revoked"):
            user.api_tokens.all().delete()
            rest_tokens.Token.objects.filter(user=user).delete()
        if who.startswith("deactivated"):
            user.is_active = False
            user.save()

    def ask(self, method: str, address: str) -> Any:
        return self.client.generic(method, address, headers=self.headers)


def state_of(cluster: Cluster) -> list[Any]:
    """What a stranger's requests must leave alone."""
    kept = [
        sorted(rows.values_list("pk", flat=True))
        for rows in (
            Cluster.objects.all(),
            Command.objects.all(),
            RunControl.objects.all(),
            Check.objects.all(),
            Comparison.objects.all(),
        )
    ]
    # A request without the right to anything else must not end a token either.
    return [*kept, *Cluster.objects.values_list("name", "seq", "paused"), cluster.api_tokens.count()]


def list_wrong(
    person: Person, cluster: Cluster, routes: list[str], methods: tuple[str, ...] = METHODS
) -> list[tuple[str, str, int]]:
    """Where a stranger was let in, or was told more than of a cluster that is none."""
    wrong, values = [], values_of(cluster)
    nothing = values | dict.fromkeys(("cluster", "other", "admin/lifecycle/cluster/name"), "no-such-name")
    for route in routes:
        for address, none in zip(fill(route, values), fill(route, nothing), strict=True):
            for method in methods:
                answer = person.ask(method, address)
                text = b"".join(answer.streaming_content) if answer.streaming else answer.content
                is_static = method == "OPTIONS" and answer.status_code == 200
                is_refused = answer.status_code in REFUSED or is_static
                if not is_refused or b"busybox" in text or _differs(person, method, address, none, answer):
                    wrong.append((method, address, answer.status_code))
    return wrong


def _differs(person: Person, method: str, address: str, none: str, answer: Any) -> bool:
    """Whether it is not what would be said if there were no such cluster."""
    if method != "GET":
        return False
    other = person.ask(method, none)
    texts = [
        one.content.replace(b"no-such-name", NAME.encode()) for one in (answer, other) if not one.streaming
    ]
    texts = [re.sub(rb'(csrf\w*|X-CSRFToken)[^>]*|nonce="[^"]*"', b"", text) for text in texts]
    return other.status_code != answer.status_code or len({*texts}) > 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "who, methods, part",
    [
        (FIRST, METHODS, slice(None)),
        *((who, MAIN, slice(number, None, len(FURTHER))) for number, who in enumerate(FURTHER)),
        *(
            pytest.param(who, METHODS, slice(None), marks=pytest.mark.deep)
            for who in STRANGERS
            if who != FIRST
        ),
    ],
)
def test_every_address_of_a_cluster_is_its_owners_alone(cluster, who, methods, part):
    person = Person(who, cluster)
    before = state_of(cluster)
    assert list_wrong(person, cluster, of_a_cluster()[part], methods) == []
    assert state_of(cluster) == before


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", one_in(2, ["owner", "superuser"]))
def test_its_owner_finds_something_at_every_address(cluster, who):
    """So that a stranger's 404 is one of rights."""
    person = Person(who, cluster)
    closed, values = [], values_of(cluster)
    for route in of_a_cluster():
        for address in fill(route, values):
            answer = person.ask("GET", address)
            is_admin = route.startswith("admin/")
            # A portforward is not built, and what was asked of a cluster is never deleted or changed.
            is_there = answer.status_code in (200, 302, 400, 405, 501) or (
                is_admin and answer.status_code == 403
            )
            if not is_there and (who == "superuser" or not is_admin):
                closed.append((address, answer.status_code))
    assert closed == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "who, begins, expected", [("owner's token", "k8s/", True), ("owner's token", "api/", False),
                              ("owner's REST token", "api/", True), ("owner's REST token", "k8s/", False)]
)  # fmt: skip
def test_a_token_opens_what_it_is_for_and_nothing_else(cluster, who, begins, expected):
    person = Person(who, cluster)
    values = values_of(cluster)
    for route in of_a_cluster():
        for address in fill(route, values):
            status = person.ask("GET", address).status_code
            if route.startswith(begins):
                assert (status not in (302, 401, 403, 404)) is expected, (address, status)
            elif not route.startswith(("k8s/", "api/")):
                assert status in REFUSED, (address, status)


# The first of those who may see the same, and one whose way in was closed; the deep tests try everybody.
LIKE = {frozenset(theirs): who for who, theirs in reversed(WHO.items())}
TRIED = {*LIKE.values(), "deactivated"}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", first_if(TRIED.__contains__, WHO))
def test_every_other_address_is_for_whom_it_says_and_tells_of_no_strangers_cluster(cluster, who):
    person, wrong, values = Person(who, cluster), [], values_of(cluster)
    for route, needed in OTHERS.items():
        (address,) = fill(route, values)
        answer = person.ask("GET", address)
        is_open = answer.status_code == 200 or (route == "readyz" and answer.status_code == 503)
        is_told = who in STRANGERS and not answer.streaming and NAME.encode() in answer.content
        if is_told or answer.status_code == 500 or is_open is not (needed in WHO[who]):
            wrong.append((address, needed, answer.status_code))
    assert wrong == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", [who for who in WHO if who.startswith("staff")])
def test_people_and_tokens_are_made_changed_and_ended_by_superusers_alone(cluster, who):
    """Django's permissions by model count for nothing: who may change people could become anybody."""
    person, owner = Person(who, cluster), cluster.owner
    bob = type(owner).objects.get(username="bob")
    form = {
        "username": "eve",
        "password1": "long-enough-1",
        "password2": "long-enough-1",
        "usable_password": "true",
    }
    form |= {"name": "eves", "is_superuser": "on", "is_active": "on", "post": "yes"}
    form |= {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    for asked in (
        *(f"auth/user/{what}" for what in ("add", "ID/change", "ID/password", "ID/delete")),
        *("auth/group/add", "authtoken/tokenproxy/ID/delete"),
    ):
        for target in (owner, bob):
            answer = person.client.post(f"/admin/{asked}/".replace("ID", str(target.pk)), form)
            assert answer.status_code == 403, asked
    assert [*type(owner).objects.values_list("username", "is_superuser", "password").order_by("pk")] == [
        (one.username, False, one.password) for one in (owner, bob)
    ]
    assert Group.objects.count() == 1 and rest_tokens.Token.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_superuser_ends_a_token(cluster):
    client = Person("superuser", cluster).client
    address = f"/admin/authtoken/tokenproxy/{cluster.owner_id}/"
    assert address in client.get("/admin/authtoken/tokenproxy/").content.decode()
    assert client.post(f"{address}delete/", {"post": "yes"}).status_code == 302
    assert not rest_tokens.Token.objects.exists()


def leak(request: Any, **named: str) -> HttpResponse:
    """A view whose author forgot to ask who looks."""
    return HttpResponse(f"{named}: busybox")


def with_route(route: str) -> Any:
    """The URL configuration with one more address."""
    module = ModuleType("urls_with_a_leak")
    vars(module).update(vars(all_urls), urlpatterns=[path(route, leak), *all_urls.urlpatterns])
    return module


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "route, is_tried",
    [
        ("clusters/<str:cluster>/new/", True),
        ("api/clusters/<slug:cluster>/new", True),
        ("new/<int:pk>/", False),
        ("new/", False),
    ],
)
def test_a_new_address_cannot_be_forgotten(cluster, settings, monkeypatch, route, is_tried):
    monkeypatch.setitem(sys.modules, "urls_with_a_leak", with_route(route))
    settings.ROOT_URLCONF = "urls_with_a_leak"
    assert list_without_row() == (set() if is_tried else {route})
    if is_tried:
        wrong = list_wrong(Person("other", cluster), cluster, [one for one in of_a_cluster() if one == route])
        assert [method for method, _, _ in wrong] == list(METHODS)


def test_every_address_and_every_socket_has_its_row():
    assert list_without_row() == set()
    assert set(all_sockets(asgi.application.application_mapping["websocket"])) == SOCKETS.keys()
    assert len(of_a_cluster()) > 50


def test_a_new_socket_cannot_be_forgotten(monkeypatch):
    of_pages = asgi.of_pages.application
    while not isinstance(of_pages, URLRouter):
        of_pages = of_pages.inner
    monkeypatch.setattr(of_pages, "routes", [*of_pages.routes, path("ws/new/<int:pk>/", leak)])
    found = set(all_sockets(asgi.application.application_mapping["websocket"]))
    assert found - SOCKETS.keys() == {"ws/new/<int:pk>/"}


@pytest.mark.django_db
@pytest.mark.parametrize("verb", list(Verb))
def test_what_shows_a_past_is_only_looked_at(verb):
    cluster = make_cluster(make_user("ada"))
    cluster.is_look = True
    root = make_user("root", is_superuser=True)
    assert [may(user, cluster, verb) for user in (cluster.owner, root)] == [verb == Verb.VIEW] * 2


async def is_let_in(person: Person, address: str) -> bool:
    """Whether a socket opens, through all that stands before it."""
    cookies = "; ".join(f"{cookie.key}={cookie.value}" for cookie in person.client.cookies.values())
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"cookie", cookies.encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in person.headers.items()]
    socket = WebsocketCommunicator(
        asgi.application, address, headers, ["v5.channel.k8s.io", "v4.channel.k8s.io"]
    )
    connected, _ = await socket.connect(5)
    await socket.disconnect()
    return connected


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", first_if(ENTERING.__contains__, WHO))
async def test_every_socket_is_its_owners_alone(cluster, who, monkeypatch):
    # What is run there no worker answers here.
    monkeypatch.setattr(carrying, "WAIT_SECONDS", 0.1)
    person = await consumers.in_thread(Person)(who, cluster)
    pod = await StoredObject.objects.aget(cluster=cluster, kind="Pod")
    of_pages, of_containers, _ = SOCKETS
    assert await is_let_in(person, f"/ws/clusters/{NAME}/") is (who in SOCKETS[of_pages])
    for action in EXECUTIONS:
        asked = "ports=80" if action == "portforward" else "command=ls&stdout=true"
        address = f"/k8s/{NAME}/api/v1/namespaces/default/pods/{pod.name}/{action}?{asked}"
        assert await is_let_in(person, address) is (who in SOCKETS[of_containers])
