"""Is this web server keeping up? While it is not, engine workers are asked for fewer, wider frames.

What is measured is how late the event loop wakes a sleeper: everything a browser waits for waits as long.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from lifecycle.runs.celery import broker

LOOK_SECONDS = 0.25
# Later than this twice in a row is too much; below the second figure there is time to spare.
LATE_SECONDS, EARLY_SECONDS = 0.1, 0.03
NARROWEST_SECONDS, WIDEST_SECONDS = 0.1, 1.0


def decide_pace(pace: float, late_seconds: float) -> float:
    """Seconds between two frames of a cluster: doubled while the loop is late, halved when it is not."""
    if late_seconds > LATE_SECONDS:
        return min(WIDEST_SECONDS, max(NARROWEST_SECONDS, pace * 2))
    if late_seconds < EARLY_SECONDS:
        return pace / 2 if pace > NARROWEST_SECONDS else 0.0
    return pace


class Load:
    """Looks while anybody watches, in the event loop of the watchers."""

    def __init__(self) -> None:
        self.watchers = 0
        self.looking: asyncio.Task[None] | None = None

    def join(self) -> None:
        """One more browser watches."""
        self.watchers += 1
        if self.looking is None or self.looking.done():
            self.looking = asyncio.create_task(self._look())

    def leave(self) -> None:
        """One less."""
        self.watchers -= 1
        if not self.watchers and self.looking is not None:
            self.looking.cancel()
            self.looking = None

    async def _look(self) -> None:
        loop, pace, late_before = asyncio.get_running_loop(), 0.0, 0.0
        while True:
            began = loop.time()
            await asyncio.sleep(LOOK_SECONDS)
            late = loop.time() - began - LOOK_SECONDS
            pace = decide_pace(pace, min(late, late_before))
            late_before = late
            if pace:
                await asyncio.to_thread(broker.ask_for_pace, pace)


_loads: WeakKeyDictionary[asyncio.AbstractEventLoop, Load] = WeakKeyDictionary()


def of_this_loop() -> Load:
    """The one of the running event loop; a server process has one loop."""
    return _loads.setdefault(asyncio.get_running_loop(), Load())
