"""From the editor into a fork, and both let run on: what each does, and who may."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from dashboard.pages.compare import running
from lifecycle.models import Cluster, Command, Role, StoredObject
from lifecycle.runs import forks, inbox
from lifecycle.runs.driving import clocks
from tests.dashboard.conftest import make_cluster, make_user
from tests.dashboard.pages.edit.test_editing import DEPLOYMENT, HERE, Editor
from tests.kube_api.conftest import Shop, shop, shop_settings

__all__ = ["shop", "shop_settings"]
pytestmark = pytest.mark.slow
RUN = "/clusters/shop/compare/shop-fork/run/"
WEB = "Deployment/default/web"


@pytest.fixture
def turn(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Lets every cluster have its turn; whoever waits does."""

    def turn_all(*_: Any) -> None:
        shop.wall += 0.1
        for cluster in Cluster.objects.all():
            shop.owner.turn(cluster.pk, 10.0)

    def turn_and(wait: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *asked: (turn_all(), wait(*asked))[1]

    for name in ("wait_for_result", "wait_for_results", "wait_for_control"):
        monkeypatch.setattr(inbox, name, turn_and(getattr(inbox, name)))
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=time.monotonic, sleep=turn_all))
    shop.submit("create", object=DEPLOYMENT | {"metadata": {"name": "web", "namespace": "default"}})
    inbox.control(shop.cluster, "run", {"untilMs": 60_000})
    turn_all()
    shop.cluster.refresh_from_db()
    return turn_all


@pytest.fixture
def fork(turn: Any, shop: Shop) -> Cluster:
    """What has another strategy than `shop`."""
    made = forks.fork(shop.cluster, None, shop.cluster.owner, "shop-fork")
    spec = {"strategy": {"rollingUpdate": {"maxUnavailable": 0}}}
    patch = {"kind": "Deployment", "namespace": "default", "name": "web", "type": "strategic"}
    inbox.wait_for_result(inbox.append(made, "patch", patch | {"patch": {"spec": spec}}))
    return made


def test_what_is_edited_is_done_in_a_fork_and_nothing_here(shop: Shop, turn: Any, client: Client):
    client.force_login(shop.cluster.owner)
    editor, before = Editor(client), StoredObject.objects.get(cluster=shop.cluster, name="web").data
    assert "Nothing of it is changed" in editor.ask("compare")[1]
    status, told = editor.write("replicas: 2", "replicas: -2").ask("compare")
    assert (status, "spec.replicas Invalid value: -2" in told) == (422, True)
    # Only the API server refuses this: the fork that was made for it is gone again.
    editor.write("replicas: -2", "replicas: 5").write("app: web\n  template", "app: other\n  template")
    assert editor.ask("compare")[0] == 422
    assert Cluster.objects.count() == 1
    editor.write("app: other", "app: web")
    form = {"text": editor.text, "opened": editor.opened, "what": "compare"}
    answer = client.post(f"{HERE}edit/", form)
    assert answer.headers["HX-Redirect"] == "/clusters/shop/compare/shop-fork/"
    made = Cluster.objects.get(name="shop-fork")
    assert StoredObject.objects.get(cluster=made, name="web", kind="Deployment").data["spec"]["replicas"] == 5
    assert StoredObject.objects.get(cluster=shop.cluster, name="web").data == before
    # Also from the pages of the fork one click leads to where the two are compared.
    for page in ("", "deployments/default/web/", "nodes/node-1/"):
        shown = client.get(f"/clusters/shop-fork/{page}").content.decode()
        assert 'href="/clusters/shop/compare/shop-fork/">Compare<' in shown


def test_both_run_on_to_one_instant_and_restart_what_differs_in_a_rollout(shop, fork, client: Client):
    client.force_login(shop.cluster.owner)
    inbox.wait_for_control(inbox.control(shop.cluster, "resume"))
    page = client.get("/clusters/shop/compare/shop-fork/").content.decode()
    assert "Let both run on" in page and f'value="{WEB}" checked' in page
    answer = client.post(RUN, {"restart": WEB})
    assert (answer.status_code, answer.headers.get("HX-Refresh")) == (200, "true")
    seen = [Cluster.objects.get(pk=one.pk) for one in (shop.cluster, fork)]
    assert [one.paused for one in seen] == [True, True]
    assert seen[0].instant_ms == seen[1].instant_ms > 60_000 + running.SPAN_MS - 1
    begun = [one.commands.get(kind="rollout").instant_ms for one in seen]
    assert begun[0] == begun[1] == seen[0].instant_ms - running.SPAN_MS
    page = client.get("/clusters/shop/compare/shop-fork/").content.decode()
    # Of 2 pods 25 % is none at most: maxUnavailable rounds down.
    assert "They first differ" not in page
    assert f'value="{WEB}" checked' in page
    # Where the difference was seen, nothing has to restart for it.
    slow = {"kind": "Deployment", "namespace": "default", "name": "web", "type": "strategic"}
    slow |= {"patch": {"spec": {"minReadySeconds": 30}}}
    inbox.wait_for_result(inbox.append(fork, "patch", slow))
    assert client.post(RUN, {"restart": WEB}).status_code == 200
    page = client.get("/clusters/shop/compare/shop-fork/").content.decode()
    assert f'value="{WEB}"' in page and f'value="{WEB}" checked' not in page
    # What is refused is said: nothing restarts while it is paused.
    pause = {"kind": "Deployment", "namespace": "default", "name": "web", "action": "pause"}
    inbox.wait_for_result(inbox.append(fork, "rollout", pause))
    answer = client.post(RUN, {"restart": WEB})
    assert answer.status_code == 422
    assert "Deployment default/web in shop-fork" in answer.content.decode()


def test_where_one_has_failed_neither_runs(shop, fork, client: Client):
    client.force_login(shop.cluster.owner)
    Cluster.objects.filter(pk=fork.pk).update(failure="out of memory")
    before = [(one.paused, one.instant_ms) for one in Cluster.objects.order_by("pk")]
    for form in ({}, {"restart": WEB}):
        answer = client.post(RUN, form)
        assert answer.status_code == 422 and "It takes no commands: out of memory" in answer.content.decode()
    assert not Command.objects.filter(kind="rollout").exists()
    assert [(one.paused, one.instant_ms) for one in Cluster.objects.order_by("pk")] == before


def test_who_may_run_only_one_moves_only_that_one(shop: Shop, fork: Cluster, client: Client):
    bob = make_user("bob")
    assert client.post(RUN).status_code == 302
    client.force_login(bob)
    assert client.post(RUN).status_code == 404
    for cluster in (shop.cluster, fork):
        Role.objects.create(cluster=cluster, user=bob, name=Role.Name.VIEWER)
    theirs = "/clusters/shop@ada/compare/shop-fork@ada/"
    assert "run on" not in client.get(theirs).content.decode()
    assert client.post(f"{theirs}run/").status_code == 403
    # Another's is run only by its whole name.
    Role.objects.update(name=Role.Name.EDITOR)
    assert client.post(RUN).status_code == 403
    Role.objects.filter(cluster=shop.cluster).update(name=Role.Name.VIEWER)
    page = client.get(theirs).content.decode()
    assert "Let shop-fork@ada run on" in page and "after a restart" not in page
    before = Cluster.objects.get(pk=shop.cluster.pk).instant_ms
    assert client.post(f"{theirs}run/", {"restart": WEB}).status_code == 422
    assert client.post(f"{theirs}run/").status_code == 200
    assert Cluster.objects.get(pk=shop.cluster.pk).instant_ms == before
    assert Cluster.objects.get(pk=fork.pk).instant_ms == 60_000 + running.SPAN_MS
    assert client.get(f"{theirs}run/").status_code == 405


def test_only_what_restarts_in_both_is_restarted(shop: Shop, fork: Cluster, client: Client):
    client.force_login(shop.cluster.owner)
    before = Command.objects.count()
    for value in ("x", "Pod/default/web", "Deployment/default/no", "Deployment//web", "²/\0/\ud800"):
        answer = client.post(RUN, {"restart": value.encode("utf-8", "surrogatepass")})
        assert answer.status_code == 422 and "To restart it in both" in answer.content.decode(), value
    make_cluster(shop.cluster.owner, "other")
    answer = client.post("/clusters/shop/compare/other/run/", {"restart": WEB})
    assert answer.status_code == 422
    assert Command.objects.count() == before
