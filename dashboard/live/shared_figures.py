"""Figures that many browsers look at alike: made once, encoded once, sent to each as far as it lacks them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import orjson

from dashboard.live.live_figures import LiveFigures
from dashboard.live.timeline_feed import Asked
from lifecycle import threads
from lifecycle.models import Cluster

# Figures are sent at most this often; freshness is promised within a second.
FIGURE_SECONDS = 0.2
# A browser so many changes behind gets the whole figure again.
MOST_KEPT = 10

Key = tuple[Any, ...]


class SharedFigures:
    """One page's figures in all its browsers. For one event loop; `tell` may be called by many at once."""

    def __init__(self, figures: LiveFigures) -> None:
        self.figures = figures
        self.version = 0
        self._watchers = 0
        self._heard = ("", -1)
        self._is_old = True
        self._made_at = 0.0
        self._lock = asyncio.Lock()
        self._changes: deque[tuple[int, list[str]]] = deque(maxlen=MOST_KEPT)
        self._whole: tuple[int, list[str]] = (-1, [])

    def join(self) -> None:
        """One more browser looks. What happened while none did, nobody passed on."""
        if not self._watchers:
            self.figures.must_load = self._is_old = True
        self._watchers += 1

    def leave(self) -> None:
        """A browser has gone, or looks at something else."""
        self._watchers -= 1

    def add(self, text: str, epoch_id: str, seq: int) -> None:
        """A frame that was passed on; the others' browsers pass it on as well."""
        if epoch_id == self._heard[0] and seq <= self._heard[1]:
            return
        self._heard = (epoch_id, seq)
        self._is_old = True
        self.figures.add(text)

    def check(self, seq: int) -> None:
        """A browser was told everything up to `seq` a while ago: what nobody passed on is read anew."""
        if self.figures.loaded_seq < seq and not self._is_old:
            self.figures.must_load = self._is_old = True

    async def tell(self, version: int | None) -> tuple[int, list[str]]:
        """The version that is current, and what a browser must be sent that was told another, or none."""
        # Who goes away in the middle takes nothing from the others.
        return await asyncio.shield(asyncio.ensure_future(self._tell(version)))

    async def _tell(self, version: int | None) -> tuple[int, list[str]]:
        async with self._lock:
            if self._is_old:
                await self._make()
            if version == self.version:
                return version, []
            oldest = self._changes[0][0] if self._changes else self.version
            if version is None or version + 1 < oldest:
                return self.version, await self._encode_whole()
            return self.version, [text for at, texts in self._changes if at > version for text in texts]

    async def _make(self) -> None:
        await asyncio.sleep(max(0.0, self._made_at + FIGURE_SECONDS - time.monotonic()))
        self._is_old = False
        try:
            texts = await threads.drawing(self._make_texts)()
        except BaseException:
            self._is_old = True
            raise
        self._made_at = time.monotonic()
        if texts:
            self.version += 1
            self._changes.append((self.version, texts))

    def _make_texts(self) -> list[str]:
        return [orjson.dumps(message).decode() for message in self.figures.messages()]

    async def _encode_whole(self) -> list[str]:
        if self._whole[0] != self.version:
            sent = [{"figure": name, **figure} for name, figure in self.figures.sent.items()]
            texts = await threads.drawing(lambda: [orjson.dumps(figure).decode() for figure in sent])()
            self._whole = (self.version, texts)
        return self._whole[1]


_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[Key, SharedFigures]]
_by_loop = WeakKeyDictionary()


def share_figures(cluster: Cluster, names: list[str], window_ms: int | None, asked: Asked) -> SharedFigures:
    """Those that somebody of the running event loop looks at already, or new ones. They last while held."""
    held = _by_loop.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    key = (cluster.pk, tuple(names), window_ms, asked)
    found = held.get(key)
    if found is None:
        found = held[key] = SharedFigures(LiveFigures(cluster, names, window_ms, asked))
    return found
