"""Reads from memory: the same answers, never an old one, nobody who may not, and no more than has room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from lifecycle import threads, tokens
from lifecycle.kube_api import views
from lifecycle.kube_api.access import looks
from lifecycle.kube_api.reading import from_memory, long_lists
from lifecycle.kube_api.watching import memory
from lifecycle.kube_api.watching.feed import feed_of, list_feeds
from lifecycle.kube_api.watching.records import Expired
from lifecycle.models import Cluster, StoredObject
from lifecycle.models.shares import Role
from tests.dashboard.conftest import make_user
from tests.kube_api.conftest import Shop

CORE, MAPS = "api/v1", "api/v1/namespaces/default/configmaps"


@pytest.fixture(autouse=True)
async def memories() -> AsyncIterator[None]:
    memory._asked_at.clear()
    yield
    for feed in list_feeds().values():
        feed.close(None)
    threads.answering.close()


@sync_to_async
def issue(shop: Shop, user: Any = None) -> str:
    return tokens.issue(user or shop.cluster.owner, shop.cluster)


def make_request(path: str, token: str, **headers: str) -> Any:
    shown = {"authorization": f"Bearer {token}", **headers}
    return RequestFactory().get(f"/k8s/shop/{path}", headers=shown)


async def remember(path: str, token: str) -> tuple[int, dict[str, str], bytes] | None:
    """(code, headers, body) from memory; None where it is not answered from there."""
    request = make_request(path, token)
    found = await from_memory.answer(request, "shop", path.partition("?")[0])
    return None if found is None else await read(await views._finish(views._hand_out(*found)))


async def ask_database(path: str, token: str) -> tuple[int, dict[str, str], bytes]:
    answer = await threads.answering(views._answer)(make_request(path, token), "shop", path.partition("?")[0])
    return await read(await views._finish(answer))


async def read(response: Any) -> tuple[int, dict[str, str], bytes]:
    body = b"".join([part async for part in response]) if response.streaming else response.content
    response.close()
    return response.status_code, dict(response.items()), body


async def take_in(path: str, token: str) -> None:
    """Ask until a kind is in memory."""
    assert await remember(path, token) is None, "nobody has asked twice"
    async with asyncio.timeout(10):
        while await remember(path, token) is None:
            await asyncio.sleep(0.01)


@sync_to_async
def fill(shop: Shop) -> None:
    for name, labels in (("a", {"app": "x"}), ("b-c", {"app": "x"}), ("b", {"app": "y"})):
        shop.create("ConfigMap", name, labels, data={"text": 'é\u2028 " \\ \x7f', "n": "1"})
    shop.submit("create", object={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default-2"}})
    shop.create("Pod", "web", spec={"containers": [{"name": "web", "image": "nginx"}]})
    other = {"name": "a", "namespace": "default-2"}
    shop.submit("create", object={"apiVersion": "v1", "kind": "ConfigMap", "metadata": other})


async def test_what_is_remembered_is_answered_as_the_database_would(shop: Shop):
    token = await issue(shop)
    await fill(shop)
    await take_in(MAPS, token)
    await take_in(f"{CORE}/namespaces", token)
    await take_in(f"{CORE}/pods", token)
    for path in (
        *(MAPS, f"{MAPS}/a", f"{MAPS}/b-c", f"{CORE}/configmaps", f"{CORE}/namespaces"),
        f"{CORE}/namespaces/default",
        *(f"{CORE}/pods", f"{CORE}/namespaces/default/pods/web"),
        f"{CORE}/namespaces/none/configmaps",
        f"{MAPS}?limit=500",
        f"{MAPS}?limit=1&resourceVersion=0",
        f"{MAPS}?labelSelector=app%3Dx",
        f"{MAPS}?labelSelector=app%3Dx&limit=2",
        f"{CORE}/configmaps?fieldSelector=metadata.name%3Da",
        f"{MAPS}/a?resourceVersion=0",
    ):
        assert await remember(path, token) == await ask_database(path, token), path
    for path in (
        *(f"{MAPS}/none", f"{MAPS}?limit=1", f"{MAPS}?limit=x", f"{MAPS}?watch=1", f"{MAPS}/a?pretty=1"),
        f"{MAPS}?resourceVersion=7",
        f"{MAPS}?labelSelector=((",
        f"{MAPS}?fieldSelector=a%3Db",
        f"{MAPS}/a/status",
        *(f"{CORE}/configmaps/a", f"{CORE}/namespaces/default/namespaces/default"),
        *(f"{CORE}/nodes", f"{CORE}/events", f"{CORE}/nothing", "version", ""),
        "apis/rbac.authorization.k8s.io/v1/clusterroles",
    ):
        assert await remember(path, token) is None, path
    for header in ({"accept": "application/yaml"}, {"impersonate-user": "eve"}, {"accept": "nothing/none"}):
        assert await from_memory.answer(make_request(MAPS, token, **header), "shop", MAPS) is None, header


async def test_a_watch_begins_with_every_write_that_was_answered_before(shop: Shop):
    """However long the kind has been in memory."""
    token = await issue(shop)
    await fill(shop)
    await take_in(MAPS, token)
    await sync_to_async(shop.create)("ConfigMap", "late", {}, data={})
    asked = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    _, _, body = await ask_database(f"{MAPS}?{asked}&timeoutSeconds=1", token)
    events = [orjson.loads(line) for line in body.splitlines()]
    ends = [number for number, one in enumerate(events) if "initial-events-end" in str(one)]
    assert "late" in [one["object"]["metadata"].get("name") for one in events[: ends[0]]]


async def test_who_joins_a_feed_that_is_over_is_told_so(shop: Shop):
    told: list[Exception | None] = []

    class Late:
        def end(self, problem: Exception | None) -> None:
            told.append(problem)

    feed = feed_of(await sync_to_async(Cluster.objects.get)(pk=shop.cluster.pk))
    cache = await feed.cache_of(("", "ConfigMap"))
    reason = Expired(1, 2)
    feed.close(reason)
    feed.join(cache, Late(), lambda: True)
    assert told == [reason]


async def test_a_long_list_goes_out_in_parts(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    token = await issue(shop)
    await fill(shop)
    await take_in(MAPS, token)
    whole = await remember(MAPS, token)
    monkeypatch.setattr(long_lists, "WHOLE_BYTES", 300)
    parts = await remember(MAPS, token)
    assert whole is not None and parts is not None
    assert parts[2] == whole[2]
    assert int(parts[1]["Content-Length"]) == len(whole[2])


async def test_who_reads_sees_every_write_that_was_answered_in_any_process(shop: Shop):
    """No frame tells of a write here. An event loop has a memory of its own, as a process has."""
    token = await issue(shop)
    await fill(shop)

    async def see(number: str) -> None:
        found = await remember(f"{MAPS}/a", token), await remember(MAPS, token)
        assert found[0] is not None and found[1] is not None
        assert orjson.loads(found[0][2])["data"]["n"] == number
        assert orjson.loads(found[1][2])["items"][0]["data"]["n"] == number

    other = asyncio.new_event_loop()

    def elsewhere(work: Any) -> Any:
        return sync_to_async(other.run_until_complete, thread_sensitive=False)(work)

    await take_in(f"{MAPS}/a", token)
    await elsewhere(take_in(f"{MAPS}/a", token))
    for number in map(str, range(2, 6)):
        await sync_to_async(shop.patch)("ConfigMap", "a", data={"n": number})
        await see(number)
        await elsewhere(see(number))
    await sync_to_async(shop.delete)("ConfigMap", "a")
    assert await remember(f"{MAPS}/a", token) is None
    await sync_to_async(shop.create)("ConfigMap", "a", data={"n": "new"})
    await see("new")
    pods = f"{CORE}/namespaces/default/pods"
    await take_in(pods, token)
    for _ in range(3):
        await sync_to_async(shop.turn)(5.0)
        found, stored = await remember(pods, token), await ask_database(pods, token)
        # What was changed since it was taken in may have its fields in another order.
        assert found is not None and orjson.loads(found[2]) == orjson.loads(stored[2])
    await sync_to_async(shop.delete)("Pod", "web")
    await sync_to_async(shop.turn)(60.0)
    found = await remember(pods, token)
    assert found is not None and orjson.loads(found[2])["items"] == []
    places = list_feeds()[shop.cluster.pk].caches["", "Pod"].result().places
    assert (places.bytes, places._shown) == (0, {})

    async def close() -> None:
        list_feeds()[shop.cluster.pk].close(None)
        await asyncio.sleep(0)

    await elsewhere(close())
    other.close()


async def test_rights_count_as_they_are_now(shop: Shop):
    other = await sync_to_async(make_user)("grace")
    own, hers = await issue(shop), await issue(shop, other)
    await fill(shop)
    await take_in(MAPS, own)
    assert await remember(MAPS, hers) is None, "a token without a role"

    @sync_to_async
    def give() -> None:
        Role.objects.create(cluster=shop.cluster, user=other, name=Role.Name.VIEWER)

    await give()
    assert await remember(MAPS, hers) is not None
    await sync_to_async(Role.objects.all().delete)()
    assert await remember(MAPS, hers) is None
    await give()
    await sync_to_async(type(other).objects.filter(pk=other.pk).update)(is_active=False)
    assert await remember(MAPS, hers) is None
    assert await remember(MAPS, own) is not None
    await sync_to_async(Cluster.objects.filter(pk=shop.cluster.pk).update)(name="store")
    assert await remember(MAPS, own) is None, "an address that leads nowhere"
    await sync_to_async(Cluster.objects.filter(pk=shop.cluster.pk).update)(name="shop")
    await sync_to_async(tokens.ApiToken.objects.all().delete)()
    assert await remember(MAPS, own) is None


async def test_a_history_that_was_replaced_is_read_anew(shop: Shop):
    token = await issue(shop)
    await fill(shop)
    await take_in(MAPS, token)
    await sync_to_async(Cluster.objects.filter(pk=shop.cluster.pk).update)(
        epoch_id="00000000-0000-0000-0000-000000000001"
    )
    await sync_to_async(StoredObject.objects.filter(kind="ConfigMap", name="b").delete)()
    await take_in(MAPS, token)
    found = await remember(MAPS, token)
    assert found is not None
    assert found == await ask_database(MAPS, token)


async def test_what_has_no_room_is_left_to_the_database(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    token = await issue(shop)
    await fill(shop)
    await take_in(MAPS, token)
    monkeypatch.setattr(memory, "MOST_KIND_BYTES", 100)
    assert await remember(MAPS, token) is not None, "it has grown: this is the last time"
    for _ in range(5):
        assert await remember(MAPS, token) is None
        await asyncio.gather(*memory._under_way.values())
    monkeypatch.undo()
    memory._asked_at.clear()
    await take_in(MAPS, token)
    # What is taken in is promised as well until that has ended, a moment after it can be read.
    await asyncio.gather(*memory._under_way.values())
    feed = list_feeds()[shop.cluster.pk]
    held = feed.caches["", "ConfigMap"].result().places.bytes
    monkeypatch.setattr(memory, "MOST_BYTES", held)
    assert memory._make_room(held)
    assert feed.is_over, "what was read longest ago makes room"
    assert not memory._make_room(held + 1)


async def test_many_who_ask_at_once_ask_the_database_once(shop: Shop):
    token = await issue(shop)
    await fill(shop)
    await take_in(f"{MAPS}/a", token)
    asked: list[int] = []
    read_rows = looks.read

    def watch(digests: list[str]) -> Any:
        with CaptureQueriesContext(connection) as queries:
            found = read_rows(digests)
        asked.append(len(queries))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looks, "read", watch)
        found = await asyncio.gather(*(remember(f"{MAPS}/a", token) for _ in range(50)))
    assert all(one is not None for one in found)
    assert asked == [1], "fifty came before the first was asked"
