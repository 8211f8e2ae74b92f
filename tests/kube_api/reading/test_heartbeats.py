"""Heartbeats of nodes, as they read over HTTP: worked out at virtual now, and no change to anybody."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from django.http import QueryDict

from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing import resources
from lifecycle.kube_api.reading import heartbeats, lists, reads
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_watching import end_feeds

pytestmark = pytest.mark.slow

LEASES = ("coordination.k8s.io", "v1", "leases")
NODES = ("", "v1", "nodes")
Json = dict[str, Any]


def get(shop: Shop, place: tuple[str, str, str], namespace: str | None) -> Json:
    resource = resources.find(shop.cluster, *place)
    assert resource is not None
    return reads.get(shop.cluster, resource, namespace, "node-1")


def read(shop: Shop, place: tuple[str, str, str], query: str = "") -> dict[str, Json]:
    resource = resources.find(shop.cluster, *place)
    assert resource is not None
    options = Options(QueryDict(query))
    page = lists.read_page(shop.cluster, lists.select(resource, None, "", options), options)
    return {one["metadata"]["name"]: one for one in page.items}


def beats(node: Json) -> set[str]:
    return {one["lastHeartbeatTime"][11:] for one in node["status"]["conditions"]}


def silence(shop: Shop) -> None:
    """The kubelet of node-1 says nothing more."""
    inbox.append(shop.cluster, "fault", {"node": "node-1", "kind": "partition"})
    shop.turn()


@pytest.fixture(autouse=True)
def standing_still(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between turns no time passes."""
    monkeypatch.setattr(heartbeats, "virtual_now_ms", lambda cluster: cluster.instant_ms)


def test_a_lease_reads_as_renewed_within_ten_seconds(shop):
    shop.turn(3605)
    spec = get(shop, LEASES, "kube-node-lease")["spec"]
    assert spec["renewTime"] == "2026-01-01T01:00:00.000000Z"
    assert read(shop, LEASES)["node-1"]["spec"] == spec


def test_a_node_reads_as_heard_of_within_five_minutes(shop):
    shop.turn(901)
    assert beats(get(shop, NODES, None)) == {"00:15:00Z"}
    assert beats(read(shop, NODES)["node-2"]) == {"00:15:00Z"}
    assert beats(read(shop, NODES, "limit=1")["node-1"]) == {"00:15:00Z"}


def test_it_is_no_new_version(shop):
    version = get(shop, NODES, None)["metadata"]["resourceVersion"]
    shop.turn(7200)
    assert get(shop, NODES, None)["metadata"]["resourceVersion"] == version


def test_a_lost_node_was_heard_of_when_it_was(shop):
    shop.turn(320)
    silence(shop)
    shop.turn(600)
    node = get(shop, NODES, None)
    assert {one["status"] for one in node["status"]["conditions"]} == {"Unknown"}
    assert beats(node) == {"00:05:00Z"} == beats(read(shop, NODES)["node-1"])
    assert beats(read(shop, NODES)["node-2"]) == {"00:15:00Z"}


@pytest.mark.parametrize("path", ["/api/v1/nodes", "/apis/coordination.k8s.io/v1/leases"])
def test_a_watch_begins_with_them_and_tells_of_none(shop, async_client, path):
    owner = shop.cluster.owner

    async def follow() -> list[Json]:
        await async_client.aforce_login(owner)
        query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1"
        answer = await async_client.get(f"/k8s/shop{path}?{query}")
        found = [orjson.loads(line) async for part in answer.streaming_content for line in part.splitlines()]
        await end_feeds()
        return found

    shop.turn(905)
    found = asyncio.run(follow())
    assert {one["type"] for one in found} == {"ADDED"}
    times = {
        one["object"]["spec"]["renewTime"][11:19]
        if "leases" in path
        else one["object"]["status"]["conditions"][0]["lastHeartbeatTime"][11:19]
        for one in found
    }
    assert len(times) == 1 and min(times) >= "00:15:00"
