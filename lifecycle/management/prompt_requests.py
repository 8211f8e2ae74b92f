"""HTTP for clients that finish what they begin.

A request that is only half sent holds its connection no longer than it may, and one that is larger than
anything read here is refused before it is. So does an answer that is not taken: whoever reads nothing of it
for long is cut off.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lifecycle.management.spdy_upgrade import SPDY, SpdyUpgrade, make_scope

# Seconds from a connection's beginning, or from the first byte of a further request, to the end of its head;
# from there to the end of its body.
HEAD_SECONDS = 15.0
BODY_SECONDS = 120.0
# Of an answer that waits to be read, so much has to go in so long: a slow line takes more.
WRITE_SECONDS = 30.0
LEAST_WRITTEN_BYTES = 16 * 1024
MOST_HEAD_BYTES = 64 * 1024
# More than any form or object may have: a form that is too large is still read, so that it can be told why.
MOST_BODY_BYTES = 32 * 1024 * 1024
_TIMEOUT = (408, b"Request Timeout", b"The request was not sent in time.\n")
_HEAD = (431, b"Request Header Fields Too Large", b"A request's head may have 64 KiB.\n")
_BODY = (413, b"Content Too Large", b"A request may have 32 MiB.\n")


class PromptRequests(HttpToolsProtocol):
    """uvicorn's, with time-outs for the two parts of a request, and limits to both."""

    hurry: asyncio.TimerHandle | None = None
    patience: asyncio.TimerHandle | None = None
    is_head = True
    received = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._hurry(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        self._be_patient(None)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Its client reads slower than the answer is made."""
        super().pause_writing()
        self._be_patient(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """It has caught up."""
        self._be_patient(None)
        super().resume_writing()

    def _be_patient(self, left_bytes: int | None) -> None:
        """Look again later how much of what is left has gone; None: there is nothing to wait for."""
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None
        if left_bytes is not None:
            self.patience = self.loop.call_later(WRITE_SECONDS, self._check_written, left_bytes)

    def _check_written(self, before_bytes: int) -> None:
        left_bytes = self.transport.get_write_buffer_size()
        if before_bytes - left_bytes < LEAST_WRITTEN_BYTES:
            # What is in its buffer goes as well: nobody reads it.
            self.transport.abort()
        else:
            self._be_patient(left_bytes)

    def data_received(self, data: bytes) -> None:
        if self.is_head:
            self.received += len(data)
            if self.hurry is None:
                self._hurry(HEAD_SECONDS)
        super().data_received(data)
        if self.is_head and self.received > MOST_HEAD_BYTES:
            self._refuse(*_HEAD)

    def _should_upgrade(self) -> bool:
        # uvicorn asks this before it answers a request itself.
        return self._get_upgrade() == SPDY or super()._should_upgrade()

    def handle_websocket_upgrade(self) -> None:
        self._rest()
        self._be_patient(None)
        if self._get_upgrade() != SPDY:
            super().handle_websocket_upgrade()
            return
        self.connections.discard(self)
        scope = make_scope(self.scope, self.url, self.root_path)
        protocol = SpdyUpgrade(self.config, self.server_state, scope)
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)

    def on_headers_complete(self) -> None:
        self.is_head, self.received = False, 0
        self._hurry(BODY_SECONDS)
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        if int(length) > MOST_BODY_BYTES:
            self._refuse(*_BODY)
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.received += len(body)
        if self.received > MOST_BODY_BYTES:
            self._refuse(*_BODY)
        elif not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._rest()
        self.is_head, self.received = True, 0
        if not self.transport.is_closing():
            super().on_message_complete()

    def _hurry(self, seconds: float) -> None:
        self._rest()
        self.hurry = self.loop.call_later(seconds, self._refuse, *_TIMEOUT)

    def _rest(self) -> None:
        if self.hurry is not None:
            self.hurry.cancel()
            self.hurry = None

    def _refuse(self, status: int, reason: bytes, text: bytes) -> None:
        """Say why, unless an answer is under way, and end the connection."""
        self._rest()
        if self.transport is None or self.transport.is_closing():
            return
        is_answering = self.cycle is not None and self.cycle.response_started
        if not is_answering or self.cycle.response_complete:
            head = (
                b"HTTP/1.1 %d %b\r\ncontent-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n"
            )
            self.transport.write(head % (status, reason, len(text)) + b"\r\n" + text)
        self.transport.close()
