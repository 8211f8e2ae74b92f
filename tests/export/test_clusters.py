"""Clusters over REST: made within limits, driven, forked and deleted by whoever may, refused in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from lifecycle import rest_tokens
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from tests.builders import make_user
from tests.kube_api.conftest import Shop, channels_in_memory, shop, shop_settings

__all__ = ["channels_in_memory", "shop", "shop_settings"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
URL = "/api/clusters/"
HOUR_MS = 3_600_000


class Caller:
    """A program with its owner's token; the worker has its turns while it waits."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {rest_tokens.issue(shop.cluster.owner)}"})
        self.shop = shop

        def wait(control: Any, timeout: float) -> bool:
            shop.owner.turn(control.cluster_id, 10.0)
            control.refresh_from_db()
            return True

        monkeypatch.setattr(inbox, "wait_for_control", wait)

    def post(self, path: str, body: Any) -> Any:
        return self.client.post(f"{URL}{path}", body, content_type="application/json")


@pytest.fixture
def caller(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(shop, monkeypatch)


def test_a_cluster_is_made_driven_forked_and_deleted_with_a_token(caller):
    asked = {"name": "ci", "nodes": 2, "seed": 7, "epoch": "2026-02-03T04:05:06Z", "timing": "instant"}
    made = caller.post("", {**asked, "speed": "auto"})
    assert made.status_code == 201, made.json()
    told = made.json()
    assert (told["address"], told["seed"], told["epoch"]) == ("ci", 7, "2026-02-03T04:05:06Z")
    caller.shop.owner.turn(Cluster.objects.get(name="ci").pk, 10.0)
    clock = caller.client.get(f"{URL}ci/control").json()
    assert clock["spec"] == {"speed": "auto", "paused": False}
    assert (clock["status"]["paused"], clock["status"]["idle"]) == (True, True)
    ran = caller.post("ci/control", {"runUntil": "1h"}).json()["status"]
    assert (ran["reached"], ran["atMs"]) == (True, clock["status"]["atMs"] + HOUR_MS)
    forked = caller.post("ci/fork", {"name": "ci-2", "at": "10m"})
    assert (forked.status_code, forked.json()["instant_ms"]) == (201, 600_000)
    newer = caller.post("ci/fork", {"name": "ci-3", "at": "10m", "kubernetes": "1.37"})
    assert newer.status_code == 201, newer.json()
    assert Cluster.objects.get(name="ci-3").settings["kubernetes"] == "v1.37"
    assert caller.client.delete(f"{URL}ci-3/").status_code == 204
    assert caller.post("ci/kubeconfig", {}).json()["kubeconfig"].startswith("apiVersion: v1")
    assert caller.client.delete(f"{URL}ci/").status_code == 204
    assert sorted(one["name"] for one in caller.client.get(URL).json()) == ["ci-2", "shop"]


HOSTILE = [
    ("", []),
    ("", "text"),
    ("", {}),
    ("", {"name": "Not A Label"}),
    ("", {"name": "shop"}),
    ("", {"name": 5}),
    ("", {"name": "a", "nodes": 0}),
    ("", {"name": "a", "nodes": 10**9}),
    ("", {"name": "a", "nodes": True}),
    ("", {"name": "a", "seed": -1}),
    ("", {"name": "a", "seed": 10**30}),
    ("", {"name": "a", "epoch": "yesterday"}),
    ("", {"name": "a", "epoch": "0001-01-01T00:00:00Z"}),
    ("", {"name": "a", "epoch": "9999-12-31T23:59:59Z"}),
    ("", {"name": "a", "timing": "slow"}),
    ("", {"name": "a", "kubernetes": "0.1"}),
    ("", {"name": "a", "speed": "fast"}),
    ("", {"name": "a", "speed": 10**400}),
    ("", {"name": "a", "speed": "auto", "paused": True}),
    ("", {"name": "a", "paused": "yes"}),
    ("", {"name": "a", "color": "red"}),
    ("shop/control", []),
    ("shop/control", {"speed": None}),
    ("shop/control", {"speed": "nan"}),
    ("shop/control", {"speed": 0}),
    ("shop/control", {"paused": 1}),
    ("shop/control", {"runUntil": {"a": 1}}),
    ("shop/control", {"runUntil": "pod/nobody Ready"}),
    ("shop/control", {"runUntil": "\0"}),
    ("shop/control", {"warp": 1}),
    ("shop/fork", {"name": "Not A Label"}),
    ("shop/fork", {"name": ["a"]}),
    ("shop/fork", {"at": "tomorrow"}),
    ("shop/fork", {"at": 10**40}),
    ("shop/fork", {"at": {"a": 1}}),
    ("shop/fork", {"kubernetes": "0.1"}),
    ("shop/fork", {"kubernetes": 1.36}),
    ("shop/fork", {"kubernetes": ["v1.36"]}),
    ("shop/fork", {"kubernetes": {"a": 1}}),
    ("shop/fork", {"kubernetes": True}),
    ("shop/fork", {"kubernetes": "v" * 10_000}),
    ("shop/fork", {"kubernetes": "v1.36\0"}),
    ("shop/fork", []),
]


def test_what_cannot_be_is_refused_in_words(caller):
    for path, body in HOSTILE:
        answer = caller.post(path, body)
        assert answer.status_code == 400, (path, body, answer.content)
        assert answer.json(), (path, body)
    assert [one.name for one in Cluster.objects.all()] == ["shop"]


def test_a_release_that_is_not_modelled_is_refused_with_those_that_are(caller):
    for path in ("", "shop/fork"):
        answer = caller.post(path, {"name": "a", "kubernetes": "v1.99"})
        assert answer.status_code == 400
        assert "is not modelled; there are v1.37 (v1.37.0, not recorded), v1.36 (v1.36.3)" in str(
            answer.json()
        )


def test_nobody_makes_more_clusters_than_one_may_have(caller, settings):
    settings.MAX_CLUSTERS = 1
    owner = make_user("bob")
    client = Client(headers={"Authorization": f"Bearer {rest_tokens.issue(owner)}"})
    first = client.post(URL, {"name": "one"}, content_type="application/json")
    second = client.post(URL, {"name": "two"}, content_type="application/json")
    assert (first.status_code, second.status_code) == (201, 403), second.json()


@pytest.mark.parametrize(
    "method, path", [("post", "shop/control"), ("delete", "shop/"), ("post", "shop/fork")]
)
def test_somebody_elses_cluster_is_not_there(caller, method, path):
    stranger = make_user("bob")
    client = Client(headers={"Authorization": f"Bearer {rest_tokens.issue(stranger)}"})
    assert getattr(client, method)(f"{URL}{path}", {}, content_type="application/json").status_code == 404


@pytest.mark.parametrize("method, path", [("post", ""), ("post", "shop/control"), ("delete", "shop/")])
def test_a_session_writes_with_its_csrf_token_only(caller, method, path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(caller.shop.cluster.owner)
    assert getattr(client, method)(f"{URL}{path}", {}, content_type="application/json").status_code == 403
