"""Names are their owners': what an address means to whom, and that nobody learns of a stranger's."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dashboard.live import consumers
from lifecycle import access, tokens
from lifecycle.management.commands import up
from lifecycle.models import ApiToken, Cluster
from lifecycle.runs import forks, inbox
from tests.dashboard.conftest import make_cluster, make_user, record, watch
from tests.dashboard.rows import pod_life
from tests.dashboard.web.test_access_matrix import fill, of_a_cluster, values_at

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ODD_NAMES = ["a@b.example", "a+b", "a.b-c_d", "Zoë", "@", "a b"]


@pytest.fixture
def people() -> dict[str, Any]:
    """alice and bob have a `shop` each, alice a `stall` besides, root nothing."""
    users = {name: make_user(name, is_superuser=name == "root") for name in ("alice", "bob", "eve", "root")}
    for owner, name in (("alice", "shop"), ("bob", "shop"), ("alice", "stall")):
        make_cluster(users[owner], name)
    return users | {"nobody": AnonymousUser()}


# --- what an address means --------------------------------------------------------------------------------


def test_a_name_is_taken_among_those_of_its_owner_alone(people):
    with pytest.raises(IntegrityError), transaction.atomic():
        make_cluster(people["alice"], "shop")
    assert make_cluster(people["root"], "shop").pk


@pytest.mark.parametrize(
    "who, address, owner",
    [
        pytest.param("alice", "shop", "alice", id="one's own"),
        pytest.param("bob", "shop", "bob", id="one's own of the same name"),
        pytest.param("bob", "shop@bob", "bob", id="one's own in full"),
        pytest.param("bob", "shop@alice", None, id="a stranger's"),
        pytest.param("bob", "stall", None, id="a stranger's name"),
        pytest.param("eve", "shop", None, id="a name that two strangers have"),
        pytest.param("nobody", "shop", None, id="nobody"),
        pytest.param("root", "shop@alice", "alice", id="in full, for a superuser"),
        pytest.param("root", "shop@bob", "bob", id="in full, the other"),
        pytest.param("root", "stall", "alice", id="the only one of that name"),
        pytest.param("root", "shop", None, id="not clear which"),
        pytest.param("root", "shop@eve", None, id="a user without"),
        pytest.param("root", "shop@", None, id="no owner"),
        pytest.param("root", "@alice", None, id="no name"),
    ],
)
def test_an_address_means(people, who, address, owner):
    found = access.find_cluster(people[who], address)
    assert (found and found.owner.username) == owner


def test_ones_own_comes_before_all_others(people):
    own = make_cluster(people["root"], "stall")
    assert access.find_cluster(people["root"], "stall") == own


def test_who_may_see_several_is_told_how_to_name_them(people):
    with pytest.raises(Http404, match="of yours: name whose you mean, shop@alice or shop@bob"):
        access.get_cluster_or_404(people["root"], "shop")
    with pytest.raises(Http404, match=r"^There is no cluster 'shop'\.$"):
        access.get_cluster_or_404(people["eve"], "shop")


def test_somebody_elses_is_changed_by_its_full_name_only(people):
    with pytest.raises(Http404, match="name whose you mean, stall@alice"):
        access.get_cluster_or_404(people["root"], "stall", access.Verb.CHANGE)
    assert access.get_cluster_or_404(people["root"], "stall@alice", access.Verb.CHANGE)
    assert access.get_cluster_or_404(people["alice"], "stall", access.Verb.CHANGE)


def test_what_is_found_has_its_address_for_who_looks(people):
    assert access.get_cluster_or_404(people["root"], "stall").address == "stall@alice"
    assert access.get_cluster_or_404(people["alice"], "stall@alice").address == "stall"


@pytest.mark.parametrize("name", ODD_NAMES)
def test_users_with_odd_names_can_be_named(client, name):
    owner, root = make_user(name), make_user("root", is_superuser=True, is_staff=True)
    cluster = make_cluster(owner, "shop")
    record(cluster, pod_life())
    client.force_login(root)
    client.raise_request_exception = True
    address = reverse("cluster", args=[access.address_for(root, cluster)])
    page = client.get(address).content.decode()
    assert f'hx-get="{address}verdict/"' in page.replace("&#x27;", "'")
    assert client.get("/").status_code == 200
    for path in (
        f"/api{address}",
        f"/k8s{address.removeprefix('/clusters')}version",
        f"{address}events/",
    ):
        assert client.get(path).status_code == 200, path
    server = yaml.safe_load(client.get(f"{address}kubeconfig").content)["clusters"][0]["cluster"]["server"]
    token = tokens.issue(root, cluster)
    path = server.partition("/k8s/")[2]
    answer = client.get(f"/k8s/{path}/version", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 200


# --- nobody learns a stranger's names ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "suffix, step", [("", 3), ("@alice", 7), pytest.param("", 1, marks=pytest.mark.deep)]
)
def test_a_strangers_name_is_as_unknown_as_one_that_nobody_has(client, people, suffix, step):
    """Same status, same bytes, and the same questions to the database, at every address of a cluster."""
    client.force_login(people["bob"])
    routes = [route for route in of_a_cluster() if ":cluster>" in route][::step]
    seen: dict[str, list[Any]] = {"stall": [], "stuff": []}
    for name, answers in seen.items():
        for route in routes:
            for path, method in product(fill(route, values_at(f"{name}{suffix}")), ("get", "post")):
                with CaptureQueriesContext(connection) as asked:
                    answer = client.generic(method.upper(), path)
                queries = [query["sql"] for query in asked.captured_queries if "cluster" in query["sql"]]
                # Each page has a token of its own.
                told = [re.sub(r'value="\w{64}"', "", answer.content.decode()), *queries]
                answers.append((route, method, answer.status_code, [one.replace(name, "X") for one in told]))
    assert seen["stall"] == seen["stuff"]
    assert {status for _, _, status, _ in seen["stall"]} <= {404, 405}


def test_a_strangers_name_can_be_given(client, people):
    bob = people["bob"]
    client.force_login(bob)
    asked = {"seed": 1, "nodes": 3, "timing": "realistic"}
    assert client.post("/clusters/", {"name": "stall"} | asked)["Location"] == "/clusters/stall/"
    assert Cluster.objects.filter(name="stall").count() == 2
    inbox.rename_cluster(Cluster.objects.get(owner=bob, name="shop"), "booth")
    with pytest.raises(ValidationError, match="There is a cluster called stall already"):
        inbox.create_cluster(bob, "stall")


def test_names_that_are_suggested_are_free_among_ones_own(client, people):
    alice, bob = people["alice"], people["bob"]
    shop = Cluster.objects.get(owner=bob, name="shop")
    make_cluster(alice, "shop-fork")
    make_cluster(alice, "cluster")
    assert forks.suggest_name(shop, bob) == "shop-fork"
    assert forks.suggest_name(shop, alice) == "shop-fork-2"
    client.force_login(bob)
    assert 'value="cluster"' in client.get("/").content.decode()
    client.force_login(alice)
    assert 'value="cluster-2"' in client.get("/").content.decode()


def test_a_story_and_the_demo_have_their_usual_names_for_everybody(client, people, monkeypatch):
    for who in ("alice", "bob"):
        client.force_login(people[who])
        assert client.post("/gallery/s01-plain-pod/")["Location"] == "/clusters/s01-plain-pod/"
    make_cluster(people["alice"], "demo")
    make_user(up.USER_NAME, is_superuser=True)
    monkeypatch.setattr(up.connections, "close_all", lambda: None)
    up.make_demo()
    up.make_demo()
    assert Cluster.objects.filter(name="demo", owner__username=up.USER_NAME).count() == 1


# --- the admin --------------------------------------------------------------------------------------------


def test_the_admin_names_owners_where_it_lists_several(client):
    alice, root = make_user("alice", is_staff=True), make_user("root", is_staff=True, is_superuser=True)
    for owner in (alice, root):
        cluster = make_cluster(owner, "shop")
        record(cluster, pod_life(f"of-{owner}"))
    client.force_login(root)
    listing = client.get(reverse("admin:lifecycle_storedobject_changelist")).content.decode()
    assert "shop@alice" in listing and "of-alice" in listing and "of-root" in listing
    chosen = client.get(reverse("admin:lifecycle_storedobject_changelist"), {"cluster": "shop@alice"})
    assert "of-alice" in chosen.content.decode() and "of-root" not in chosen.content.decode()
    own = client.get(reverse("admin:lifecycle_storedobject_changelist"), {"cluster": "shop"}).content.decode()
    assert "of-root" in own and "of-alice" not in own
    assert client.get("/admin/lifecycle/cluster/shop@alice/rows/transitions/").status_code == 200
    clusters = client.get(reverse("admin:lifecycle_cluster_changelist")).content.decode()
    assert "/cluster/shop@alice/rows/events/" in clusters and "/cluster/shop/rows/events/" in clusters
    of_alice = Cluster.objects.get(owner=alice)
    page = client.get(reverse("admin:lifecycle_cluster_change", args=[of_alice.pk])).content.decode()
    assert "/clusters/shop@alice/" in page
    stored = of_alice.objects_stored.get()
    stored.data = {"metadata": {"name": stored.name}}
    stored.save()
    page = client.get(reverse("admin:lifecycle_storedobject_change", args=[stored.pk])).content.decode()
    assert "/clusters/shop@alice/pods/default/of-alice/" in page


def test_staff_give_a_name_that_a_stranger_has_and_none_that_they_have(client, people):
    staff = make_user("staff", is_staff=True)
    client.force_login(staff)
    address, given = reverse("admin:lifecycle_cluster_add"), {"name": "stall", "seed": 1, "settings": "{}"}
    given |= {"epoch_0": "2026-01-01", "epoch_1": "00:00:00"}
    assert client.post(address, given).status_code == 302
    refused = client.post(address, given)
    assert refused.status_code == 200
    assert "There is a cluster called stall already" in refused.content.decode()
    assert Cluster.objects.filter(name="stall").count() == 2


# --- kubeconfigs ------------------------------------------------------------------------------------------


def test_a_kubeconfig_says_whose_cluster_it_is_for(client, people):
    client.force_login(people["root"])
    answer = client.get("/clusters/shop@alice/kubeconfig")
    assert answer["Content-Disposition"] == 'attachment; filename="shop@alice.kubeconfig"'
    config = yaml.safe_load(answer.content)
    assert config["clusters"][0]["cluster"]["server"].endswith("/k8s/shop@alice")
    assert config["current-context"] == config["clusters"][0]["name"] == "podline-shop@alice"
    assert ApiToken.objects.get().cluster.owner == people["alice"]


@pytest.mark.parametrize(
    "arguments, owner, server",
    [
        (["stall"], "alice", "stall"),
        (["shop@bob"], "bob", "shop"),
        (["shop", "--user", "bob"], "bob", "shop"),
        (["shop@bob", "--user", "root"], "bob", "shop@bob"),
    ],
)
def test_the_command_finds(people, capsys, arguments, owner, server):
    call_command("kubeconfig", *arguments)
    assert yaml.safe_load(capsys.readouterr().out)["clusters"][0]["cluster"]["server"].endswith(
        f"/k8s/{server}"
    )
    assert ApiToken.objects.get().cluster.owner.username == owner


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["shop"], "there are several clusters 'shop': name whose you mean, shop@alice or shop@bob"),
        (["shop", "--user", "root"], "name whose you mean, shop@alice or shop@bob"),
        (["shop@alice", "--user", "bob"], "the user 'bob' may not look at the cluster 'shop@alice'"),
        (["shop@eve"], "there is no cluster 'shop@eve'; there are: shop@alice, shop@bob, stall"),
    ],
)
def test_the_command_asks_whose(people, arguments, words):
    with pytest.raises(CommandError, match=words.replace("(", r"\(")):
        call_command("kubeconfig", *arguments)


# --- sockets ----------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
async def test_a_socket_is_of_its_cluster_whatever_is_called_so(monkeypatch):
    """It stays with it when it is renamed, and ends with the right to it, not with that to a namesake."""
    monkeypatch.setattr(consumers, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr(consumers, "SHARED_SECONDS", 0.0)

    def begin() -> tuple[Any, Cluster]:
        alice, root = make_user("alice"), make_user("root", is_superuser=True)
        make_cluster(root, "shop")
        return root, access.give_address(root, make_cluster(alice, "shop"))

    root, cluster = await consumers.in_thread(begin)()
    socket = watch(root, cluster)
    assert (await socket.connect())[0]
    await consumers.in_thread(inbox.rename_cluster)(cluster, "booth")
    assert await socket.receive_nothing(timeout=0.5)
    await consumers.in_thread(record)(cluster, pod_life("of-alice"))
    assert "of-alice" in await socket.receive_from(timeout=30)
    await consumers.in_thread(inbox.rename_cluster)(cluster, "shop")
    await consumers.in_thread(type(root).objects.filter(pk=root.pk).update)(is_superuser=False)
    closed = await socket.receive_output(timeout=30)
    assert (closed["type"], closed["code"]) == ("websocket.close", consumers.NOT_FOUND)
