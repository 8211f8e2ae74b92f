"""What a client sends to a command, until somebody takes it."""

from __future__ import annotations

import asyncio
import contextlib

MOST_WAITING = 1024 * 1024
MOST_BYTES = 16 * MOST_WAITING
"""So much may wait for the command at once, and be sent to it in all."""


class TooMuch(Exception):
    """More than is read, in words."""


class Inlet:
    """The client's end of a command's input."""

    def __init__(self) -> None:
        self.has_ended = False
        self._data = bytearray()
        self._total = 0
        self._heard = asyncio.Event()

    def put(self, data: bytes) -> None:
        """Take a piece in. Raises TooMuch."""
        self._total += len(data)
        if len(self._data) + len(data) > MOST_WAITING or self._total > MOST_BYTES:
            self.end()
            raise TooMuch(
                f"at most {MOST_WAITING:,} bytes are read at once, and {MOST_BYTES:,} by one command"
            )
        if not self.has_ended:
            self._data += data
            self._heard.set()

    def end(self) -> None:
        """Nothing comes any more."""
        self.has_ended = True
        self._heard.set()

    def take(self) -> bytes:
        """What has come and was not taken yet."""
        data = bytes(self._data)
        self._data.clear()
        if not self.has_ended:
            self._heard.clear()
        return data

    async def wait(self, seconds: float) -> bool:
        """Whether something is there to take, or the end, before so many seconds have passed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._heard.wait(), seconds)
        return self._heard.is_set()

    async def gather(self, seconds: float) -> None:
        """Wait until nothing more has come for so long, or the input has ended."""
        before = -1
        while not self.has_ended and len(self._data) != before:
            before = len(self._data)
            await asyncio.sleep(seconds)
