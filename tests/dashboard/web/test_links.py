"""Links that were shared: anybody looks, at one cluster, by reading, until the link is over or revoked."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.utils import timezone

from dashboard.live import consumers
from dashboard.web.guests import SHOWN
from lifecycle import limits
from lifecycle.access import Verb, admit, find_cluster, may
from lifecycle.models import Cluster, Command, Role, RunControl, Share, shares
from tests.dashboard.conftest import make_cluster, make_shop, make_user, record
from tests.dashboard.rows import event, pod_life

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)
POD = "pods/default/web-1/"


@pytest.fixture
def shop(client: Client) -> Cluster:
    return make_shop(client)


@pytest.fixture
def guest() -> Client:
    return Client()


def share(cluster: Cluster, page: str = "", **more: Any) -> str:
    """The address of a new link to a page."""
    return f"/s/{shares.issue(cluster.owner, cluster, page, more.pop('lifetime', WEEK), **more)}/"


def expire() -> None:
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


# --- what is shown ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page, word", [("", "Cluster"), (POD, "Pod in default"), (f"{POD}?sel=2", "Pod in default")]
)
def test_a_link_opens_the_page_that_was_shared(guest: Client, shop: Cluster, page: str, word: str) -> None:
    link = share(shop, page)
    opened = guest.get(link)
    assert (opened.status_code, opened["Location"]) == (302, f"{link}clusters/shop/{page}")
    shown = guest.get(opened["Location"])
    assert shown.status_code == 200 and word in shown.content.decode()


def test_every_address_of_a_shared_page_stays_below_the_link(guest: Client, shop: Cluster) -> None:
    link = share(shop)
    for page in ("", POD):
        text = guest.get(f"{link}clusters/shop/{page}").content.decode()
        asked = re.findall(r'(?:href|action|hx-get|hx-post|data-socket|data-base)="(/[^"]*)"', text)
        outside = {one for one in asked if not one.startswith((link, "/static/"))}
        assert asked and not outside


def test_a_shared_page_has_nothing_that_changes_anything(guest: Client, shop: Cluster) -> None:
    link = share(shop)
    for page in ("", POD):
        text = guest.get(f"{link}clusters/shop/{page}").content.decode()
        assert not re.findall(r"hx-(?:post|delete|put|patch)|method=\"post\"|csrf", text)
        assert "Somebody shared this with you" in text


def test_who_looks_is_told_of_nobody_by_name(guest: Client) -> None:
    cluster = make_cluster(make_user("secret-name"))
    record(cluster, pod_life())
    assert b"secret-name" not in guest.get(f"{share(cluster)}clusters/shop/").content


def test_a_guests_page_can_be_kept_as_a_file(guest: Client, shop: Cluster) -> None:
    kept = guest.get(f"{share(shop)}clusters/shop/{POD}?as=html")
    assert kept.status_code == 200 and b"<h1>Pod in default web-1</h1>" in kept.content


def test_the_address_is_told_to_nobody_and_kept_by_nobody(guest: Client, shop: Cluster) -> None:
    link = share(shop)
    for address in (link, f"{link}clusters/shop/", f"{link}clusters/shop/events/", "/s/nonsense/"):
        answer = guest.get(address)
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["Cache-Control"] == "no-store"
        assert answer["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert "script-src 'self';" in answer["Content-Security-Policy"]


def test_the_token_is_stored_as_its_digest_alone_and_cannot_be_guessed(shop: Cluster) -> None:
    token = share(shop).split("/")[2]
    assert len(token) >= 43
    stored = Share.objects.values().get()
    assert token not in str(stored)


# --- what is not there ------------------------------------------------------------------------------------


def test_revoked_and_unknown_links_are_not_there_and_old_ones_are_gone(guest: Client, shop: Cluster) -> None:
    link = share(shop)
    assert guest.get("/s/nonsense/clusters/shop/").status_code == 404
    expire()
    for address in (link, f"{link}clusters/shop/", f"{link}anything"):
        assert guest.get(address).status_code == 410
        assert b"shop" not in guest.get(address).content.replace(link.encode(), b"")
    Share.objects.all().delete()
    assert guest.get(link).status_code == 404
    assert guest.get(f"{link}clusters/shop/").status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deactivated", "gone", "no owner any more"])
def test_a_link_is_no_better_than_who_made_it(guest: Client, shop: Cluster, how: str) -> None:
    bob = make_user("bob")
    Role.objects.create(cluster=shop, user=bob, name=Role.Name.OWNER)
    link = f"/s/{shares.issue(bob, shop, '', WEEK)}/"
    assert guest.get(f"{link}clusters/shop/").status_code == 200
    if how == "deactivated":
        type(bob).objects.filter(pk=bob.pk).update(is_active=False)
    elif how == "gone":
        bob.delete()
    else:
        Role.objects.update(name=Role.Name.EDITOR)
    assert guest.get(f"{link}clusters/shop/").status_code in (404, 410)


def list_outside() -> list[str]:
    """Addresses of what is not shared."""
    return [
        "clusters/other/",
        "clusters/other@eve/",
        f"clusters/other/{POD}",
        "clusters/shop/compare/other/",
        "clusters/shop/compare/?with=other",
        "clusters/shop/scenario.yaml",
        "clusters/shop/kubeconfig",
        "clusters/shop/tokens/",
        "clusters/shop/people/",
        "clusters/shop/control/",
        "clusters/shop/check/",
        "clusters/shop/remarks/",
        "clusters/",
        "cards/",
        "gallery/",
        "api/",
        "api/clusters/",
        "api/clusters/shop/",
        "api/clusters/shop/transitions",
        "k8s/shop/api/v1/pods",
        "admin/",
        "metrics",
        "s/again/",
        "//clusters/other/",
        "clusters/shop/../other/",
        "clusters/shop%2f..%2fother/",
    ]


@pytest.mark.parametrize("address", list_outside())
def test_nothing_else_is_there_by_a_link(guest: Client, shop: Cluster, address: str) -> None:
    other = make_cluster(make_user("eve"), "other")
    record(other, pod_life())
    mine = make_cluster(shop.owner, "mine")
    record(mine, pod_life())
    answer = guest.get(share(shop) + address)
    assert answer.status_code == 404, address
    assert guest.get(share(shop) + address.replace("other", "mine")).status_code == 404


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options", "trace"])
def test_nothing_is_written_by_a_link(guest: Client, shop: Cluster, method: str) -> None:
    link = share(shop)
    for page in ("", "control/", "fork/", "manifest/", "delete/", "links/", f"{POD}delete/"):
        assert getattr(guest, method)(f"{link}clusters/shop/{page}").status_code == 404
    assert not Command.objects.exists() and not RunControl.objects.exists()
    assert Cluster.objects.count() == 1


@pytest.mark.slow
def test_who_is_signed_in_is_a_guest_there_all_the_same(client: Client, shop: Cluster) -> None:
    link = share(shop)
    make_cluster(shop.owner, "mine")
    assert client.get(f"{link}clusters/mine/").status_code == 404
    assert client.post(f"{link}clusters/shop/delete/").status_code == 404
    # And is signed in elsewhere as before.
    assert client.get("/clusters/mine/").status_code == 200
    assert b'href="/clusters/mine/' in client.get("/clusters/mine/").content


def test_two_clusters_side_by_side_are_shared_as_that_alone(guest: Client, shop: Cluster) -> None:
    beside = make_cluster(shop.owner, "beside")
    link = share(shop, beside=beside)
    opened = guest.get(link, follow=True)
    assert opened.status_code == 200 and b"shop and beside" in opened.content
    for page in (
        "clusters/shop/",
        "clusters/beside/",
        f"clusters/shop/{POD}",
        "clusters/beside/compare/mine/",
    ):
        assert guest.get(link + page).status_code == 404
    assert not re.findall(rb'href="[^"]*/clusters/[^"]*"', opened.content)


def test_a_guest_is_nobody_to_any_other_cluster(shop: Cluster) -> None:
    other = make_cluster(make_user("eve"), "other")
    share(shop)
    guest = admit(Share.objects.get())
    assert guest is not None
    assert [may(guest, shop, verb) for verb in Verb] == [True, False, False, False]
    assert not any(may(guest, other, verb) for verb in Verb)
    assert find_cluster(guest, "other") is None and find_cluster(guest, "other@eve") is None
    # Nor by a number that a user has.
    assert guest.pk < 0


# --- sockets ----------------------------------------------------------------------------------------------


def watch(path: str) -> WebsocketCommunicator:
    from channels.auth import AuthMiddlewareStack
    from channels.routing import URLRouter

    from dashboard.routing import websocket_urlpatterns
    from dashboard.web.origins import SameOriginOnly

    routes = SameOriginOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    return WebsocketCommunicator(routes, path, headers=headers)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
async def test_a_guests_socket_is_of_the_shared_cluster_and_closes_with_the_link(monkeypatch: Any) -> None:
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "SHARED_SECONDS", 0.0)
    in_thread = consumers.in_thread
    ada = await in_thread(make_user)("ada")
    cluster, other = [await in_thread(make_cluster)(ada, name) for name in ("shop", "other")]
    link = await in_thread(share)(cluster)
    beside = await in_thread(share)(cluster, beside=other)
    for refused in (
        "/s/nonsense/ws/clusters/shop/",
        f"{link}ws/clusters/other/",
        f"{beside}ws/clusters/shop/",
    ):
        assert (await watch(refused).connect())[0] is False, refused
    socket = watch(f"{link}ws/clusters/shop/")
    assert (await socket.connect())[0]
    await in_thread(expire)()
    while (message := await socket.receive_output(timeout=10))["type"] != "websocket.close":
        pass
    assert message["code"] == consumers.NOT_FOUND


# --- making and revoking ----------------------------------------------------------------------------------


def make_link(client: Client, page: str, cluster: str = "shop", days: str = "7") -> Any:
    return client.post(f"/clusters/{cluster}/links/", {"page": page, "days": days})


@pytest.mark.parametrize(
    "page, kept",
    [
        ("/clusters/shop/", ""),
        (
            f"/clusters/shop/{POD}?at=17m42s&sel=3&from=1&to=9&as=html&x=y",
            f"{POD}?at=17m42s&sel=3&from=1&to=9",
        ),
        (f"http://elsewhere.example/clusters/shop/{POD}", POD),
    ],
)
def test_a_link_is_made_of_a_page_with_its_instant_and_selection(
    client: Client, shop: Cluster, page: str, kept: str
) -> None:
    made = make_link(client, page)
    assert made.status_code == 200
    (link,) = re.findall(r'value="http://testserver(/s/[^"]+)"', made.content.decode())
    assert Share.objects.get().page == kept
    assert Client().get(link)["Location"] == f"{link}clusters/shop/{kept}"


@pytest.mark.parametrize(
    "page",
    [
        "/",
        "/clusters/other/",
        "/clusters/shop/kubeconfig",
        "/clusters/shop/check/",
        "//evil.example",
        "x" * 3000,
        "http://[",
        "/admin/",
    ],
)
def test_no_link_is_made_of_anything_else(client: Client, shop: Cluster, page: str) -> None:
    make_cluster(shop.owner, "other")
    assert make_link(client, page).status_code == 422
    assert make_link(client, "/clusters/shop/", days="9999").status_code == 422
    assert not Share.objects.exists()


def test_links_are_listed_and_revoked_on_a_page_of_the_cluster(client: Client, shop: Cluster) -> None:
    link = share(shop, POD)
    page = client.get("/clusters/shop/people/").content.decode()
    assert POD in page and link.split("/")[2] not in page
    (revoke,) = re.findall(r'hx-post="([^"]*/revoke/)"', page)
    assert client.post(revoke).status_code == 200
    assert Client().get(link).status_code == 404


def test_nobody_revokes_the_link_of_anothers_cluster(client: Client, shop: Cluster) -> None:
    share(make_cluster(make_user("eve"), "other"))
    assert client.post(f"/clusters/shop/links/{Share.objects.get().pk}/revoke/").status_code == 200
    assert Share.objects.count() == 1


def test_one_user_has_so_many_links(client: Client, shop: Cluster, settings: Any) -> None:
    settings.MAX_SHARES = 1
    assert make_link(client, "/clusters/shop/").status_code == 200
    refused = make_link(client, "/clusters/shop/")
    assert refused.status_code == 403 and b"MAX_SHARES" in refused.content
    expire()
    assert make_link(client, "/clusters/shop/").status_code == 200


def test_guests_of_a_link_look_ahead_as_often_as_one_user(
    guest: Client, shop: Cluster, settings: Any
) -> None:
    settings.MAX_PREVIEWS = 1
    link = share(shop)
    held = object.__new__(limits._Holder)
    leave = limits.previews.take(-Share.objects.get().pk, held)
    assert guest.get(f"{link}clusters/shop/ahead/").status_code == 429
    leave()


@pytest.mark.slow
@pytest.mark.parametrize("hostile", ["</script><img src=x onerror=alert(1)>", '" onmouseover="alert(1)'])
def test_hostile_names_are_text_in_shared_pages(guest: Client, shop: Cluster, hostile: str) -> None:
    record(shop, [event(9_000, hostile, hostile, hostile)])
    link = share(shop, f"{POD}?q=x")
    text = guest.get(f"{link}clusters/shop/", {"q": hostile}).content.decode()
    assert hostile not in text


def test_what_a_guest_sees_is_in_the_list_of_what_is_read_only() -> None:
    """Whoever adds a view says here whether guests see it: nothing that changes anything has such a name."""
    assert not [
        name for name in SHOWN if re.search("delete|change|apply|fork|control|start|cancel|token", name)
    ]
