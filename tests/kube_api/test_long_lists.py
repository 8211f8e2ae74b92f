"""Lists larger than is made at once: the same answer, a few objects at a time, within bounds."""

from __future__ import annotations

from itertools import product
from typing import Any

import orjson
import pytest
import yaml
from asgiref.sync import sync_to_async
from django.http import QueryDict
from django.test import AsyncClient

from lifecycle import limits
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.describing.resources import find as find_resource
from lifecycle.kube_api.reading import lists, long_lists, reads
from lifecycle.kube_api.reading.lists import Page, Walk
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop
from tests.seeds import one_in

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
PATH = "/k8s/shop/api/v1/namespaces/default/configmaps"
COUNT = 40
# A namespace has one of its own.
ALL = COUNT + 1
FAT = "x" * 30_000
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


@pytest.fixture
def fat(shop: Shop) -> Shop:
    """Some ConfigMaps which are more than a megabyte together; every second one is labelled."""
    for number in range(COUNT):
        meta = {"name": f"c{number:02}", "namespace": "default", "labels": {"odd": str(number % 2)}}
        data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": FAT}}
        inbox.append(shop.cluster, "create", {"object": data})
    shop.turn()
    return shop


async def ask(shop: Shop, query: str = "", accept: str = "application/json") -> Any:
    client = AsyncClient()
    await client.aforce_login(await sync_to_async(lambda: shop.cluster.owner)())
    return await client.get(f"{PATH}?{query}", headers={"Accept": accept})


async def read(response: Any) -> bytes:
    if not response.streaming:
        return response.content
    return b"".join([part async for part in response.streaming_content])


def without_ages(found: Any) -> Any:
    """Time goes on between two requests."""
    for row in found.get("rows", ()):
        row["cells"].pop()
    return found


@pytest.mark.parametrize(
    "accept, query",
    # One in five: each format and each query once.
    one_in(
        5,
        product(
            ["application/json", "application/yaml", TABLE, PARTIAL],
            ["", "limit=25", "labelSelector=odd=1", "labelSelector=odd=1&limit=12"],
        ),
    ),
)
async def test_a_stream_says_what_one_answer_would(fat, monkeypatch, accept, query):
    shown = await ask(fat, query, accept)
    assert shown.streaming
    parse = yaml.safe_load if accept == "application/yaml" else orjson.loads
    streamed = without_ages(parse(await read(shown)))
    monkeypatch.setattr(long_lists, "WHOLE_BYTES", 100 * 2**20)
    whole = await ask(fat, query, accept)
    assert not whole.streaming
    expected = without_ages(parse(whole.content))
    assert streamed == expected
    assert len(expected.get("items") or expected.get("rows")) in (ALL, 25, COUNT // 2, 12)
    assert shown["Content-Type"] == whole["Content-Type"] and shown["Cache-Control"] == whole["Cache-Control"]


async def test_pages_of_a_stream_follow_each_other(fat):
    names, token, counts = [], "", []
    while True:
        found = orjson.loads(await read(await ask(fat, f"limit=15&continue={token}")))
        names += [one["metadata"]["name"] for one in found["items"]]
        counts.append(found["metadata"].get("remainingItemCount"))
        token = found["metadata"].get("continue", "")
        if not token:
            break
    assert names == [*(f"c{number:02}" for number in range(COUNT)), "kube-root-ca.crt"]
    assert counts == [26, 11, None]


async def test_no_more_is_read_at_once_than_a_chunk(fat, monkeypatch):
    read_together: list[int] = []
    really_load = reads.load_some

    def load(cluster: Any, uids: list[str], version: int) -> Any:
        read_together.append(len(uids))
        return really_load(cluster, uids, version)

    monkeypatch.setattr(reads, "load_some", load)
    monkeypatch.setattr(lists, "_FIRST_CHUNK", 4)
    response = await ask(fat)
    assert response.streaming
    # The rest is read when the client takes it.
    assert sum(read_together) < COUNT // 2
    sizes = [len(part) async for part in response.streaming_content]
    assert sum(read_together) == ALL and max(read_together) <= 9
    assert max(sizes) < 2 * lists.CHUNK_BYTES


async def test_chunks_are_as_large_as_what_is_in_them(fat):
    def walk() -> Walk:
        resource = find_resource(fat.cluster, "", "v1", "configmaps")
        assert resource is not None
        selection = lists.select(resource, "default", "", Options(QueryDict()))
        found = lists.begin(fat.cluster, selection, Options(QueryDict()))
        assert not isinstance(found, Page)
        return found

    found = await sync_to_async(walk)()
    for size_bytes, count in [(1000, 64), (1000, 128), (1000, 128), (10**9, 1), (1, 2), (10**9, 1)]:
        found.adapt(size_bytes)
        assert found.count == count


async def test_so_much_may_be_on_its_way_to_one_user(fat, settings):
    settings.MAX_ANSWER_MIB = 8
    unread = [await ask(fat) for _ in range(2)]
    refused = await ask(fat)
    assert refused.status_code == 429 and refused["Retry-After"] == "1"
    assert "MAX_ANSWER_MIB" in orjson.loads(refused.content)["message"]
    # What is small is answered still.
    assert (await ask(fat, "limit=1")).status_code == 200
    await sync_to_async(unread[0].close)()
    assert (await ask(fat)).status_code == 200
    assert limits.answers.count() == 2 * long_lists.UNDER_WAY_BYTES


async def test_what_cannot_be_shown_is_refused_before_anything_is_sent(fat):
    refused = await ask(fat, accept="application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
    assert refused.status_code == 406
