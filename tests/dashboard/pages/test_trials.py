"""What is well on a condition can be tried the other way round by a click: the same story once more."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.pages.cluster.verdict import read_verdict
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox
from tests.runs.conftest import Wall, deployment, frames, make_cluster, owner, wall
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow

__all__ = ["Wall", "frames", "make_cluster", "owner", "wall"]
NOW_MS = 40_000
CONDITION = "if ngnix:1.27 can be pulled and starts (did you mean nginx:1.27?)"
LOST = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "lost"},
    "spec": {"containers": [{"name": "c", "image": "nginx", "envFrom": [{"secretRef": {"name": "none"}}]}]},
}


@pytest.fixture
def shop(owner: Any, make_cluster: Any) -> Cluster:
    """Two pods of an image that nobody knows, another image after ten seconds."""
    cluster: Cluster = make_cluster(settings={"timing": "instant"})
    inbox.append(cluster, "apply", {"object": deployment(2, image="ngnix:1.26")}, pinned_ms=0)
    change = {"kind": "Deployment", "namespace": "default", "name": "web"}
    inbox.append(cluster, "setImage", {**change, "container": "app", "image": "ngnix:1.27"}, pinned_ms=10_000)
    run_on(owner, cluster, NOW_MS)
    return cluster


def try_otherwise(client: Client, owner: Any, shop: Cluster, way: str) -> Cluster:
    client.force_login(shop.owner)
    answer = client.post(f"/clusters/{shop.name}/other-way/", {"way": way}, headers={"HX-Request": "true"})
    made = Cluster.objects.exclude(pk=shop.pk).get()
    assert answer["HX-Redirect"] == f"/clusters/{made.name}/"
    while owner.turn(made.pk) is not None:
        pass
    made.refresh_from_db()
    assert made.instant_ms == NOW_MS, "it comes to where the other one is"
    return made


def test_what_if_it_cannot_be_pulled(client: Client, owner: Any, shop: Cluster) -> None:
    made = try_otherwise(client, owner, shop, "cannot-be-pulled")
    told = read_verdict(made, NOW_MS)
    assert told.sentence == "1 problem: 1 pod is not well."
    assert "ImagePullBackOff" in told.troubles[0].sentence or "ErrImagePull" in told.troubles[0].sentence


def test_what_if_another_was_meant(client: Client, owner: Any, shop: Cluster) -> None:
    made = try_otherwise(client, owner, shop, "meant")
    assert read_verdict(made, NOW_MS).sentence == "Nothing is wrong: 2 ready."
    images = {
        one["image"]
        for data in StoredObject.objects.filter(cluster=made, kind="Pod").values_list("data", flat=True)
        for one in data["spec"]["containers"]
    }
    assert images == {"nginx:1.27", "ngnix:1.26"}


def test_pages_and_cards_say_the_condition_and_offer_the_trial(
    client: Client, owner: Any, shop: Cluster
) -> None:
    client.force_login(shop.owner)
    assert client.post(f"/clusters/{shop.name}/other-way/", {"way": "nonsense"}).status_code == 422
    for page in ("/", "/cards/", f"/clusters/{shop.name}/", f"/clusters/{shop.name}/verdict/"):
        told = client.get(page).content.decode()
        assert CONDITION in told and "What if not?" in told, page
        assert "What if nginx:1.27 was meant?" in told, page
    # Also where something else is wrong.
    inbox.append(shop, "apply", {"object": LOST})
    run_on(owner, shop, NOW_MS + 20_000)
    for page in ("/", f"/clusters/{shop.name}/"):
        told = client.get(page).content.decode()
        assert f"All else is well {CONDITION}" in told and "What if not?" in told, page


def test_where_nothing_is_doubted_nothing_is_offered_or_made(
    client: Client, owner: Any, make_cluster: Any
) -> None:
    cluster = make_cluster()
    inbox.append(cluster, "apply", {"object": deployment(1)})
    run_on(owner, cluster, NOW_MS)
    client.force_login(cluster.owner)
    assert "What if" not in client.get("/").content.decode()
    for way in ("cannot-be-pulled", "meant", "nonsense"):
        answer = client.post(f"/clusters/{cluster.name}/other-way/", {"way": way})
        assert answer.status_code == 422
    assert Cluster.objects.count() == 1


def test_a_stranger_tries_nothing(client: Client, django_user_model: Any, shop: Cluster) -> None:
    client.force_login(django_user_model.objects.create_user("bob"))
    assert client.post(f"/clusters/{shop.name}/other-way/", {"way": "meant"}).status_code == 404
