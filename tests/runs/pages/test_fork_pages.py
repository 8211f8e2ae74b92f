"""Forks from the cluster's page and from the admin, and stopped clusters set free there."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from lifecycle import reads
from lifecycle.models import Cluster
from lifecycle.runs import forks, inbox
from lifecycle.runs.celery import carrier
from lifecycle.runs.sharing import shards
from tests.runs.conftest import create
from tests.runs.histories import assert_whole, recorded

pytestmark = pytest.mark.slow

LISTING = "admin:lifecycle_cluster_changelist"


@pytest.fixture
def shop(owner, wall, make_cluster, client, monkeypatch) -> Cluster:
    """Ten seconds of a rollout; its owner is signed in and of the staff."""
    monkeypatch.setattr(carrier, "nudge", lambda shard: None)
    cluster = make_cluster()
    create(cluster, replicas=2)
    inbox.control(cluster, "run", {"untilMs": 10_000})
    while owner.turn(cluster.pk) is not None:
        pass
    cluster.refresh_from_db()
    assert cluster.paused and cluster.instant_ms == 10_000
    get_user_model().objects.filter(pk=cluster.owner_id).update(is_staff=True)
    cluster.refresh_from_db()
    client.force_login(cluster.owner)
    return cluster


def fork(client: Client, **form: str):
    return client.post("/clusters/shop/fork/", {"name": "child", "at": ""} | form)


@pytest.mark.parametrize(
    "at, expected_ms",
    [
        pytest.param("", 10_000, id="this instant"),
        pytest.param("2500", 2500, id="milliseconds"),
        pytest.param("+3.5s", 3500, id="a duration"),
        pytest.param("2026-01-01T00:00:02Z", 2000, id="a time"),
    ],
)
def test_a_fork_is_made_and_gone_to(client, shop, at, expected_ms):
    answer = fork(client, at=at)
    assert answer["HX-Redirect"] == "/clusters/child/"
    child = Cluster.objects.get(name="child")
    assert (child.parent, child.forked_at_ms, child.owner) == (shop, expected_ms, shop.owner)
    assert recorded(child) == [row for row in recorded(shop) if row["at_ms"] <= expected_ms]
    page = client.get("/clusters/child/").content.decode()
    assert "forked from" in page and 'href="/clusters/shop/"' in page


@pytest.mark.parametrize(
    "form, says",
    [
        pytest.param({"at": "10001"}, "goes from 0 to 00:00:10", id="not come yet"),
        pytest.param({"at": "soon"}, "is no instant", id="no instant"),
        pytest.param({"name": "shop"}, "There is a cluster called shop already", id="a taken name"),
        pytest.param({"name": "No Label"}, "DNS label", id="no label"),
    ],
)
def test_what_cannot_be_forked_is_answered(client, shop, form, says):
    answer = fork(client, **form)
    assert answer.status_code == 422 and says in answer.content.decode()
    assert Cluster.objects.count() == 1


def test_a_fork_needs_a_page_of_ours(shop):
    client = Client(enforce_csrf_checks=True)
    client.force_login(shop.owner)
    assert fork(client).status_code == 403
    assert not Cluster.objects.filter(name="child").exists()


def test_a_fork_is_asked_for_by_post(client, shop):
    assert client.get("/clusters/shop/fork/").status_code == 405


def test_a_stranger_forks_nothing(client, shop):
    client.force_login(get_user_model().objects.create_user("eve"))
    assert fork(client).status_code == 404
    assert not Cluster.objects.filter(name="child").exists()


def test_the_page_suggests_a_name_that_is_free(client, shop):
    assert 'value="shop-fork"' in client.get("/clusters/shop/").content.decode()
    fork(client, name="shop-fork")
    assert 'value="shop-fork-2"' in client.get("/clusters/shop/").content.decode()


def test_between_turns_this_instant_is_virtual_now(owner, wall, shop, monkeypatch):
    """Nothing is due: the cursor stands, the clock goes on. An instant with rows still to come is refused."""
    monkeypatch.setattr(reads.time, "time", wall)
    shards.beat("test")
    inbox.control(shop, "resume")
    owner.turn(shop.pk)
    shop.refresh_from_db()
    wall.go_on(0.05)
    at_ms = reads.virtual_now_ms(shop)
    child = forks.fork(shop, at_ms, shop.owner, "child")
    assert child.instant_ms == at_ms > shop.instant_ms and recorded(child) == recorded(shop)
    assert_whole(child)
    create(shop, name="more")
    owner.turn(shop.pk)
    shop.refresh_from_db()
    wall.go_on(2)
    with pytest.raises(ValueError, match="ask again soon"):
        forks.fork(shop, reads.virtual_now_ms(shop), shop.owner, "other")
    assert not Cluster.objects.filter(name="other").exists()
    assert forks.fork(shop, None, shop.owner, "other").instant_ms == shop.instant_ms


def test_a_fork_that_is_being_made_is_not_forked(client, shop):
    Cluster.objects.filter(pk=shop.pk).update(failure=forks.UNFINISHED)
    answer = fork(client)
    assert answer.status_code == 422 and "still being made" in answer.content.decode()
    assert Cluster.objects.count() == 1


def act(client: Client, action: str, *clusters: Cluster):
    form = {"action": action, "_selected_action": [cluster.pk for cluster in clusters]}
    page = client.post(reverse(LISTING), form, follow=True)
    return " ".join(str(message) for message in page.context["messages"])


def test_the_admin_forks_ones_own_clusters(client, shop, make_cluster):
    eve = get_user_model().objects.create_user("eve")
    secret = inbox.create_cluster(eve, "secret")
    assert "shop was forked" in act(client, "fork", shop, secret)
    assert Cluster.objects.get(name="shop-fork").forked_at_ms == 10_000
    assert not Cluster.objects.filter(name="secret-fork").exists()


def test_the_admin_says_when_another_took_the_name_meanwhile(client, shop, monkeypatch):
    monkeypatch.setattr(forks, "suggest_name", lambda cluster, owner: "shop")
    says = "The cluster shop was not forked: There is a cluster called shop already"
    assert says in act(client, "fork", shop)


def test_the_admin_forgets_a_failure_and_the_cluster_runs_again(client, owner, shop):
    Cluster.objects.filter(pk=shop.pk).update(failure="ZeroDivisionError: a defect")
    with pytest.raises(inbox.Refused):
        create(shop, name="more")
    assert "The failure of shop is forgotten" in act(client, "forget_failure", shop)
    command = create(shop, name="more", replicas=1)
    inbox.control(shop, "run", {"untilMs": 20_000})
    while owner.turn(shop.pk) is not None:
        pass
    assert inbox.wait_for_result(command, 0)["code"] == 201
    assert_whole(shop)


@pytest.mark.parametrize("failure", ["", forks.UNFINISHED])
def test_there_may_be_no_failure_to_forget(client, shop, failure):
    Cluster.objects.filter(pk=shop.pk).update(failure=failure)
    assert "has no failure" in act(client, "forget_failure", shop)
    shop.refresh_from_db()
    assert shop.failure == failure


def test_a_strangers_failure_stays(client, shop):
    eve = get_user_model().objects.create_user("eve")
    secret = inbox.create_cluster(eve, "secret")
    Cluster.objects.filter(pk=secret.pk).update(failure="broken")
    act(client, "forget_failure", secret)
    secret.refresh_from_db()
    assert secret.failure == "broken"


def test_a_fork_goes_on_under_the_release_that_is_chosen(client, shop):
    assert fork(client, kubernetes="v1.34")["HX-Redirect"] == "/clusters/child/"
    assert "Kubernetes v1.34.9" in client.get("/clusters/child/").content.decode()
    assert "Kubernetes v1.36.3" in client.get("/clusters/shop/").content.decode()


def test_a_fork_under_a_release_that_is_not_modelled_is_refused(client, shop):
    assert "is not one of the available choices" in fork(client, kubernetes="v1.99").content.decode()
    assert not Cluster.objects.filter(name="child").exists()
