"""The response to a watch: what is there, what happened since, whatever comes, until its time is over."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from asgiref.sync import SyncToAsync, sync_to_async
from django.db import connections
from django.http import StreamingHttpResponse

from lifecycle.kube_api.watching.cache import KindCache
from lifecycle.kube_api.watching.changes import Change
from lifecycle.kube_api.watching.feed import Feed, feed_of
from lifecycle.kube_api.watching.records import Expired, Held, Kind, Pages
from lifecycle.kube_api.watching.watcher import Watcher, make_event
from lifecycle.models import Cluster
from lifecycle.threads import reading as in_thread

LEAST_SECONDS = 1800.0
"""Without `timeoutSeconds` a watch ends after so long, or up to twice that, so that not all end together."""
BOOKMARK_SECONDS, BOOKMARK_BEFORE_END_SECONDS = 60.0, 2.0
CUT_SECONDS = 30.0
"""How long a watcher that was cut may go on not reading before its connection ends."""
PART_BYTES = 256 * 1024
END_OF_INITIAL = {"k8s.io/initial-events-end": "true"}


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a watch. `rv` None: the most recent state; 0: any state; else the changes after it.

    `sends_initial`: what is there, then a marked bookmark. `seconds` None: as long as the server likes.
    """

    rv: int | None = None
    sends_initial: bool = False
    wants_bookmarks: bool = False
    seconds: float | None = None


@dataclass(slots=True)
class Watch:
    """One watch of a request. `bookmark(rv, annotations)` makes the object of a bookmark as text.

    `right` says, off the event loop, whether the asker may still watch; equal ones are asked once.
    """

    cluster: Cluster
    kind: Kind
    wish: Wish
    watcher: Watcher
    bookmark: Callable[[int, dict[str, str]], bytes]
    right: Callable[[], bool]
    standing: Sequence[Held] = ()
    """What is there and stored nowhere: told as long as nothing of its name is stored."""

    async def respond(self) -> StreamingHttpResponse:
        """The response, which streams for as long as the watch lasts, and holds no thread meanwhile."""
        headers = {"Cache-Control": "no-cache, private"}
        return StreamingHttpResponse(self.run(), content_type="application/json", headers=headers)

    async def run(self) -> AsyncIterator[bytes]:
        """The events, as lines of text."""
        await release_thread()
        feed = feed_of(self.cluster)
        # Who waits is counted from here on: nobody lets go of what is waited for.
        with feed.pulse():
            cache = await feed.cache_of(self.kind)
            # It may have been there before what was answered since.
            await feed.reach(cache, self.cluster.rv)
        # From here to the first wait nothing happens in between: nothing is missed, nothing comes twice.
        feed.join(cache, self.watcher, self.right)
        before = self._before(cache)
        cut = _Cut(self.watcher)
        try:
            async for part in before:
                yield part
            async for part in self._live(feed):
                yield part
        except Expired as problem:
            yield make_error(problem)
        finally:
            cut.let_be()
            feed.leave(cache, self.watcher)

    def _before(self, cache: KindCache) -> AsyncIterator[bytes]:
        """What comes before the first change that is still to be recorded. Looks at the cache at once."""
        watcher, rv = self.watcher, self.wish.rv
        watcher.rv = cache.rv
        if self.wish.sends_initial or not rv:
            stored = cache.state.values() if self.standing else ()
            places = {(one.namespace, one.name) for one in stored}
            standing = [one for one in self.standing if (one.namespace, one.name) not in places]
            held = sorted([*cache.state.values(), *standing], key=lambda one: (one.namespace or "", one.name))
            return self._initial(held, cache.rv)
        watcher.after = rv
        if rv >= cache.oldest:
            return self._since(cache.list_since(rv))
        return self._history(cache.history(self.cluster.pk, self.kind, rv))

    async def _initial(self, held: list[Held], rv: int) -> AsyncIterator[bytes]:
        async for part in _in_parts(self._render_held(held)):
            yield part
        if self.wish.sends_initial and self.wish.wants_bookmarks:
            yield make_event("BOOKMARK", self.bookmark(rv, END_OF_INITIAL))

    def _render_held(self, held: list[Held]) -> Iterable[bytes]:
        selection, is_stored = self.watcher.selection, self.watcher.encoding.is_stored
        for one in held:
            if selection.namespace is not None and one.namespace != selection.namespace:
                continue
            is_read = selection.matches is not None or not is_stored
            parsed = orjson.loads(one.text) if is_read else None
            if selection.matches is None or selection.matches(parsed or {}):
                yield self.watcher.render_held(one, None if is_stored else parsed)

    async def _since(self, changes: list[Change]) -> AsyncIterator[bytes]:
        async for part in _in_parts(filter(None, map(self._render_again, changes))):
            yield part

    def _render_again(self, change: Change) -> bytes | None:
        event = self.watcher.render(change)
        change.forget()
        return event

    async def _history(self, history: Pages) -> AsyncIterator[bytes]:
        while page := await in_thread(history.read_page)():
            async for part in self._since(page):
                yield part

    async def _live(self, feed: Feed) -> AsyncIterator[bytes]:
        watcher, loop = self.watcher, asyncio.get_running_loop()
        seconds = self.wish.seconds or LEAST_SECONDS * (1 + random.random())
        deadline = loop.time() + seconds
        bookmark_at = _plan_bookmark(loop.time(), deadline) if self.wish.wants_bookmarks else deadline
        while True:
            while watcher.waiting:
                yield watcher.take_part(PART_BYTES)
            now = loop.time()
            if watcher.is_over or now >= deadline:
                break
            if now >= bookmark_at:
                yield make_event("BOOKMARK", self.bookmark(watcher.rv, {}))
                bookmark_at = _plan_bookmark(now, deadline)
            watcher.something.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(watcher.something.wait(), min(bookmark_at, deadline) - now)
        if watcher.reason is not None:
            yield make_error(watcher.reason)


def _plan_bookmark(now: float, deadline: float) -> float:
    """Every minute, and once more two seconds before the end."""
    last = deadline - BOOKMARK_BEFORE_END_SECONDS
    return min(now + BOOKMARK_SECONDS, last) if last > now else now + BOOKMARK_SECONDS


async def _in_parts(events: Iterable[bytes]) -> AsyncIterator[bytes]:
    parts: list[bytes] = []
    size = 0
    for event in events:
        parts.append(event)
        size += len(event)
        if size >= PART_BYTES:
            yield b"".join(parts)
            # Whoever reads at once would otherwise keep everyone else waiting.
            await asyncio.sleep(0)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)


class _Cut:
    """Ends the connection of a watcher that was cut and does not even read on to find out."""

    def __init__(self, watcher: Watcher) -> None:
        self.task = asyncio.current_task()
        self.timer: asyncio.TimerHandle | None = None
        watcher.on_cut = self.begin

    def begin(self) -> None:
        if self.task is not None:
            self.timer = asyncio.get_running_loop().call_later(CUT_SECONDS, self.task.cancel)

    def let_be(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.task = None


def make_error(problem: Exception) -> bytes:
    """The last event of a watch that cannot go on; clients list anew after a 410."""
    is_expired = isinstance(problem, Expired)
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    status["message"] = str(problem) if is_expired else "the server could not go on with the watch"
    status |= {"reason": "Expired", "code": 410} if is_expired else {"reason": "InternalError", "code": 500}
    return make_event("ERROR", orjson.dumps(status))


async def release_thread() -> None:
    """Give back the thread that Django keeps for each request: what streams for an hour needs none.

    Should the request need one again, at its end, it gets another.
    """
    context = SyncToAsync.thread_sensitive_context.get(None)
    if context is None or context not in SyncToAsync.context_to_thread_executor:
        return
    await sync_to_async(connections.close_all)()
    SyncToAsync.context_to_thread_executor.pop(context).shutdown(wait=False)
