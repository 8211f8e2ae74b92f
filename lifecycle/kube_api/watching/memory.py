"""Which kinds of which clusters are in memory for whoever reads them, and how much that may be.

What watches are fed from answers reads as well. A kind that is asked for twice within a while is taken in
meanwhile, and let go of when nobody has asked for as long (`feed`). What is too large, or finds no room, is
read from the database as ever.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator

from lifecycle.kube_api.watching import records
from lifecycle.kube_api.watching.cache import KindCache
from lifecycle.kube_api.watching.feed import IDLE_SECONDS, Feed, feed_of, list_feeds
from lifecycle.kube_api.watching.records import Kind
from lifecycle.models import Cluster
from lifecycle.threads import reading as in_thread

log = logging.getLogger(__name__)

MOST_KIND_BYTES = 32 * 2**20
MOST_BYTES = 128 * 2**20
"""So much of one kind, and of all together, is kept for reads."""
_MOST_REMEMBERED = 4096
_asked_at: dict[tuple[int, Kind], float] = {}
_under_way: dict[tuple[int, Kind], asyncio.Task[None]] = {}
_promised: dict[tuple[int, Kind], int] = {}
"""How much room what is being taken in was given."""


async def find(cluster_id: int, epoch_id: str, rv: int, kind: Kind) -> KindCache | None:
    """The objects of a kind at version `rv` or a later one; None where they are not in memory."""
    feed = list_feeds().get(cluster_id)
    held = feed.caches.get(kind) if feed is not None and not feed.is_over else None
    if feed is None or held is None:
        _note(cluster_id, kind)
        return None
    if not held.done() or held.cancelled() or held.exception() is not None:
        return None
    if feed.head.epoch_id != epoch_id:
        feed.has_more.set()
        return None
    cache = held.result()
    await feed.reach(cache, rv)
    if feed.is_over or cache.objects_rv < rv:
        return None
    feed.note_read()
    if cache.places.bytes > MOST_KIND_BYTES and not feed.is_watched:
        feed.caches.pop(kind, None)
    return cache


def _note(cluster_id: int, kind: Kind) -> None:
    """Somebody had to ask the database: the second within a while is not to be followed by a third."""
    key, now = (cluster_id, kind), time.monotonic()
    if len(_asked_at) >= _MOST_REMEMBERED:
        _asked_at.clear()
    before = _asked_at.get(key, -IDLE_SECONDS)
    if before > now:
        # It found no room a moment ago.
        return
    _asked_at[key] = now
    if now - before < IDLE_SECONDS and key not in _under_way:
        task = _under_way[key] = asyncio.get_running_loop().create_task(_take_in(cluster_id, kind))
        task.add_done_callback(lambda _: _under_way.pop(key, None))


async def _take_in(cluster_id: int, kind: Kind) -> None:
    try:
        # Versions that show it otherwise than it is stored keep as much again.
        size = 2 * await in_thread(records.read_size)(cluster_id, kind)
        cluster = await in_thread(Cluster.objects.filter(pk=cluster_id).first)()
        if size > MOST_KIND_BYTES or cluster is None or not _make_room(size):
            _asked_at[cluster_id, kind] = time.monotonic() + IDLE_SECONDS
            return
        feed = feed_of(cluster)
        feed.note_read()
        _promised[cluster_id, kind] = size
        await feed.cache_of(kind)
    except Exception:
        # Whoever reads asks the database, and is told what is wrong with it.
        log.exception("kind not taken in", extra={"cluster": cluster_id, "kind": kind[1]})
    finally:
        _promised.pop((cluster_id, kind), None)


def _make_room(size: int) -> bool:
    """Whether there is room for so much more, where need be in the place of who was read longest ago."""
    feeds = [feed for feed in list_feeds().values() if not feed.is_over]
    held = sum(_promised.values()) + sum(_measure(feed) for feed in feeds)
    for feed in sorted(feeds, key=lambda one: one.read_at):
        if held + size <= MOST_BYTES:
            break
        if not feed.is_watched:
            held -= _measure(feed)
            feed.close(None)
    return held + size <= MOST_BYTES


def _measure(feed: Feed) -> int:
    """Objects, and the changes that watches may go back to."""
    return sum(cache.places.bytes + cache.bytes for cache in _caches(feed))


def _caches(feed: Feed) -> Iterator[KindCache]:
    for one in feed.caches.values():
        if one.done() and not one.cancelled() and one.exception() is None:
            yield one.result()
