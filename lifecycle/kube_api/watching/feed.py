"""One cluster's changes, for all who watch it in this process: read once, as soon as they are recorded.

As long as somebody watches, a frame of the cluster's group says that there is more; as such messages may be
lost, the stored head is looked at every two seconds too. Per kind that is watched the objects as they are now
are kept, as JSON text, and the last changes, so that whoever comes back a moment later goes on from memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import Context
from typing import Any
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from lifecycle.kube_api.reading import trace_events
from lifecycle.kube_api.watching import events, records
from lifecycle.kube_api.watching.cache import KindCache, Taker
from lifecycle.kube_api.watching.records import Head, Kind, Row
from lifecycle.models import Cluster
from lifecycle.threads import answering

log = logging.getLogger(__name__)

HEAD_SECONDS = 2.0
IDLE_SECONDS = 30.0
"""A cluster nobody watches any more is let go of after so long."""
MOST_AT_ONCE = 8
"""Of all feeds no more ask the database at once: each that does has a connection."""


class Feed:
    """The caches of one cluster, fed by one task."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.cluster_id = cluster.pk
        self.group = cluster.group
        self.head = Head.of(cluster)
        self.rv = 0
        self.caches: dict[Kind, asyncio.Future[KindCache]] = {}
        self.lock = asyncio.Lock()
        self.checks: dict[Taker, Any] = {}
        self.pulses: set[asyncio.Event] = set()
        self.is_over = False
        self.reason: Exception | None = None
        self.idle_since: float | None = None
        self.checked_at = self.read_at = 0.0
        self.has_more = asyncio.Event()
        self.channel: str | None = None
        self.is_following = False
        """Whether frames come by the channel."""
        # They outlive the request that happened to come first, and take nothing of it along.
        loop, own = asyncio.get_running_loop(), Context()
        self.tasks = [loop.create_task(work, context=own) for work in (self._listen(), self._look())]

    def now_ms(self) -> int:
        """Virtual now, as far as the head tells."""
        return max(self.head.instant_ms, self.head.clock.now_ms(time.time()))

    async def cache_of(self, kind: Kind) -> KindCache:
        """The cache of a kind, made at the first asking and kept up to date from then on."""
        found = self.caches.get(kind)
        if found is None:
            found = self.caches[kind] = asyncio.ensure_future(self._make_cache(kind))
            found.add_done_callback(lambda done: self._drop_failed(kind, done))
        # One who goes away takes nothing from the others.
        return await asyncio.shield(found)

    def _drop_failed(self, kind: Kind, done: asyncio.Future[KindCache]) -> None:
        if done.cancelled() or done.exception() is not None:
            self.caches.pop(kind, None)

    async def _make_cache(self, kind: Kind) -> KindCache:
        async with self.lock:
            state, rv = await _ask(records.read_state, self.cluster_id, kind)
            cache = KindCache(state, rv)
            if kind == trace_events.KIND:
                cache = await _ask(events.EventCache.load, self.cluster, state, rv)
            # What the others have still to read this one may have already.
            self.rv = self.rv or rv
            return cache

    def join(self, cache: KindCache, taker: Taker, check: Any) -> None:
        """Tell a taker of what follows; `check` says, off the event loop, whether it may go on watching."""
        cache.takers.add(taker)
        self.checks[taker] = check
        self._call_for_frames()
        if self.is_over:
            taker.end(self.reason)

    def leave(self, cache: KindCache, taker: Taker) -> None:
        """No more for this one."""
        cache.takers.discard(taker)
        self.checks.pop(taker, None)

    async def _listen(self) -> None:
        """Wait for frames; the reader below reads what they announce."""
        layer: Any = get_channel_layer()
        while True:
            try:
                self.channel = await layer.new_channel()
                if self.is_watched:
                    self.has_more.set()
                while True:
                    self._note(await layer.receive(self.channel))
            except Exception as problem:
                # Without messages, looking every two seconds is what is left.
                log.warning("no frames: %s", problem, extra={"group": self.group})
                self.channel, self.is_following = None, False
                await asyncio.sleep(HEAD_SECONDS)

    async def _follow(self) -> None:
        """Have frames come as long as somebody watches. Who only reads reads on without them (`reach`)."""
        channel, is_wanted = self.channel, self.is_watched
        if channel is None or self.is_following == is_wanted:
            return
        layer: Any = get_channel_layer()
        try:
            # Reading goes on, however long the layer takes.
            async with asyncio.timeout(HEAD_SECONDS):
                await (layer.group_add if is_wanted else layer.group_discard)(self.group, channel)
        except Exception as problem:
            log.warning("no frames: %s", problem, extra={"group": self.group})
            return
        # Meanwhile the channel may have been lost.
        self.is_following = is_wanted and self.channel == channel
        for pulse in self.pulses:
            pulse.set()
        if self.is_following != self.is_watched:
            # Somebody came or went meanwhile.
            self.has_more.set()

    def _call_for_frames(self) -> None:
        """Somebody begins to watch: what is recorded until frames come is read then."""
        self.idle_since = None
        if not self.is_following:
            self.has_more.set()

    @contextlib.contextmanager
    def pulse(self) -> Iterator[asyncio.Event]:
        """An event that is set with every frame: something was recorded, a log perhaps."""
        pulse = asyncio.Event()
        self.pulses.add(pulse)
        self._call_for_frames()
        try:
            yield pulse
        finally:
            self.pulses.discard(pulse)

    def _note(self, message: dict[str, Any]) -> None:
        for pulse in self.pulses:
            pulse.set()
        is_known = message["rv"] <= self.rv and message["seq"] <= self.head.seq
        if message["epoch_id"] != self.head.epoch_id or not is_known:
            self.has_more.set()

    async def _look(self) -> None:
        """Read what is new when a frame says so, and every two seconds whatever was said."""
        try:
            while not self.is_over:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.has_more.wait(), HEAD_SECONDS)
                self.has_more.clear()
                await self._follow()
                async with self.lock:
                    await self.read()
                await self._look_after(asyncio.get_running_loop().time())
        except Exception as problem:
            # Those who watched come again, and find another feed.
            log.exception("watching failed", extra={"cluster": self.cluster_id})
            self.close(problem)

    @property
    def is_watched(self) -> bool:
        """Whether somebody waits for what is recorded next."""
        return bool(self.checks or self.pulses)

    def note_read(self) -> None:
        """Somebody reads from the caches: they are to stay for a while."""
        self.idle_since, self.read_at = None, time.monotonic()

    async def reach(self, cache: KindCache, rv: int) -> None:
        """Read on, unless everything up to a version is in the cache already."""
        if cache.objects_rv >= rv:
            return
        async with self.lock:
            if cache.objects_rv >= rv or self.is_over:
                return
            try:
                await self.read()
            except Exception as problem:
                # It may have stopped half way.
                self.close(problem)
                raise

    async def read(self) -> None:
        """Everything recorded since, to all takers in order."""
        caches = {
            kind: one.result() for kind, one in self.caches.items() if one.done() and not one.exception()
        }
        wanted_rv: int | None = None
        while wanted_rv is None or (caches and self.rv < wanted_rv):
            head, rows = await _ask(records.read_news, self.cluster_id, caches.keys(), self.rv)
            if head is None:
                return self.close(None)
            if head.epoch_id != self.head.epoch_id:
                return self.close(records.Expired(self.rv, head.rv))
            self.head = head
            wanted_rv = head.rv if wanted_rv is None else wanted_rv
            self._take_in(caches, rows)
            # Others want the event loop too.
            await asyncio.sleep(0)
        for cache in caches.values():
            if isinstance(cache, events.EventCache):
                cache.take_in(await _ask(cache.read, self.head.seq), self.head.seq)

    def _take_in(self, caches: dict[Kind, KindCache], rows: list[Row]) -> None:
        """A page of versions, or all there are up to the head."""
        for row in rows:
            cache = caches[row.group, row.kind]
            if row.rv > cache.objects_rv:
                cache.add(row)
        if caches:
            self.rv = rows[-1].rv if len(rows) == records.PAGE_ROWS else self.head.rv
        for cache in caches.values():
            cache.advance(self.rv)

    async def _look_after(self, now: float) -> None:
        """Every two seconds: end the watches of those who may watch no longer, and one day this feed."""
        if now - self.checked_at < HEAD_SECONDS:
            return
        self.checked_at = now
        by_check: dict[Any, list[Taker]] = {}
        for taker, check in list(self.checks.items()):
            by_check.setdefault(check, []).append(taker)
        for check, takers in by_check.items():
            if not await _ask(check):
                for taker in takers:
                    taker.end(None)
        if self.is_watched:
            return
        if self.idle_since is None:
            self.idle_since = now
        elif now - self.idle_since > IDLE_SECONDS:
            self.close(None)

    def close(self, reason: Exception | None) -> None:
        """End all watches: the cluster is gone, its history was replaced, or nobody watches."""
        self.is_over, self.reason = True, reason
        for taker in list(self.checks):
            taker.end(reason)
        current = asyncio.current_task()
        for task in self.tasks:
            if task is not current:
                task.cancel()
        self.caches.clear()


_places: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def _ask(work: Callable[..., Any], *arguments: Any) -> Any:
    """Have the database asked, in a thread that keeps its connection."""
    async with _places.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MOST_AT_ONCE)):
        return await answering(work)(*arguments)


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, Feed]] = WeakKeyDictionary()


def list_feeds() -> dict[int, Feed]:
    """The feeds of the running event loop, by the number of their cluster."""
    return _feeds.setdefault(asyncio.get_running_loop(), {})


def feed_of(cluster: Cluster) -> Feed:
    """The feed of a cluster in the running event loop."""
    feeds = list_feeds()
    found = feeds.get(cluster.pk)
    if found is None or found.is_over:
        found = feeds[cluster.pk] = Feed(cluster)
    return found
