"""After commit, one frame per cluster to everyone who watches it. A lost frame shows as a gap, never more.

The Channels layer is asynchronous; this process keeps one event loop in a thread of its own, so that
connections live, frames stay in order, and a slow Redis never holds a turn up. Frames of a cluster that
cannot be sent yet, because Redis is slow or web servers asked for fewer, become one.
"""

import asyncio
import contextlib
import logging
import threading
import time
from functools import cache
from typing import Any

from channels.layers import get_channel_layer

from lifecycle import frames
from lifecycle.runs import messages

log = logging.getLogger(__name__)

SEND_SECONDS = 5.0
# How often web servers are asked whether they keep up.
PACE_LOOK_SECONDS = 0.5


class _Sender:
    """A thread with an event loop that sends each cluster's next frame when it may."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.waiting: dict[str, frames.Frame] = {}
        self.something = asyncio.Event()
        self.sent_at: dict[str, float] = {}
        self.pace, self.looked_at = 0.0, 0.0

    def start(self) -> None:
        """Send from now on."""
        threading.Thread(target=self._run, name="publisher", daemon=True).start()

    def _run(self) -> None:
        self.loop.run_until_complete(self._send_for_ever())

    async def _send_for_ever(self) -> None:
        wait_seconds: float | None = None
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.something.wait(), wait_seconds)
            self.something.clear()
            wait_seconds = await self.send_due()

    async def send_due(self) -> float | None:
        """A frame of every cluster whose last one is old enough; how soon the next may go, if any waits."""
        await self._look_at_pace()
        early = []
        for group in list(self.waiting):
            seconds = self.sent_at.get(group, 0.0) + self.pace - time.monotonic()
            if seconds > 0:
                early.append(seconds)
                continue
            self.sent_at[group] = time.monotonic()
            await _send(group, frames.group_message(self.waiting.pop(group)))
        return min(early, default=None)

    async def _look_at_pace(self) -> None:
        if time.monotonic() - self.looked_at > PACE_LOOK_SECONDS:
            self.looked_at = time.monotonic()
            self.pace = await asyncio.to_thread(messages.carrier().frame_pace)
            if not self.pace:
                self.sent_at.clear()

    def add(self, group: str, frame: frames.Frame) -> None:
        self.loop.call_soon_threadsafe(self.put, group, frame)

    def put(self, group: str, frame: frames.Frame) -> None:
        """Let a frame wait; it joins the one that already does."""
        before = self.waiting.get(group)
        self.waiting[group] = frame if before is None else frames.join(before, frame)
        if before is None:
            self.something.set()


@cache
def _sender() -> _Sender:
    sender = _Sender()
    sender.start()
    return sender


def publish(group: str, frame: frames.Frame) -> None:
    """Hand a frame to the group; returns at once."""
    _sender().add(group, frame)


def tell_of_check(group: str, check: str) -> None:
    """Tell the group that a check has come further; returns at once. Lost, it is told with the next step."""
    message = {"type": "cluster.check", "check": check}
    asyncio.run_coroutine_threadsafe(_send(group, message), _sender().loop)


async def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await asyncio.wait_for(layer.group_send(group, message), SEND_SECONDS)
    # Whatever fails on the way is seen by watchers as a gap, which they close by asking again.
    except Exception as problem:
        log.warning("frame not sent: %s", problem, extra={"group": group})
