"""After commit, one frame per cluster to everyone who watches it. A lost frame shows as a gap, never more.

The Channels layer is asynchronous; this process keeps one event loop in a thread of its own, so that
connections live, frames stay in order, and a slow Redis never holds a turn up.
"""

import asyncio
import logging
import threading
from functools import cache
from typing import Any

from channels.layers import get_channel_layer

from lifecycle import frames

log = logging.getLogger(__name__)

# With Redis gone frames pile up; past this many the newest are dropped and watchers see a gap.
MAX_WAITING = 1000
SEND_SECONDS = 5.0

Message = tuple[str, dict[str, Any]]


class _Sender:
    """A thread with an event loop that sends one message after the other."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.waiting: asyncio.Queue[Message] = asyncio.Queue(MAX_WAITING)
        threading.Thread(target=self._run, name="publisher", daemon=True).start()

    def _run(self) -> None:
        self.loop.run_until_complete(self._send_for_ever())

    async def _send_for_ever(self) -> None:
        while True:
            group, message = await self.waiting.get()
            await _send(group, message)

    def add(self, message: Message) -> None:
        self.loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Message) -> None:
        if not self.waiting.full():
            self.waiting.put_nowait(message)


@cache
def _sender() -> _Sender:
    return _Sender()


def publish(group: str, frame: frames.Frame) -> None:
    """Hand a frame to the group; returns at once."""
    _sender().add((group, frames.group_message(frame)))


async def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await asyncio.wait_for(layer.group_send(group, message), SEND_SECONDS)
    # Whatever fails on the way is seen by watchers as a gap, which they close by asking again.
    except Exception as problem:
        log.warning("frame not sent: %s", problem, extra={"group": group})
