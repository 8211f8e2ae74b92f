"""`get pods -w` while a thousand pods are rolled over: no change is missed, none comes twice."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from asgiref.sync import sync_to_async

from lifecycle.kube_api.watching.stream import Watch, Wish
from lifecycle.kube_api.watching.watcher import Watcher
from lifecycle.models import ObjectVersion, StoredObject
from tests.kube_api.conftest import Shop
from tests.kube_api.reading.test_watching import AS_STORED, EVERYTHING, end_feeds, make_bookmark, may

pytestmark = [pytest.mark.asyncio, pytest.mark.deep, pytest.mark.usefixtures("quick_looks")]
PODS = 1000


@pytest.fixture
def shop_settings() -> dict[str, Any]:
    nodes = {"count": 12, "cpu": "64", "memory": "256Gi", "pods": 250}
    return {"nodes": nodes, "timing": "instant"}


def roll(shop: Shop) -> None:
    """A thousand pods come, and make way for others."""
    labels = {"app": "web"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "app", "image": "web:1"}], "terminationGracePeriodSeconds": 1},
    }
    spec = {"replicas": PODS, "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": "web", "namespace": "default"}
    made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    shop.submit("create", object=made)
    shop.turn(10)
    image = {
        "kind": "Deployment",
        "namespace": "default",
        "name": "web",
        "container": "app",
        "image": "web:2",
    }
    shop.submit("setImage", **image)
    for _ in range(8):
        shop.turn(5)


async def test_a_rollout_of_a_thousand_pods_is_told_change_by_change(shop):
    wish = Wish(shop.cluster.rv, seconds=300.0)
    watch = Watch(shop.cluster, ("", "Pod"), wish, Watcher(EVERYTHING, AS_STORED), make_bookmark, may)
    told: list[tuple[int, str, str]] = []
    now: dict[str, Any] = {}

    async def follow() -> None:
        async for part in watch.run():
            for event in map(orjson.loads, part.splitlines()):
                meta = event["object"]["metadata"]
                told.append((int(meta["resourceVersion"]), event["type"], meta["uid"]))
                if event["type"] == "DELETED":
                    del now[meta["uid"]]
                else:
                    now[meta["uid"]] = event["object"]

    follower = asyncio.ensure_future(follow())
    await asyncio.sleep(0.1)
    await sync_to_async(roll)(shop)

    def read() -> tuple[list[tuple[int, str, str]], dict[str, Any]]:
        rows = ObjectVersion.objects.filter(cluster=shop.cluster, kind="Pod", group="").order_by("rv")
        there = StoredObject.objects.filter(cluster=shop.cluster, kind="Pod", group="", deleted_ms=None)
        return list(rows.values_list("rv", "type", "uid")), dict(there.values_list("uid", "data"))

    recorded, there = await sync_to_async(read)()
    while len(told) < len(recorded) and not follower.done():
        await asyncio.sleep(0.1)
    follower.cancel()
    assert told == recorded and len(recorded) > 6 * PODS
    assert now == there and len(there) == PODS
    assert {pod["spec"]["containers"][0]["image"] for pod in now.values()} == {"web:2"}
    await end_feeds()
