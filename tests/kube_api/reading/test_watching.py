"""Watches of recorded versions: nothing missed, nothing doubled, whatever moment one begins at."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from channels.layers import get_channel_layer

from lifecycle import frames, threads
from lifecycle.kube_api.watching import cache, feed, watcher
from lifecycle.kube_api.watching.changes import Change, apply_patch
from lifecycle.kube_api.watching.records import History
from lifecycle.kube_api.watching.stream import Watch, Wish, release_thread
from lifecycle.kube_api.watching.watcher import Encoding, Selection, Watcher
from lifecycle.models import Cluster, ObjectVersion
from lifecycle.runs import retention
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quick_looks"), pytest.mark.slow]

SECRET = ("", "Secret")
AS_STORED = Encoding(("stored",), lambda value, is_first: orjson.dumps(value), is_stored=True)
NAMES = Encoding(("names",), lambda value, is_first: orjson.dumps([is_first, value["metadata"]["name"]]))


EVERYTHING = Selection("default")


def labelled(text: str) -> Selection:
    name, _, value = text.partition("=")
    return Selection("default", lambda data: data["metadata"].get("labels", {}).get(name) == value)


def make_bookmark(rv: int, annotations: dict[str, str]) -> bytes:
    return orjson.dumps({"rv": rv, **annotations})


def may() -> bool:
    return True


class Reader:
    """A client that reads a watch."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.parts = watch.run()
        self.events: list[dict[str, Any]] = []
        self.is_over = False

    async def read(self, count: int) -> list[dict[str, Any]]:
        """Exactly so many events."""
        while len(self.events) < count:
            self.events += map(orjson.loads, (await asyncio.wait_for(anext(self.parts), 5)).splitlines())
        found, self.events = self.events[:count], self.events[count:]
        return found

    async def read_all(self) -> list[dict[str, Any]]:
        """Whatever comes until the watch ends."""
        async for part in self.parts:
            self.events += map(orjson.loads, part.splitlines())
        return self.events


async def joined(*readers: Reader) -> None:
    """Wait until what these have begun to read is told to them as it happens."""
    while not all(one.watch.watcher.rv for one in readers):
        await asyncio.sleep(0.01)


@asynccontextmanager
async def watching(
    shop: Shop,
    rv: int | None = None,
    selection: Selection = EVERYTHING,
    encoding: Encoding = AS_STORED,
    right: Any = may,
    **wish: Any,
) -> AsyncIterator[Reader]:
    seconds = wish.pop("seconds", 20.0)
    watch = Watch(
        shop.cluster,
        SECRET,
        Wish(rv, seconds=seconds, **wish),
        Watcher(selection, encoding),
        make_bookmark,
        right,
    )
    reader = Reader(watch)
    yield reader
    await reader.parts.aclose()
    await end_feeds()


async def end_feeds() -> None:
    for one in feed._feeds.pop(asyncio.get_running_loop(), {}).values():
        one.close(None)
    threads.answering.close()


def in_thread(work: Any) -> Any:
    return sync_to_async(work, thread_sensitive=True)


def told(events: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    """Type, name and label of each event."""
    return [
        (
            one["type"],
            one["object"]["metadata"]["name"],
            (one["object"]["metadata"].get("labels") or {}).get("l"),
        )
        for one in events
    ]


def live_through(shop: Shop) -> int:
    """Secrets come, change and go; the version before is returned."""
    start = shop.cluster.rv
    shop.create("Secret", "a", {"l": "x"})
    shop.patch("Secret", "a", stringData={"k": "1"})
    shop.patch("Secret", "a", metadata={"labels": {"l": "y"}})
    shop.create("Secret", "b", {"l": "x"})
    shop.delete("Secret", "a")
    return start


LIFE = [
    ("ADDED", "a", "x"),
    ("MODIFIED", "a", "x"),
    ("MODIFIED", "a", "y"),
    ("ADDED", "b", "x"),
    ("DELETED", "a", "y"),
]


async def test_everything_since_a_version_is_told_in_order(shop):
    start = await in_thread(live_through)(shop)
    async with watching(shop, start) as reader:
        events = await reader.read(5)
    assert told(events) == LIFE
    versions = [int(one["object"]["metadata"]["resourceVersion"]) for one in events]
    assert versions == sorted(versions) and versions[0] > start
    assert events[2]["object"]["data"] == {"k": "MQ=="}


async def test_what_happens_while_one_watches_is_told_too(shop):
    async with watching(shop, shop.cluster.rv) as reader:
        first = asyncio.ensure_future(reader.read(5))
        await joined(reader)
        await in_thread(live_through)(shop)
        assert told(await first) == LIFE


@pytest.mark.parametrize(
    "label, expected",
    [
        ("l=x", [("ADDED", "a", "x"), ("MODIFIED", "a", "x"), ("DELETED", "a", "x"), ("ADDED", "b", "x")]),
        ("l=y", [("ADDED", "a", "y"), ("DELETED", "a", "y")]),
    ],
)
@pytest.mark.parametrize("is_live", [False, True])
async def test_who_enters_a_selection_is_added_and_who_leaves_it_deleted(shop, label, expected, is_live):
    start = shop.cluster.rv
    if not is_live:
        await in_thread(live_through)(shop)
    async with watching(shop, start, labelled(label)) as reader:
        found = asyncio.ensure_future(reader.read(len(expected)))
        if is_live:
            await joined(reader)
            await in_thread(live_through)(shop)
        assert told(await found) == expected


async def test_an_object_that_leaves_carries_the_version_of_that_change(shop):
    start = await in_thread(live_through)(shop)
    async with watching(shop, start) as whole, watching(shop, start, labelled("l=x")) as part:
        change, left = (await whole.read(3))[2], (await part.read(3))[2]
    assert left["object"]["metadata"]["resourceVersion"] == change["object"]["metadata"]["resourceVersion"]


@pytest.mark.parametrize("rv", [None, 0])
async def test_without_a_version_what_is_there_is_added(shop, rv):
    await in_thread(live_through)(shop)
    async with watching(shop, rv, seconds=0.2) as reader:
        assert told(await reader.read_all()) == [("ADDED", "b", "x")]


async def test_initial_events_end_with_a_marked_bookmark(shop):
    await in_thread(live_through)(shop)
    async with watching(shop, None, sends_initial=True, wants_bookmarks=True, seconds=0.2) as reader:
        events = await reader.read_all()
    assert [one["type"] for one in events] == ["ADDED", "BOOKMARK"]
    assert events[1]["object"] == {"rv": shop.cluster.rv, "k8s.io/initial-events-end": "true"}


async def test_a_bookmark_comes_two_seconds_before_the_end(shop):
    await in_thread(live_through)(shop)
    async with watching(
        shop, shop.cluster.rv, labelled("l=none"), wants_bookmarks=True, seconds=2.2
    ) as reader:
        events = await reader.read_all()
    assert events == [{"type": "BOOKMARK", "object": {"rv": shop.cluster.rv}}]


async def test_a_version_that_was_pruned_is_gone(shop):
    start = await in_thread(live_through)(shop)

    def prune() -> None:
        shop.cluster.watch_rows = 2
        retention.prune(shop.cluster)

    await in_thread(prune)()
    async with watching(shop, start) as reader:
        [event] = await reader.read_all()
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")
    assert event["object"]["message"].startswith(f"too old resource version: {start} (")


async def test_a_change_whose_object_cannot_be_put_together_is_gone(shop):
    """The version that made it was pruned, and no feed has seen it: a list tells the rest."""
    await in_thread(shop.create)("Secret", "a")
    rv = shop.cluster.rv
    await in_thread(shop.patch)("Secret", "a", metadata={"labels": {"l": "x"}})

    def prune() -> None:
        ObjectVersion.objects.filter(cluster=shop.cluster, rv__lt=rv).delete()
        ObjectVersion.objects.filter(cluster=shop.cluster, rv=rv).delete()
        Cluster.objects.filter(pk=shop.cluster.pk).update(oldest_rv=rv + 1)

    await in_thread(prune)()
    async with watching(shop, rv) as reader:
        [event] = await reader.read_all()
    assert event["object"]["code"] == 410


async def test_the_version_before_anything_was_listed_is_gone(shop):
    async with watching(shop, 1) as reader:
        [event] = await reader.read_all()
    assert event["object"]["code"] == 410


async def test_a_version_of_the_future_tells_only_what_comes_after_it(shop):
    async with watching(shop, shop.cluster.rv + 2) as reader:
        found = asyncio.ensure_future(reader.read(len(LIFE) - 2))
        await joined(reader)
        await in_thread(live_through)(shop)
        assert told(await found) == LIFE[2:]


async def test_columns_are_told_first_and_only_once(shop):
    start = await in_thread(live_through)(shop)
    async with watching(shop, start, encoding=NAMES) as reader:
        events = await reader.read(5)
        assert [one["object"][0] for one in events] == [True, False, False, False, False]


async def test_whoever_comes_back_goes_on_from_memory(shop, monkeypatch):
    async with watching(shop, shop.cluster.rv) as reader:
        first = asyncio.ensure_future(reader.read(5))
        await joined(reader)
        start = await in_thread(live_through)(shop)
        await first
        monkeypatch.setattr(History, "read_page", None)
        again = Reader(
            Watch(shop.cluster, SECRET, Wish(start), Watcher(Selection(), AS_STORED), make_bookmark, may)
        )
        assert told(await again.read(5)) == LIFE
        await again.parts.aclose()


async def test_all_watchers_get_one_text(shop):
    made = []
    encoding = Encoding(("count",), lambda value, is_first: made.append(value) or b"{}")
    async with watching(shop, shop.cluster.rv, encoding=encoding) as reader:
        others = [
            Reader(
                Watch(
                    shop.cluster,
                    SECRET,
                    Wish(shop.cluster.rv),
                    Watcher(Selection(), encoding),
                    make_bookmark,
                    may,
                )
            )
            for _ in range(20)
        ]
        found = asyncio.gather(*(one.read(5) for one in (reader, *others)))
        await joined(reader, *others)
        await in_thread(live_through)(shop)
        await found
        # Nobody's first event is told apart from the others' but by Tables: once first, once later, each.
        assert len(made) == 5
        for one in others:
            await one.parts.aclose()


@pytest.mark.parametrize("name, most", [("MOST_WAITING", 3), ("MOST_WAITING_BYTES", 1000)])
async def test_a_slow_watcher_is_cut_and_the_others_go_on(shop, monkeypatch, name, most):
    monkeypatch.setattr(watcher, name, most)
    async with watching(shop, shop.cluster.rv) as slow:
        begun = asyncio.ensure_future(anext(slow.parts))
        await joined(slow)
        await in_thread(shop.create)("Secret", "first")
        await begun
        # Now it stands where it would send, and takes nothing.
        await in_thread(live_through)(shop)
        async with asyncio.timeout(20):
            while not slow.watch.watcher.is_over:
                await asyncio.sleep(0.01)
        assert not slow.watch.watcher.waiting
        assert await slow.read_all() == []


async def test_a_cache_keeps_no_more_text_than_it_may(monkeypatch):
    monkeypatch.setattr(cache, "KEPT_BYTES", 100)
    kept = cache.KindCache({}, 1)
    for rv in range(2, 12):
        kept.tell(Change(rv, "ADDED", None, f"n{rv}", None, b"x" * 30))
    assert [change.rv for change in kept.changes] == [9, 10, 11]
    assert (kept.oldest, kept.bytes) == (8, 90)
    kept.tell(Change(12, "ADDED", None, "n12", None, b"x" * 300))
    assert (list(kept.changes), kept.oldest, kept.bytes) == ([], 12, 0)


async def test_whoever_may_watch_no_longer_is_told_nothing_more(shop):
    allowed = [True]
    async with watching(shop, shop.cluster.rv, right=lambda: allowed[0]) as reader:
        found = asyncio.ensure_future(reader.read_all())
        await joined(reader)
        allowed[0] = False
        assert await asyncio.wait_for(found, 5) == []


async def test_a_history_that_was_replaced_is_gone(shop):
    async with watching(shop, shop.cluster.rv) as reader:
        found = asyncio.ensure_future(reader.read_all())
        await joined(reader)
        await in_thread(Cluster.objects.filter(pk=shop.cluster.pk).update)(
            epoch_id="12345678-1234-5678-1234-567812345678"
        )
        [event] = await asyncio.wait_for(found, 5)
    assert event["object"]["code"] == 410


async def test_a_watch_of_a_cluster_that_goes_ends(shop):
    async with watching(shop, shop.cluster.rv) as reader:
        found = asyncio.ensure_future(reader.read_all())
        await joined(reader)
        await in_thread(shop.cluster.delete)()
        assert await asyncio.wait_for(found, 5) == []


async def test_a_frame_wakes_the_feed_at_once(shop, monkeypatch):
    monkeypatch.setattr(feed, "HEAD_SECONDS", 3600.0)
    async with watching(shop, shop.cluster.rv) as reader:
        found = asyncio.ensure_future(reader.read(1))
        await joined(reader)
        await in_thread(shop.create)("Secret", "a")
        frame = frames.make_frame(shop.cluster, 0, 0, [], [])
        await get_channel_layer().group_send(shop.cluster.group, frames.group_message(frame))
        assert told(await found) == [("ADDED", "a", None)]


async def test_a_feed_that_nobody_watches_reads_on_when_somebody_does(shop, monkeypatch):
    monkeypatch.setattr(feed, "HEAD_SECONDS", 3600.0)
    unwatched = feed.feed_of(shop.cluster)
    kept = await unwatched.cache_of(SECRET)
    before, earlier = kept.rv, await in_thread(Cluster.objects.get)(pk=shop.cluster.pk)
    await in_thread(shop.create)("Secret", "a")
    frame = frames.make_frame(shop.cluster, 0, 0, [], [])
    await get_channel_layer().group_send(shop.cluster.group, frames.group_message(frame))
    await asyncio.sleep(0.1)
    assert kept.rv == before and not unwatched.is_following
    # It was found when its row did not tell of the Secret yet.
    shop.cluster = earlier
    async with watching(shop, before) as reader:
        assert told(await reader.read(1)) == [("ADDED", "a", None)] and unwatched.is_following
        await reader.parts.aclose()
        unwatched.has_more.set()
        async with asyncio.timeout(5):
            while unwatched.is_following:
                await asyncio.sleep(0.01)


class SlowLayer:
    """A channel layer that adds nobody to a group before it is let."""

    def __init__(self) -> None:
        self.is_asked, self.is_let, self.is_left = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def new_channel(self) -> str:
        return "channel"

    async def receive(self, channel: str) -> None:
        await asyncio.Event().wait()

    async def group_add(self, group: str, channel: str) -> None:
        self.is_asked.set()
        await self.is_let.wait()

    async def group_discard(self, group: str, channel: str) -> None:
        self.is_left.set()


async def test_a_layer_that_does_not_answer_holds_no_reading_up(shop, monkeypatch):
    layer = SlowLayer()
    monkeypatch.setattr(feed, "get_channel_layer", lambda: layer)
    async with watching(shop, shop.cluster.rv) as reader:
        found = asyncio.ensure_future(reader.read(1))
        await asyncio.wait_for(layer.is_asked.wait(), 5)
        await in_thread(shop.create)("Secret", "a")
        assert told(await found) == [("ADDED", "a", None)]


async def test_who_goes_while_frames_are_called_for_is_sent_none(shop, monkeypatch):
    monkeypatch.setattr(feed, "HEAD_SECONDS", 3600.0)
    layer = SlowLayer()
    monkeypatch.setattr(feed, "get_channel_layer", lambda: layer)
    async with watching(shop, shop.cluster.rv) as reader:
        found = asyncio.ensure_future(reader.read(1))
        await asyncio.wait_for(layer.is_asked.wait(), 5)
        found.cancel()
        await asyncio.gather(found, return_exceptions=True)
        await reader.parts.aclose()
        layer.is_let.set()
        await asyncio.wait_for(layer.is_left.wait(), 5)


async def test_a_feed_nobody_needs_is_let_go(shop, monkeypatch):
    monkeypatch.setattr(feed, "IDLE_SECONDS", 0.05)
    async with watching(shop, None, seconds=0.05) as reader:
        await reader.read_all()
        before = feed.feed_of(shop.cluster)
        await asyncio.sleep(0.5)
        assert before.is_over
        assert feed.feed_of(shop.cluster) is not before


async def test_changes_above_the_cursor_are_not_there(shop):
    await in_thread(live_through)(shop)
    cursor = shop.cluster.rv - 1
    await in_thread(Cluster.objects.filter(pk=shop.cluster.pk).update)(rv=cursor)
    async with watching(shop, cursor - 3, seconds=0.2) as reader:
        events = await reader.read_all()
    assert max(int(one["object"]["metadata"]["resourceVersion"]) for one in events) <= cursor


@pytest.mark.parametrize(
    "old, new",
    [
        ({"a": 1}, {"a": 2, "b": {"c": None}}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
        ({"a": {"b": 1}}, {"a": [1]}),
        ({"a": [1]}, {"a": {"b": {"c": 1}}}),
    ],
)
async def test_a_recorded_patch_gives_back_what_was_recorded(old, new):
    from lifecycle.engine.heart.trace import make_merge_patch

    assert apply_patch(old, make_merge_patch(old, new)) == new


async def test_a_watch_holds_no_thread():
    """Django keeps a thread for each request: a stream gives it back before it waits."""
    async with ThreadSensitiveContext():
        thread = await sync_to_async(threading.current_thread)()
        assert thread.is_alive()
        await release_thread()
        thread.join(5)
        assert not thread.is_alive()
        # Whoever needs one at the end gets another.
        assert await sync_to_async(threading.current_thread)() is not thread
