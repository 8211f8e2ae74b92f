"""Threads for what waits or asks the database beside the event loop, in a pool for each purpose.

asyncio's own pool has some six threads for everybody. What one user can make wait in it, everyone waits for:
so what waits for long, what is worked out, and what is quickly read have threads of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from channels.db import DatabaseSyncToAsync


class Pool:
    """So many threads at most, each made when it is needed first."""

    def __init__(self, purpose: str, most: int) -> None:
        self.most = most
        self._executor = ThreadPoolExecutor(most, thread_name_prefix=purpose)

    def __call__(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, to be awaited while one of these threads does it."""
        later: Callable[..., Any] = DatabaseSyncToAsync(work, thread_sensitive=False, executor=self._executor)
        return later


reading = Pool("reading", 8)
"""Short looks at the database: watches, pages' sockets, logs, tokens."""
drawing = Pool("drawing", 4)
"""Figures: as long as many pods take."""
listing = Pool("listing", 4)
"""Parts of long lists."""
agents = Pool("agents", 8)
"""Tools that agents call, each until its cluster answers, or its copy of the engine has told."""
waiting = Pool("waiting", 64)
"""Commands in containers, each until its cluster answers; `limits.take_exec` leaves room for other users."""
