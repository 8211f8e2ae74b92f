"""The clock as an object: read, turned, watched and waited for by any client."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.http import QueryDict

from lifecycle.engine.rules.access.attributes import UserInfo
from lifecycle.kube_api import clocks as served
from lifecycle.kube_api.access.authentication import Right
from lifecycle.kube_api.access.callers import Caller as Asker
from lifecycle.kube_api.asking.asked import Asked
from lifecycle.kube_api.asking.requests import Options, read_address
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.watching.stream import Wish
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

CLOCKS = "/apis/podline.dev/v1alpha1/clocks"
MERGE, JSON_PATCH, APPLY = (
    f"application/{name}" for name in ("merge-patch+json", "json-patch+json", "apply-patch+yaml")
)
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
}
HOUR_MS = 3_600_000


class Caller:
    """The owner's client; the worker has its turns while it waits."""

    def __init__(self, shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        client.force_login(shop.cluster.owner)
        self.client, self.shop = client, shop

        def wait(row: Any, timeout: float) -> Any:
            shop.turn()
            row.refresh_from_db()
            return getattr(row, "result", True)

        monkeypatch.setattr(inbox, "wait_for_result", wait)
        monkeypatch.setattr(inbox, "wait_for_control", wait)

    def ask(self, method: str, path: str, body: Any = None, type: str = "application/json") -> Any:
        data = b"" if body is None else json.dumps(body)
        return self.client.generic(method, f"/k8s/shop{path}", data, content_type=type)

    def patch(self, spec: Any, type: str = MERGE, query: str = "") -> Any:
        return self.ask("PATCH", f"{CLOCKS}/cluster{query}", {"spec": spec}, type)

    def clock(self) -> Any:
        return self.ask("GET", f"{CLOCKS}/cluster").json()


@pytest.fixture
def caller(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(shop, client, monkeypatch)


def test_each_cluster_has_one_clock(caller):
    found = caller.clock()
    assert found["spec"] == {"speed": 1, "paused": False}
    assert found["status"].keys() == {"now", "atMs", "speed", "paused", "idle", "reached"}
    (listed,) = caller.ask("GET", CLOCKS).json()["items"]
    assert listed["metadata"]["name"] == "cluster"
    assert caller.ask("GET", f"{CLOCKS}/other").status_code == 404
    assert caller.ask("GET", f"{CLOCKS}?fieldSelector=metadata.name%3Dother").json()["items"] == []


@pytest.mark.parametrize(
    "steps, spec, stands",
    [
        pytest.param([{"paused": True}], {"speed": 1, "paused": True}, True, id="pause"),
        pytest.param([{"speed": 10}], {"speed": 10, "paused": False}, False, id="speed"),
        pytest.param([{"speed": 0.5}], {"speed": 0.5, "paused": False}, False, id="slower"),
        pytest.param([{"speed": "auto"}], {"speed": "auto", "paused": False}, True, id="auto"),
        pytest.param(
            [{"paused": True}, {"speed": "auto"}],
            {"speed": "auto", "paused": False},
            True,
            id="stood",
        ),
        pytest.param(
            [{"speed": "auto"}, {"speed": 5}], {"speed": 5, "paused": False}, False, id="auto, then a number"
        ),
        pytest.param(
            [{"speed": "auto"}, {"speed": 5, "paused": True}],
            {"speed": 5, "paused": True},
            True,
            id="auto, then a number that stands",
        ),
        pytest.param(
            [{"paused": True}, {"paused": False}], {"speed": 1, "paused": False}, False, id="pause and on"
        ),
        pytest.param([{}], {"speed": 1, "paused": False}, False, id="nothing"),
    ],
)
def test_a_patch_turns_the_clock(caller, steps, spec, stands):
    for one in steps:
        answer = caller.patch(one)
        assert answer.status_code == 200, answer.json()
    found = caller.clock()
    assert (found["spec"], found["status"]["paused"]) == (spec, stands)


@pytest.mark.parametrize(
    "until, reached, far_ms",
    [
        pytest.param("10m", True, 600_000, id="a duration"),
        pytest.param("idle", True, None, id="idle"),
        pytest.param("pod/p Ready", True, None, id="a condition"),
        pytest.param("pod/p Failed", False, 24 * HOUR_MS, id="a condition that never comes"),
    ],
)
def test_a_run_goes_to_what_it_is_asked_for_and_says_whether_it_came_there(caller, until, reached, far_ms):
    caller.patch({"paused": True})
    caller.ask("POST", "/api/v1/namespaces/default/pods", POD)
    before_ms = caller.clock()["status"]["atMs"]
    assert caller.patch({"runUntil": until}).status_code == 200
    while not (found := caller.clock())["status"]["paused"]:
        assert found["spec"]["runUntil"] == until
        caller.shop.turn()
    assert (found["status"]["reached"], "runUntil" in found["spec"]) == (reached, False)
    assert far_ms in (None, found["status"]["atMs"] - before_ms)


@pytest.mark.parametrize(
    "type, body",
    [
        pytest.param(MERGE, {"spec": {"speed": 10}}, id="merge"),
        pytest.param(JSON_PATCH, [{"op": "replace", "path": "/spec/speed", "value": 10}], id="JSON patch"),
        pytest.param(
            APPLY,
            {"apiVersion": "podline.dev/v1alpha1", "kind": "Clock", "spec": {"speed": 10}},
            id="server-side apply",
        ),
    ],
)
def test_every_kind_of_patch_is_read(caller, type, body):
    assert caller.ask("PATCH", f"{CLOCKS}/cluster", body, type).json()["spec"]["speed"] == 10


def test_an_update_is_read_and_what_is_not_kept_is_said(caller):
    found = caller.clock()
    found["spec"]["speed"], found["metadata"]["labels"] = 10, {"a": "b"}
    answer = caller.ask("PUT", f"{CLOCKS}/cluster", found)
    assert (answer.status_code, answer.json()["spec"]["speed"]) == (200, 10)
    assert "labels and annotations are not" in answer.headers.get("Warning", "") or answer.warnings


def test_a_dry_run_turns_nothing(caller):
    assert caller.patch({"speed": 10}, query="?dryRun=All").json()["spec"]["speed"] == 10
    assert caller.clock()["spec"]["speed"] == 1


HOSTILE = [
    {"speed": "fast"},
    {"speed": -1},
    {"speed": 10**400},
    {"speed": True},
    {"speed": [1]},
    {"speed": {"a": 1}},
    {"paused": "yes"},
    {"paused": 1},
    {"runUntil": 5},
    {"runUntil": ["idle"]},
    {"runUntil": "x" * 10_000},
    {"runUntil": "pod/nobody Ready"},
    {"runUntil": "nonsense"},
    {"runUntil": "99999999999999999999d"},
    {"runUntil": "-5m"},
    {"warp": 9},
    {"speed": "auto", "paused": True},
    "spec",
    [1],
    7,
]


def test_what_no_clock_can_do_is_refused_in_words(caller):
    before = caller.clock()["spec"]
    for spec in HOSTILE:
        answer = caller.patch(spec)
        assert answer.status_code in (400, 422), (spec, answer.content)
        told = answer.json()
        assert told["kind"] == "Status" and ("spec" in told["message"] or told["reason"] == "BadRequest")
    assert caller.clock()["spec"] == before


@pytest.mark.parametrize("method, path", [("DELETE", "/cluster"), ("POST", ""), ("DELETE", "")])
def test_a_clock_is_neither_made_nor_deleted(caller, method, path):
    assert caller.ask(method, f"{CLOCKS}{path}", {}).status_code == 405


def test_a_write_to_a_cluster_whose_time_stands_is_warned(caller):
    path = "/api/v1/namespaces/default/pods"
    assert not caller.ask("POST", path, POD).warnings
    caller.patch({"paused": True})
    (warning,) = caller.ask("DELETE", f"{path}/p").warnings
    assert "stands at 00:00:0" in warning and "nothing moves until it runs" in warning
    caller.patch({"speed": "auto"})
    assert not caller.ask("POST", path, {**POD, "metadata": {"name": "q"}}).warnings


def test_a_watch_tells_when_the_clock_is_otherwise(caller, monkeypatch):
    monkeypatch.setattr(served, "LOOK_SECONDS", 0.0)
    shop, resource = caller.shop, list_built_in()["podline.dev", "v1alpha1", "clocks"]
    address = read_address(CLOCKS.removeprefix("/"))
    owner = Asker(shop.cluster.owner, shop.cluster, UserInfo("ada"))
    asked = Asked(None, owner, Options(QueryDict()), address, resource, "watch")
    right = Right(shop.cluster.pk, shop.cluster.owner.pk, None)
    selection = served._select(asked)

    async def read() -> list[Any]:
        parts = served._run(asked, Wish(None, True, True, 60.0), selection, right)
        events = [json.loads(await anext(parts)), json.loads(await anext(parts))]
        inbox.control(shop.cluster, "pause")
        shop.turn()
        events.append(json.loads(await anext(parts)))
        await parts.aclose()
        return events

    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    added, bookmark, modified = asyncio.run(read())
    assert [one["type"] for one in (added, bookmark, modified)] == ["ADDED", "BOOKMARK", "MODIFIED"]
    assert [one["object"]["status"]["paused"] for one in (added, modified)] == [False, True]
    versions = [int(one["object"]["metadata"]["resourceVersion"]) for one in (added, modified)]
    assert versions == sorted(set(versions))
