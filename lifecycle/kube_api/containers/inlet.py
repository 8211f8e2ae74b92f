"""What a client sends to a command or a port, until somebody takes it."""

from __future__ import annotations

import asyncio
import contextlib

MOST_WAITING = 1024 * 1024
"""While so much waits nothing more is taken off the connection."""
MOST_BYTES = 16 * MOST_WAITING
"""So much may be sent in all."""


class TooMuch(Exception):
    """More than is read, in words."""


class Inlet:
    """The near end of a stream of bytes that a client writes."""

    def __init__(self) -> None:
        self.has_ended = False
        self._data = bytearray()
        self._total = 0
        self._heard, self._room = asyncio.Event(), asyncio.Event()

    async def put(self, data: bytes) -> None:
        """Take a piece in, once there is room for it. Raises TooMuch."""
        self._total += len(data)
        if self._total > MOST_BYTES:
            self.end()
            raise TooMuch(f"at most {MOST_BYTES:,} bytes are read")
        while len(self._data) >= MOST_WAITING and not self.has_ended:
            self._room.clear()
            await self._room.wait()
        if not self.has_ended:
            self._data += data
            self._heard.set()

    def end(self) -> None:
        """Nothing comes any more."""
        self.has_ended = True
        self._heard.set()
        self._room.set()

    def take(self) -> bytes:
        """What has come and was not taken yet."""
        data = bytes(self._data)
        self._data.clear()
        self._room.set()
        if not self.has_ended:
            self._heard.clear()
        return data

    async def wait(self, seconds: float) -> bool:
        """Whether something is there to take, or the end, before so many seconds have passed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._heard.wait(), seconds)
        return self._heard.is_set()

    async def gather(self, seconds: float) -> None:
        """Wait until nothing more has come for so long, there is enough, or the input has ended."""
        before = -1
        while not self.has_ended and before != len(self._data) < MOST_WAITING:
            before = len(self._data)
            await asyncio.sleep(seconds)
