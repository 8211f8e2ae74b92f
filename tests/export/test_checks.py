"""Checks over REST: asked for within limits, read by who may, cancelled, forgotten."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client

from lifecycle.models import Check, Cluster
from lifecycle.runs import messages
from tests.builders import make_cluster, make_user

pytestmark = pytest.mark.django_db
URL = "/api/clusters/shop/checks/"


@pytest.fixture
def cluster(client: Client) -> Cluster:
    made = make_cluster("shop")
    client.force_login(made.owner)
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []

    class Noting(messages.Nobody):
        def ask_for_check(self, check: str, firsts: Sequence[int | None]) -> bool:
            found.append((check, list(firsts)))
            return True

    monkeypatch.setattr(messages, "_carrier", Noting())
    return found


def post(client: Client, data: Any) -> Any:
    return client.post(URL, data, content_type="application/json")


def test_a_check_is_asked_for_and_can_be_followed(client, cluster, asked, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        made = post(client, {"ordeals": ["node-crash"], "seeds": 3})
    told = made.json()
    assert (made.status_code, told["state"], told["seeds"]) == (201, "asked", 3)
    assert (told["ordeals"], told["done"]) == (["node-crash"], 0)
    assert asked == [(told["id"], [None])]
    assert [one["id"] for one in client.get(URL).json()] == [told["id"]]
    assert client.get(f"{URL}{told['id']}/").json()["report"] == {}


@pytest.mark.parametrize(
    "data, field, words",
    [
        ([], "detail", "send a JSON object"),
        ({"seed": 1}, "seed", "there is no such field: use ordeals, seeds"),
        ({"ordeals": "node-crash"}, "ordeals", "use a list of names"),
        ({"ordeals": ["<b>"]}, "ordeals", "no ordeal is called '<b>'; there are "),
        ({"seeds": 51}, "seeds", "51: use a whole number from 1 to 50"),
        ({"seeds": "many"}, "seeds", "many: use a whole number from 1 to 50"),
        ({"seeds": None}, "seeds", "None: use a whole number from 1 to 50"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(client, cluster, data, field, words):
    answer = post(client, data)
    assert answer.status_code == 400 and words in str(answer.json()[field])
    assert not Check.objects.exists()


def test_a_second_check_is_told_to_wait(client, cluster):
    post(client, {})
    answer = post(client, {})
    assert answer.status_code == 429 and answer.headers["Retry-After"] == "10"
    assert "goes on, and one at a time is the most" in answer.json()["detail"]


def test_delete_cancels_what_goes_on_and_forgets_what_has_ended(client, cluster):
    address = f"{URL}{post(client, {}).json()['id']}/"
    assert client.delete(address).json()["state"] == "cancelled"
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_a_check_of_another_cluster_is_not_there(client, cluster):
    other = make_cluster("other", owner=cluster.owner)
    check = Check.objects.create(cluster=other, user=cluster.owner)
    assert client.get(f"{URL}{check.pk}/").status_code == 404
    assert client.delete(f"{URL}{check.pk}/").status_code == 404


def test_a_stranger_neither_asks_nor_ends(client, cluster):
    check = Check.objects.create(cluster=cluster, user=cluster.owner)
    client.force_login(make_user())
    assert post(client, {}).status_code == 404
    assert client.delete(f"{URL}{check.pk}/").status_code == 404
    assert Check.objects.get().state == Check.State.ASKED
