"""What each role of a cluster opens, on every surface: nothing, viewer, editor, owner."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from lifecycle import rest_tokens, tokens
from lifecycle.access import Verb, clusters_for, find_cluster, find_role, may
from lifecycle.models import Cluster, Role
from lifecycle.models.shares import Share
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life

pytestmark = pytest.mark.django_db
NOBODY, VIEWER, EDITOR, OWNER = "", "viewer", "editor", "owner"
RANK = [NOBODY, VIEWER, EDITOR, OWNER]
POD = "pods/default/web-1/"
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note", "namespace": "default"}}
# Method, address below the cluster's page, form, and the least role that is let in. Forms are wrong, so that
# whoever is let in is told so (422), and nothing happens.
PAGES: list[tuple[str, str, dict[str, str], str]] = [
    ("get", "", {}, VIEWER),
    ("get", POD, {}, VIEWER),
    ("get", f"{POD}?as=html", {}, VIEWER),
    ("get", "events/", {}, VIEWER),
    ("get", "table/", {}, VIEWER),
    ("get", "names/", {"of": "node"}, VIEWER),
    ("get", "stretch/", {"from": "0s", "to": "5s"}, VIEWER),
    ("get", "people/", {}, VIEWER),
    ("get", "tokens/", {}, VIEWER),
    ("get", "kubeconfig", {}, VIEWER),
    ("get", "check/", {}, VIEWER),
    ("get", "compare/mine/", {}, VIEWER),
    ("post", "fork/", {"name": "-", "at": "nonsense"}, VIEWER),
    ("post", "control/", {"kind": "nonsense"}, EDITOR),
    ("post", "manifest/", {"manifest": "kind: ["}, EDITOR),
    ("post", f"{POD}delete/", {"grace": "nonsense"}, EDITOR),
    ("post", f"{POD}edit/", {"what": "nonsense"}, EDITOR),
    ("post", "check/start/", {"seeds": "-1"}, EDITOR),
    ("post", "rename/", {"name": "-"}, OWNER),
    ("post", "links/", {"page": "/", "days": "7"}, OWNER),
    ("post", "links/999/revoke/", {}, OWNER),
    ("post", "people/give/", {"name": "nobody-of-that-name", "role": "viewer"}, OWNER),
    ("post", "people/999/take/", {}, OWNER),
]


@pytest.fixture
def shop() -> Cluster:
    cluster = make_cluster(make_user("ada"))
    record(cluster, pod_life())
    return cluster


def make_member(cluster: Cluster, role: str, name: str = "bob") -> tuple[Any, Client]:
    user, client = make_user(name), Client()
    make_cluster(user, "mine")
    client.force_login(user)
    if role:
        Role.objects.create(cluster=cluster, user=user, name=role)
    return user, client


@pytest.mark.slow
@pytest.mark.parametrize("role", RANK)
def test_each_page_is_open_from_its_role_on(shop: Cluster, role: str) -> None:
    _, client = make_member(shop, role)
    wrong = []
    for method, address, form, least in PAGES:
        status = getattr(client, method)(f"/clusters/shop@ada/{address}", form).status_code
        expected = {200, 422} if RANK.index(role) >= RANK.index(least) else {403 if role else 404}
        if status not in expected:
            wrong.append((method, address, status))
    assert not wrong
    assert client.post("/clusters/shop@ada/delete/").status_code == (
        200 if role == OWNER else 403 if role else 404
    )
    assert Cluster.objects.filter(pk=shop.pk).exists() is (role != OWNER)


@pytest.mark.slow
@pytest.mark.parametrize("role", RANK)
def test_the_rest_and_the_kubernetes_api_know_the_roles(shop: Cluster, role: str) -> None:
    user, client = make_member(shop, role)
    rest = {"Authorization": f"Bearer {rest_tokens.issue(user)}"}
    base, has = "/api/clusters/shop@ada/", RANK.index(role)
    assert client.get(base, headers=rest).status_code == (200 if has else 404)
    assert client.get(f"{base}trace", headers=rest).status_code == (200 if has else 404)
    asked = client.post(f"{base}control", {"kind": "no"}, content_type="application/json", headers=rest)
    assert asked.status_code == (400 if has >= 2 else 403 if has else 404)
    assert client.delete(base.replace("@ada", "@eve"), headers=rest).status_code == 404
    kube = {"Authorization": f"Bearer {tokens.issue(user, shop)}"}
    pods = client.get("/k8s/shop@ada/api/v1/namespaces/default/pods/none", headers=kube)
    assert pods.status_code == 404 and (b'"pods"' in pods.content) is bool(has)
    path = "/k8s/shop@ada/api/v1/namespaces/default/configmaps"
    if has < 2:
        written = client.post(path, CONFIG_MAP, content_type="application/json", headers=kube)
        assert written.status_code == (403 if has else 404)
    assert client.delete(base, headers=rest).status_code == (204 if has == 3 else 403 if has else 404)


@pytest.mark.parametrize(
    "role, verbs",
    [
        (NOBODY, []),
        (VIEWER, [Verb.VIEW]),
        (EDITOR, [Verb.VIEW, Verb.CHANGE, Verb.RUN]),
        (OWNER, list(Verb)),
    ],
)
def test_a_role_is_these_verbs(shop: Cluster, role: str, verbs: list[Verb]) -> None:
    user, _ = make_member(shop, role)
    other = make_cluster(shop.owner, "other")
    assert [verb for verb in Verb if may(user, shop, verb)] == verbs
    assert not any(may(user, other, verb) for verb in Verb)
    assert (shop in clusters_for(user)) is bool(verbs)
    assert find_role(shop.owner, shop) == OWNER


@pytest.mark.slow
@pytest.mark.parametrize("role", [VIEWER, EDITOR, OWNER])
def test_a_page_offers_what_may_be_done(shop: Cluster, role: str) -> None:
    _, client = make_member(shop, role)
    page = client.get("/clusters/shop@ada/").content.decode()
    assert ('id="controls"' in page) is (role != VIEWER)
    assert ('id="manifest-title"' in page) is (role != VIEWER)
    assert ("data-share" in page) is (role == OWNER)
    assert ('id="delete-title"' in page) is (role == OWNER)
    assert 'id="fork-title"' in page


def test_pages_of_owners_and_viewers_do_not_share_their_parts(shop: Cluster) -> None:
    make_member(shop, VIEWER, "bob")
    _, carl = make_member(shop, EDITOR, "carl")
    for part in ("verdict/", "workloads/"):
        assert carl.get(f"/clusters/shop@ada/{part}").status_code == 200


def test_an_owner_gives_and_takes_roles(shop: Cluster) -> None:
    client = Client()
    client.force_login(shop.owner)
    bob = make_user("bob")
    for role in (VIEWER, EDITOR, VIEWER):
        given = client.post("/clusters/shop/people/give/", {"name": "bob", "role": role})
        assert given.status_code == 200 and find_role(bob, shop) == role
    assert client.post(f"/clusters/shop/people/{Role.objects.get().pk}/take/").status_code == 200
    assert find_role(bob, shop) == ""
    assert find_cluster(bob, "shop@ada") is None


@pytest.mark.parametrize(
    "form, told",
    [
        ({"name": "ada", "role": "viewer"}, "ada made this cluster"),
        ({"name": "no-such", "role": "viewer"}, "nobody here is called"),
        ({"name": "gone", "role": "viewer"}, "nobody here is called"),
        ({"name": "bob", "role": "admin"}, "role: use viewer, editor, owner"),
        ({"name": "", "role": "viewer"}, "name: "),
        ({"name": "<script>", "role": "viewer"}, "nobody here is called &#x27;&lt;script&gt;"),
    ],
)
def test_a_role_that_cannot_be_given_is_refused_in_words(shop: Cluster, form: Any, told: str) -> None:
    client = Client()
    client.force_login(shop.owner)
    make_user("bob")
    make_user("gone", is_active=False)
    refused = client.post("/clusters/shop/people/give/", form)
    assert refused.status_code == 422 and told in refused.content.decode()
    assert not Role.objects.exists()


def test_a_role_of_another_cluster_is_not_taken(shop: Cluster) -> None:
    other = make_cluster(make_user("eve"), "other")
    make_member(other, VIEWER)
    client = Client()
    client.force_login(shop.owner)
    client.post(f"/clusters/shop/people/{Role.objects.get().pk}/take/")
    assert Role.objects.exists()


def test_who_lost_a_role_sees_no_past_of_it_either(shop: Cluster) -> None:
    bob, _ = make_member(shop, VIEWER)
    look = Cluster.objects.create(owner=bob, name="look-1", is_look=True, parent=shop, forked_at_ms=0)
    assert may(bob, look, Verb.VIEW)
    Role.objects.all().delete()
    assert not may(bob, Cluster.objects.get(pk=look.pk), Verb.VIEW)


def test_what_was_an_owners_before_there_were_roles_is_theirs_still(shop: Cluster) -> None:
    """Nothing is migrated, as who made a cluster is its owner without a row."""
    assert not Role.objects.exists() and not Share.objects.exists()
    assert all(may(shop.owner, shop, verb) for verb in Verb)
    root = make_user("root", is_superuser=True)
    assert all(may(root, shop, verb) for verb in Verb)
