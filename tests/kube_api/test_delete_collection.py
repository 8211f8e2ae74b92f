"""Deleting many at once: in chunks, each once, and never without an end."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle import limits
from lifecycle.kube_api import writes
from lifecycle.models import Cluster, Command
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PATH = "/k8s/shop/api/v1/namespaces/default/configmaps"


@pytest.fixture
def waited(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many deletions were ordered anew whenever the worker had its turn."""
    open_: list[int] = []
    for name in "abcde":
        shop.create("ConfigMap", name, {"set": "one"})
    shop.create("ConfigMap", "other", {"set": "two"})
    client.force_login(shop.cluster.owner)

    def wait(command: Command, timeout: float) -> Any:
        command.refresh_from_db()
        if command.result is None:
            ordered = Command.objects.filter(cluster=shop.cluster, kind="delete").count()
            open_.append(ordered - sum(open_))
            shop.turn()
            command.refresh_from_db()
        return command.result

    monkeypatch.setattr(inbox, "wait_for_result", wait)
    monkeypatch.setattr(writes, "CHUNK", 2)
    return open_


def names(client: Any) -> list[str]:
    return [one["metadata"]["name"] for one in client.get(PATH).json()["items"]]


def test_they_go_in_chunks_and_are_answered_as_a_list(client, waited):
    answer = client.delete(f"{PATH}?labelSelector=set%3Done")
    assert (answer.status_code, answer.json()["kind"]) == (200, "ConfigMapList")
    assert [one["metadata"]["name"] for one in answer.json()["items"]] == list("abcde")
    assert names(client) == ["kube-root-ca.crt", "other"]
    assert waited == [2, 2, 1]


def test_who_may_begin_may_delete_them_all(shop, client, waited, monkeypatch):
    begun: list[bool] = []
    monkeypatch.setattr(limits, "take_command", lambda user, is_begun=False: begun.append(is_begun))
    assert client.delete(f"{PATH}?labelSelector=set%3Done").status_code == 200
    assert begun == [False, True, True, True, True]


def test_a_dry_run_deletes_none(client, waited):
    assert client.delete(f"{PATH}?labelSelector=set%3Done&dryRun=All").status_code == 200
    assert len(names(client)) == 7


def test_what_takes_too_long_says_how_far_it_came(client, waited, monkeypatch):
    monkeypatch.setattr(writes, "COLLECTION_SECONDS", 0.0)
    answer = client.delete(f"{PATH}?labelSelector=set%3Done")
    assert (answer.status_code, answer.json()["reason"]) == (504, "Timeout")
    assert answer.json()["message"].startswith("2 of 5 configmaps were deleted")
    assert names(client) == ["c", "d", "e", "kube-root-ca.crt", "other"]


def test_what_somebody_else_deleted_meanwhile_is_no_problem(shop, client, waited, monkeypatch):
    plain = inbox.append_all

    def append_all(cluster: Cluster, commands: Any, user: Any, is_begun: bool) -> list[Command]:
        quicker = [(kind, payload) for kind, payload in commands if payload["name"] == "c"]
        plain(cluster, quicker, user)
        return plain(cluster, commands, user, is_begun)

    monkeypatch.setattr(inbox, "append_all", append_all)
    assert client.delete(f"{PATH}?labelSelector=set%3Done").status_code == 200
    assert names(client) == ["kube-root-ca.crt", "other"]
    assert Command.objects.filter(kind="delete", payload__name="c").count() == 2
