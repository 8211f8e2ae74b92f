"""Threads for what waits or asks the database beside the event loop, in a pool for each purpose.

asyncio's own pool has some six threads for everybody. What one user can make wait in it, everyone waits for:
so what waits for long, what is worked out, and what is quickly read have threads of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from channels.db import DatabaseSyncToAsync
from django.db import close_old_connections, connections


class Pool:
    """So many threads at most, each made when it is needed first."""

    def __init__(self, purpose: str, most: int) -> None:
        self.most = most
        self._executor = ThreadPoolExecutor(most, thread_name_prefix=purpose)

    def __call__(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, to be awaited while one of these threads does it."""
        later: Callable[..., Any] = DatabaseSyncToAsync(work, thread_sensitive=False, executor=self._executor)
        return later


class _Task(NamedTuple):
    work: Callable[[], Any]
    done: asyncio.Future[Any]


class Crew:
    """As many threads as there is work at once. So many stay, each with its connection to the database.

    To connect costs more than most requests ask. Who worked last works first, so that few are warm, not all
    a little; whoever finds enough others idle ends.
    """

    def __init__(self, purpose: str, kept: int) -> None:
        self.purpose, self.kept = purpose, kept
        self._idle: list[SimpleQueue[_Task | None]] = []
        self._lock = Lock()

    def __call__(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same work, to be awaited while one of these threads does it."""

        def later(*arguments: Any) -> asyncio.Future[Any]:
            done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._find_thread().put(_Task(lambda: work(*arguments), done))
            return done

        return later

    def close(self) -> None:
        """End the threads that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)

    def count_idle(self) -> int:
        """How many threads wait for work."""
        return len(self._idle)

    def _find_thread(self) -> SimpleQueue[_Task | None]:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        inbox: SimpleQueue[_Task | None] = SimpleQueue()
        Thread(target=self._work, args=(inbox,), name=self.purpose, daemon=True).start()
        return inbox

    def _work(self, inbox: SimpleQueue[_Task | None]) -> None:
        for one in connections.all():
            # A database that was started again has closed what was kept: that is noticed before it is used.
            one.settings_dict = {**one.settings_dict, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
        try:
            while (task := inbox.get()) is not None:
                settle = _try(task)
                close_old_connections()
                is_kept = self._rest(inbox)
                with suppress(RuntimeError):
                    # Its loop may be gone.
                    task.done.get_loop().call_soon_threadsafe(settle)
                # Nothing of the work is held until the next comes.
                del task, settle
                if not is_kept:
                    return
        finally:
            connections.close_all()

    def _rest(self, inbox: SimpleQueue[_Task | None]) -> bool:
        with self._lock:
            is_kept = len(self._idle) < self.kept
            if is_kept:
                self._idle.append(inbox)
        return is_kept


def _try(task: _Task) -> Callable[[], None]:
    """Do the work; what is left is to tell, on its event loop, what came of it."""
    try:
        result = task.work()
    except BaseException as problem:
        failed = problem
        return lambda: None if task.done.done() else task.done.set_exception(failed)
    return lambda: None if task.done.done() else task.done.set_result(result)


reading = Pool("reading", 8)
"""Short looks at the database: pages' sockets, logs, tokens."""
drawing = Pool("drawing", 4)
"""Figures: as long as many pods take."""
listing = Pool("listing", 4)
"""Parts of long lists."""
agents = Pool("agents", 8)
"""Tools that agents call, each until its cluster answers, or its copy of the engine has told."""
waiting = Pool("waiting", 64)
"""Commands in containers, each until its cluster answers; `limits.take_exec` leaves room for other users."""
answering = Crew("answering", kept=16)
"""Requests of the Kubernetes API: each for as long as its answer takes, a write's until it is carried out.

And the feeds of its watches, of which so many ask at once as `watching.feed` lets."""
