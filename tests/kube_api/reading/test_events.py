"""Events of the trace, and those that clients send, as one resource: listed, found and watched."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.http import QueryDict

from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing import resources
from lifecycle.kube_api.reading import lists, reads, trace_events
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.watching.stream import Watch, Wish
from lifecycle.kube_api.watching.watcher import Selection, Watcher
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_watching import AS_STORED, Reader, end_feeds, make_bookmark, may

pytestmark = pytest.mark.slow

CONTAINER = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "sleep 100000"]}


def make_pod(shop: Shop, name: str) -> dict[str, Any]:
    made = shop.create("Pod", name, spec={"containers": [CONTAINER]})
    shop.turn(30)
    return made


OF_PODS = Selection("default", lambda data: data["involvedObject"]["kind"] == "Pod")


def read(shop: Shop, query: str = "", namespace: str | None = "default") -> Page:
    if "fieldSelector" not in query:
        query += "&fieldSelector=involvedObject.kind=Pod"
    resource = resources.find(shop.cluster, "", "v1", "events")
    assert resource is not None
    options = Options(QueryDict(query))
    return lists.read_page(shop.cluster, lists.select(resource, namespace, "", options), options)


def reasons(page: Page) -> list[str]:
    return [
        one["reason"] for one in sorted(page.items, key=lambda one: int(one["metadata"]["resourceVersion"]))
    ]


LIFE = ["Scheduled", "Pulling", "Pulled", "Created", "Started"]


def test_a_pods_events_are_listed_as_its_kubelet_and_scheduler_told_them(shop):
    pod = make_pod(shop, "p")
    page = read(shop, f"fieldSelector=involvedObject.name=p,involvedObject.uid={pod['metadata']['uid']}")
    assert reasons(page) == LIFE
    by_reason = {one["reason"]: one for one in page.items}
    scheduled, started = by_reason["Scheduled"], by_reason["Started"]
    assert scheduled["source"] == {} and scheduled["reportingComponent"] == "default-scheduler"
    assert scheduled["reportingInstance"] == "default-scheduler-control-plane"
    assert started["reportingInstance"] == started["source"]["host"]
    assert scheduled["eventTime"].startswith("2026-01-01T00:00:0") and scheduled["lastTimestamp"] is None
    assert started["source"]["component"] == "kubelet" and started["source"]["host"].startswith("node-")
    assert started["involvedObject"]["fieldPath"] == "spec.containers{app}"
    assert started["involvedObject"]["apiVersion"] == "v1" and started["count"] == 1
    assert all(
        one["metadata"]["name"].startswith("p.") and len(one["metadata"]["name"]) == 18 for one in page.items
    )
    resource = resources.find(shop.cluster, "", "v1", "events")
    for one in page.items:
        assert (
            reads.get(shop.cluster, resource, "default", one["metadata"]["name"])["reason"] == one["reason"]
        )
    assert read(shop, "fieldSelector=involvedObject.uid=other").items == []
    assert read(shop, namespace="kube-system").items == []


def test_pages_hold_every_event_once(shop):
    make_pod(shop, "p")
    make_pod(shop, "q")
    found, token = [], ""
    while True:
        page = read(shop, f"limit=3&continue={token}")
        found += [one["metadata"]["name"] for one in page.items]
        token = page.token
        if not token:
            break
    assert sorted(found) == found == [one["metadata"]["name"] for one in read(shop).items]
    assert len(found) == 2 * len(LIFE)


def test_events_are_forgotten_after_an_hour(shop):
    make_pod(shop, "p")
    shop.turn(3700)
    assert read(shop).items == []


FAILING = {
    **CONTAINER,
    "readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 5},
}


def find_unhealthy(shop: Shop, query: str = "") -> dict[str, Any]:
    (found,) = [one for one in read(shop, query).items if one["reason"] == "Unhealthy"]
    return found


def test_an_event_that_repeats_is_told_with_what_it_has_come_to(shop):
    shop.create("Pod", "p", spec={"containers": [FAILING]})
    shop.turn(60)
    first = find_unhealthy(shop)
    shop.turn(120)
    later = find_unhealthy(shop)
    assert later["count"] >= first["count"] + 10 and later["lastTimestamp"] > first["lastTimestamp"]
    assert {name: later[name] for name in ("metadata", "firstTimestamp")} == {
        name: first[name] for name in ("metadata", "firstTimestamp")
    }
    name = later["metadata"]["name"]
    alone = trace_events.find(shop.cluster, "default", name)
    assert alone is not None and alone["count"] == later["count"]
    shop.turn(2 * 3600)
    assert find_unhealthy(shop)["count"] > 1400


SENT = {
    "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
    "reason": "Told",
    "message": "By hand",
    "type": "Normal",
}


def test_events_that_are_sent_stand_beside_the_others(shop):
    make_pod(shop, "p")
    shop.create("Event", "told", **SENT)
    assert len(read(shop).items) == len(LIFE) + 1


async def watch(shop: Shop, rv: int | None, count: int, work: Any = None) -> list[tuple[str, str]]:
    """Type and reason of so many events of a watch."""
    wish = Wish(rv, seconds=20.0)
    reader = Reader(
        Watch(shop.cluster, trace_events.KIND, wish, Watcher(OF_PODS, AS_STORED), make_bookmark, may)
    )
    found = asyncio.ensure_future(reader.read(count))
    if work is not None:
        await asyncio.sleep(0.1)
        await sync_to_async(work)()
    events = await found
    versions = [int(one["object"]["metadata"]["resourceVersion"]) for one in events]
    assert rv is None or (versions == sorted(set(versions)) and versions[0] > rv)
    await reader.parts.aclose()
    return [(one["type"], one["object"].get("reason", "")) for one in events]


ADDED = [("ADDED", reason) for reason in LIFE]


@pytest.mark.asyncio
@pytest.mark.usefixtures("quick_looks")
async def test_a_watch_goes_on_where_a_list_ended(shop):
    start = int((await sync_to_async(read)(shop)).version)
    assert await watch(shop, start, 5, lambda: make_pod(shop, "p")) == ADDED
    # From memory, and by somebody new from what is recorded.
    assert await watch(shop, start, 5) == ADDED
    await end_feeds()
    assert await watch(shop, start, 5) == ADDED
    middle = int((await sync_to_async(read)(shop)).version)
    assert await watch(shop, middle, 5, lambda: make_pod(shop, "q")) == ADDED
    await end_feeds()


@pytest.mark.asyncio
@pytest.mark.usefixtures("quick_looks")
async def test_a_watch_without_a_version_begins_with_what_is_there(shop):
    await sync_to_async(make_pod)(shop, "p")
    assert sorted(await watch(shop, None, 5)) == sorted(ADDED)

    def send() -> None:
        shop.create("Event", "told", **SENT)

    start = int((await sync_to_async(read)(shop)).version)
    assert await watch(shop, start, 1, send) == [("ADDED", "Told")]
    await end_feeds()


@pytest.mark.asyncio
@pytest.mark.usefixtures("quick_looks")
async def test_a_version_of_something_else_is_gone(shop):
    await sync_to_async(make_pod)(shop, "p")
    wish = Wish(shop.cluster.rv, seconds=5.0)
    reader = Reader(
        Watch(shop.cluster, trace_events.KIND, wish, Watcher(OF_PODS, AS_STORED), make_bookmark, may)
    )
    [event] = await reader.read_all()
    assert event["object"]["code"] == 410
    await end_feeds()
