"""`podline cluster`: what it prints, how it ends, and that it does the same over REST."""

from __future__ import annotations

import io
import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from lifecycle import rest_tokens
from lifecycle.management import cluster_desks
from lifecycle.management.commands import cluster as command
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from tests.builders import make_superuser
from tests.kube_api.conftest import Shop, channels_in_memory, shop, shop_settings

__all__ = ["channels_in_memory", "shop", "shop_settings"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def owner(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Who runs the installation; the worker has a turn whenever something waits."""

    def turn(cluster_id: int) -> None:
        shop.owner.turn(cluster_id, 10.0)

    def wait(control: Any, timeout: float) -> bool:
        turn(control.cluster_id)
        control.refresh_from_db()
        return True

    monkeypatch.setattr(inbox, "wait_for_control", wait)
    monkeypatch.setattr(
        command.time, "sleep", lambda seconds: [turn(one.pk) for one in Cluster.objects.all()]
    )
    return make_superuser("root")


def take_to_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of the command go to our own views."""

    def open_url(request: Any, **_: Any) -> Any:
        path = urlsplit(request.full_url).path
        headers = {"Authorization": request.get_header("Authorization")}
        answer = Client(headers=headers).generic(
            request.get_method(), path, request.data or b"", content_type="application/json"
        )
        if answer.status_code >= 400:
            raise HTTPError(request.full_url, answer.status_code, "", {}, io.BytesIO(answer.content))
        return io.BytesIO(answer.content)

    monkeypatch.setattr(cluster_desks, "urlopen", open_url)


@pytest.fixture(params=["here", "there"])
def run(request: pytest.FixtureRequest, owner: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command and return what it printed: on this machine, and over REST."""
    where: list[str] = []
    if request.param == "there":
        take_to_views(monkeypatch)
        monkeypatch.setenv(command.TOKEN, rest_tokens.issue(owner))
        where = ["--server", "http://podline.example.org"]

    def run(*words: str) -> str:
        out = io.StringIO()
        call_command("cluster", *where, *words, stdout=out)
        return out.getvalue()

    return run


def test_a_cluster_is_made_run_forked_and_deleted(run):
    assert "The cluster ci is made" in run("create", "ci", "--nodes", "1", "--seed", "7", "--paused")
    cluster = Cluster.objects.get(name="ci")
    assert (cluster.seed, cluster.settings["nodes"]["count"], cluster.paused) == (7, 1, True)
    assert run("run", "ci", "--for", "10m").startswith("ci stands at 00:10:00")
    assert run("run", "ci", "--until", "node/node-1 Ready").startswith("ci stands at 00:10:00")
    assert run("speed", "ci", "20").startswith("ci runs, at ")
    assert run("pause", "ci").startswith("ci stands at")
    assert "speed auto" in run("speed", "ci", "auto")
    assert "The cluster ci-2 is made" in run("fork", "ci", "ci-2", "--at", "90s")
    assert Cluster.objects.get(name="ci-2").instant_ms == 90_000
    assert "The cluster ci-3 is made" in run("fork", "ci", "ci-3", "--kubernetes", "1.37")
    releases = [Cluster.objects.get(name=name).settings["kubernetes"] for name in ("ci", "ci-2", "ci-3")]
    assert releases == ["v1.36", "v1.36", "v1.37"]
    run("delete", "ci-2")
    run("delete", "ci-3")
    assert run("list").startswith("ci ")


def test_a_run_that_does_not_come_to_its_end_fails(run):
    run("create", "ci", "--paused")
    run("run", "ci", "--until", "idle")
    with pytest.raises(CommandError, match="was not reached: time stands at 1d 00:0") as failed:
        run("run", "ci", "--until", "node/node-1 condition Ready == False")
    assert failed.value.returncode == command.NOT_REACHED


@pytest.mark.parametrize(
    "words, said",
    [
        (["create", "Not A Label"], "name: "),
        (["create", "ci", "--speed", "fast"], "speed 'fast': use a number from 0.01 to 10,000, or auto"),
        (["create", "ci", "--epoch", "today"], "epoch: use an RFC 3339 time"),
        (["create", "ci", "--kubernetes", "0.1"], "Kubernetes '0.1' is not modelled; there are v1.37"),
        (["create", "ci", "--nodes", "0"], "nodes: use a whole number from 1"),
        (["create", "ci", "--speed", "auto", "--paused"], "leave paused out"),
        (["run", "nobody", "--until", "idle"], "nobody"),
        (["delete", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_said_and_ends_with_2(owner, words, said):
    with pytest.raises(CommandError) as refused:
        call_command("cluster", *words)
    assert said in str(refused.value)


def test_over_rest_a_refusal_says_the_same(owner, monkeypatch):
    take_to_views(monkeypatch)
    monkeypatch.setenv(command.TOKEN, rest_tokens.issue(owner))
    with pytest.raises(CommandError, match="nodes: use a whole number from 1"):
        call_command("cluster", "--server", "http://x", "create", "ci", "--nodes", "0")
    monkeypatch.delenv(command.TOKEN)
    with pytest.raises(CommandError, match=f"set {command.TOKEN}"):
        call_command("cluster", "--server", "http://x", "list")


def test_a_server_that_does_not_answer_is_said(owner, monkeypatch):
    monkeypatch.setenv(command.TOKEN, "any")
    with pytest.raises(CommandError, match=r"127\.0\.0\.1:9/api/clusters/ does not answer"):
        call_command("cluster", "--server", "http://127.0.0.1:9", "list")


def test_json_is_sent_with_the_token(monkeypatch):
    sent: list[Any] = []

    def open_url(request: Any, **_: Any) -> Any:
        sent.append(
            (request.get_method(), request.full_url, request.get_header("Authorization"), request.data)
        )
        return io.BytesIO(b'{"name": "ci"}')

    monkeypatch.setattr(cluster_desks, "urlopen", open_url)
    assert cluster_desks.There("http://x/", "secret").create({"name": "ci"}) == "ci"
    ((method, url, token, data),) = sent
    assert (method, url, token) == ("POST", "http://x/api/clusters/", "Bearer secret")
    assert json.loads(data) == {"name": "ci"}
