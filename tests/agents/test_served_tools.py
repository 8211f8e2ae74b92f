"""`/mcp`: the SDK's own client over HTTP, on stored clusters; strangers, other sites, hostile messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from lifecycle import limits, rest_tokens, tokens
from lifecycle.models import Cluster
from lifecycle.models.shares import Role
from lifecycle.runs import inbox
from lifecycle.runs.driving import clocks
from tests.agents.test_kubectl_words import WEB
from tests.kube_api.conftest import Shop, channels_in_memory, shop, shop_settings

__all__ = ["channels_in_memory", "shop", "shop_settings"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
URL = "/mcp"
ACCEPT = "application/json, text/event-stream"


class Worker:
    """The clusters' worker has its turns while somebody waits."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shop = shop
        self.token = rest_tokens.issue(shop.cluster.owner)
        results, stands = inbox.wait_for_results, clocks.wait_until_it_stands

        def wait(control: Any, timeout: float) -> bool:
            self.turn(control.cluster_id)
            control.refresh_from_db()
            return True

        def wait_for_results(commands: Any, timeout: float = 1.0) -> Any:
            self.turn(commands[0].cluster_id)
            return results(commands, timeout)

        def wait_until_it_stands(cluster: Cluster, seconds: float) -> bool:
            self.turn(cluster.pk)
            return stands(cluster, seconds)

        monkeypatch.setattr(inbox, "wait_for_control", wait)
        monkeypatch.setattr(inbox, "wait_for_results", wait_for_results)
        monkeypatch.setattr(clocks, "wait_until_it_stands", wait_until_it_stands)

    def turn(self, cluster_id: int) -> None:
        self.shop.wall += 1
        self.shop.owner.turn(cluster_id, 10.0)


@pytest.fixture
def worker(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Worker:
    return Worker(shop, monkeypatch)


class Agent:
    """One tool after the other, each by a plain message."""

    def __init__(self, user: Any) -> None:
        token = rest_tokens.issue(user)
        self.client = Client(headers={"Authorization": f"Bearer {token}", "Accept": ACCEPT})

    def send(self, body: Any, **headers: str) -> Any:
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.post(URL, text, content_type="application/json", headers=headers)

    def call(self, tool: str, /, **arguments: Any) -> tuple[str, bool]:
        asked = {"name": tool, "arguments": arguments}
        answer = self.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
        assert answer.status_code == 200, answer.content
        result = answer.json()["result"]
        return result["content"][0]["text"], result["isError"]


def test_an_agent_makes_a_cluster_tries_changes_and_asks_why(worker):
    agent = Agent(worker.shop.cluster.owner)
    made, is_error = agent.call("create_cluster", name="ci", manifests=WEB)
    assert not is_error, made
    assert made.splitlines()[:2] == ["The cluster ci is made.", "deployment.apps/web created"]
    assert "idle: reached.\nNothing is wrong: 2 ready." in made
    pods, _ = agent.call("look", cluster="ci", command="get pods")
    assert [line.split()[1:3] for line in pods.splitlines()[1:]] == [["1/1", "Running"]] * 2
    assert "Scaled up replica set" in agent.call("look", cluster="ci", command="events")[0]
    tried, _ = agent.call("try_change", cluster="ci", command="scale deployment/web --replicas=9 -n nosuch")
    assert "Tried" not in tried
    tried, _ = agent.call("try_change", cluster="ci", command="set image deployment/web app=nginx:1.28")
    assert tried.startswith("Tried in a copy that is gone now")
    assert Cluster.objects.get(name="ci").commands.count() == 1
    assert agent.call("change", cluster="ci", command="scale deployment/web --replicas=3")[0] == (
        "deployment.apps/web scaled"
    )
    assert "Nothing is wrong: 3 ready." in agent.call("run_until", cluster="ci", until="5m")[0]
    why, _ = agent.call("why", cluster="ci", object="deployment/web")
    assert "scale replicas 3" in why
    assert agent.call("fork", cluster="ci", name="ci-2") == (
        f"The cluster ci-2 is a fork of ci at {why and _clock('ci-2')}. It stands.", False
    )  # fmt: skip
    assert agent.call("compare", cluster="ci", other="ci-2")[0].startswith("### ci and ci-2")
    undone, _ = agent.call("undo", cluster="ci")
    assert "The cluster ci-fork is a fork of it from before its last change (scale)" in undone
    assert agent.call("delete_cluster", cluster="ci-2") == ("The cluster ci-2 is gone.", False)


def test_what_is_refused_leaves_nothing_and_what_was_tried_is_no_change(worker, settings):
    agent, owner = Agent(worker.shop.cluster.owner), worker.shop.cluster.owner
    assert agent.call("create_cluster", name="ci", manifests="kind: [")[1]
    assert not Cluster.objects.filter(name="ci").exists()
    made, is_error = agent.call("create_cluster", name="ci", manifests=WEB)
    assert not is_error, made
    agent.call("change", cluster="ci", command="scale deployment/web --replicas=3")
    found = Cluster.objects.get(name="ci")
    scale = {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 9}
    inbox.append(found, "scale", scale | {"dryRun": True}, owner)
    worker.turn(found.pk)
    assert "before its last change (scale)" in agent.call("undo", cluster="ci")[0]
    fork = Cluster.objects.get(name="ci-fork")
    assert fork.forked_at_ms < found.commands.get(kind="scale", payload__replicas=3).instant_ms
    # Never more virtual time than was given for something that does not come.
    before = Cluster.objects.get(name="ci").instant_ms
    told = agent.call("run_until", cluster="ci", until="deployment/web .spec.replicas == 99", limit="10m")[0]
    assert "not reached" in told
    assert Cluster.objects.get(name="ci").instant_ms <= before + 600_000
    settings.MAX_TOOLS = 1
    leave = limits.take_tool(owner, worker)
    assert "MAX_TOOLS" in agent.call("list_clusters")[0]
    leave()
    assert not agent.call("list_clusters")[1]


def _clock(name: str) -> str:
    from dashboard.plots.theme import clock

    return clock(Cluster.objects.get(name=name).instant_ms)


async def test_the_sdks_client_speaks_to_the_whole_application(worker):
    import httpx2
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    from dashboard.asgi import application

    headers, transport = {"Authorization": f"Bearer {worker.token}"}, httpx2.ASGITransport(application)
    async with (
        httpx2.AsyncClient(headers=headers, transport=transport) as http,
        streamable_http_client("http://testserver/mcp", http_client=http) as streams,
        ClientSession(*streams) as session,
    ):
        assert (await session.initialize()).server_info.name == "podline"
        assert len((await session.list_tools()).tools) == 14
        told = await session.call_tool("look", {"cluster": "shop", "command": "get nodes"})
        assert "node-1" in told.content[0].text
        refused = await session.call_tool("look", {"cluster": "shop", "command": "get nodes -o odd"})
        assert refused.is_error


def test_a_stranger_meets_no_cluster_of_others_and_a_viewer_changes_none(worker):
    users = get_user_model().objects
    stranger, viewer = users.create_user("eve"), users.create_user("vic")
    Role.objects.create(cluster=worker.shop.cluster, user=viewer, name=Role.Name.VIEWER)
    calls = [
        ("look", {"command": "get pods"}),
        ("verdict", {}),
        ("why", {"object": "node/node-1"}),
        ("compare", {"other": "shop@ada"}),
        ("try_change", {"command": "cordon node-1"}),
        ("fork", {"name": "mine"}),
        ("change", {"command": "cordon node-1"}),
        ("apply", {"manifests": WEB}),
        ("run_until", {}),
        ("undo", {}),
        ("check", {}),
        ("delete_cluster", {}),
    ]
    agent = Agent(stranger)
    for name, arguments in calls:
        told, is_error = agent.call(name, cluster="shop@ada", **arguments)
        assert (is_error, told) == (True, "There is no cluster 'shop@ada'."), name
    agent = Agent(viewer)
    refused = {name for name, arguments in calls if agent.call(name, cluster="shop@ada", **arguments)[1]}
    assert refused >= {"change", "apply", "run_until", "check", "delete_cluster"}
    assert not refused & {"look", "verdict", "compare", "try_change", "fork"}
    assert worker.shop.cluster.commands.count() == 0


def test_who_shows_no_token_or_comes_from_another_site_is_refused(worker, settings):
    agent, ping = Agent(worker.shop.cluster.owner), {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert agent.send(ping).json()["result"] == {}
    assert agent.send(ping, origin="http://testserver").status_code == 200
    for origin in ("http://evil.example", "null", "https://testserver.evil.example", "http://testserver:81"):
        assert agent.send(ping, origin=origin).status_code == 403, origin
    assert agent.send(ping, host="evil.example").status_code == 400
    signed_in = Client()
    signed_in.force_login(worker.shop.cluster.owner)
    assert signed_in.post(URL, ping, content_type="application/json").status_code == 401
    others = (
        "Bearer",
        "Bearer nosuch",
        "Basic YTpi",
        f"Bearer {tokens.issue(worker.shop.cluster.owner, worker.shop.cluster)}",
    )
    for shown in others:
        refused = agent.send(ping, authorization=shown)
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, 'Bearer realm="podline"'), shown
    for method in ("get", "delete", "put", "patch"):
        assert getattr(agent.client, method)(URL).status_code == 405, method


HOSTILE: list[Any] = [
    b"",
    b"{",
    b"\xff\xfe",
    b"null",
    b"[]",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"9" * 100_000,
    b'"\\ud800"',
    {"jsonrpc": "2.0"},
    {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "id": {}, "method": "ping"},
    {"jsonrpc": "2.0", "id": 1, "method": 5},
    {"jsonrpc": "2.0", "id": 1, "method": "nosuch"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look", "arguments": []}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x" * 1000}},
    {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": "file:///etc/passwd"}},
    {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    [{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * 1000,
    {"jsonrpc": "2.0", "id": 1, "result": {}},
]
TOOL_CALLS: list[tuple[str, dict[str, Any]]] = [
    ("look", {"cluster": "shop\0", "command": "get pods"}),
    ("look", {"cluster": "../admin", "command": "get pods"}),
    ("create_cluster", {"name": "shop"}),
    ("create_cluster", {"name": "Not A Label"}),
    ("create_cluster", {"name": "a", "seed": 2**40}),
    ("apply", {"cluster": "shop", "manifests": "kind: ["}),
    ("change", {"cluster": "shop", "command": "delete pod nosuch"}),
    ("run_until", {"cluster": "shop", "until": "deployment/nosuch Available"}),
    ("run_until", {"cluster": "shop", "until": "²"}),
    ("run_until", {"cluster": "shop", "limit": "forever"}),
    ("why", {"cluster": "shop", "object": "x" * 5000}),
    ("fork", {"cluster": "shop", "name": "shop"}),
    ("fork", {"cluster": "shop", "name": "<b>"}),
    ("check", {"cluster": "shop", "ordeals": ["nosuch"]}),
    ("undo", {"cluster": "shop"}),
]


def test_hostile_messages_are_refused_without_a_fault_of_ours(worker, caplog):
    agent, wrong = Agent(worker.shop.cluster.owner), []
    for body in HOSTILE:
        for headers in ({}, {"mcp-protocol-version": "2026-07-28"}, {"mcp-session-id": "x"}):
            answer = agent.send(body, **headers)
            if answer.status_code >= 500 or not 0 <= len(answer.content) < 20_000:
                wrong.append((str(body)[:60], headers, answer.status_code, answer.content[:200]))
    assert not wrong
    assert agent.send(b" " * (5 * 1024 * 1024)).status_code == 413
    assert agent.send(b" " * (10 * 1024 * 1024)).status_code == 413
    odd = ({"accept": "text/html"}, {"content-type": "text/plain"}, {"mcp-protocol-version": "²"})
    for headers in odd:
        assert 400 <= agent.send({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **headers).status_code < 500
    for name, arguments in TOOL_CALLS:
        told, is_error = agent.call(name, **arguments)
        assert is_error and told and "fault of Podline" not in told, (name, arguments, told)
