"""Connections that are upgraded to SPDY/3.1, told to the application as WebSockets of raw bytes.

ASGI knows no such upgrade. So the scope is a WebSocket's, with the client's stream protocols as subprotocols
and an extension that says what it is; accepting it answers 101, and from there on bytes go as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn.config import Config
from uvicorn.server import ServerState

SPDY = b"spdy/3.1"
EXTENSION = "podline.spdy"
PROTOCOLS = b"x-stream-protocol-version"
MOST_WAITING = 256 * 1024
"""While so many bytes wait for the application, no more are read."""


def make_scope(http_scope: Any, url: bytes, root_path: str) -> dict[str, Any]:
    """The scope of such a connection, of that of the request for it."""
    parsed = httptools.parse_url(url)
    offered = [value for name, value in http_scope["headers"] if name == PROTOCOLS]
    words = (word.strip() for value in offered for word in value.decode("latin-1").split(","))
    return {
        **http_scope,
        "type": "websocket",
        "scheme": "wss" if http_scope["scheme"] == "https" else "ws",
        "path": root_path + unquote(parsed.path.decode("ascii", "replace")),
        "raw_path": root_path.encode("ascii") + parsed.path,
        "query_string": parsed.query or b"",
        "subprotocols": [word for word in words if word],
        "extensions": {"websocket.http.response": {}, EXTENSION: {}},
    }


class SpdyUpgrade(asyncio.Protocol):
    """One such connection, from the request on."""

    def __init__(self, config: Config, server_state: ServerState, scope: dict[str, Any]) -> None:
        self._app: Any = config.loaded_app
        self._state, self._scope = server_state, scope
        self._received: deque[bytes] = deque()
        self._waiting = 0
        self._heard, self._writable = asyncio.Event(), asyncio.Event()
        self._is_first = True
        self._is_gone = self._is_accepted = False
        self._writable.set()

    def connection_made(self, transport: Any) -> None:
        """Ask the application."""
        self._transport = transport
        self._state.connections.add(self)  # type: ignore[arg-type]
        task = asyncio.get_running_loop().create_task(self._run())
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._state.connections.discard(self)
        self._is_gone = True
        self._heard.set()
        self._writable.set()

    def eof_received(self) -> None:
        """Its half is closed, which ends the whole."""

    def data_received(self, data: bytes) -> None:
        """Bytes for the application."""
        self._received.append(data)
        self._waiting += len(data)
        self._heard.set()
        if self._waiting > MOST_WAITING:
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        """The client reads slower than is sent."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._writable.set()

    def shutdown(self) -> None:
        """The server stops."""
        self._transport.close()

    async def _run(self) -> None:
        with contextlib.suppress(Exception):
            await self._app(self._scope, self._receive, self._send)
        self._transport.close()

    async def _receive(self) -> dict[str, Any]:
        if self._is_first:
            self._is_first = False
            return {"type": "websocket.connect"}
        while not self._received:
            if self._is_gone:
                return {"type": "websocket.disconnect", "code": 1006}
            self._heard.clear()
            await self._heard.wait()
        data = b"".join(self._received)
        self._received.clear()
        self._waiting = 0
        if not self._is_gone:
            self._transport.resume_reading()
        return {"type": "websocket.receive", "bytes": data}

    async def _send(self, message: Any) -> None:
        match message["type"]:
            case "websocket.accept":
                self._is_accepted = True
                chosen = message.get("subprotocol")
                self._write_head(101, {"connection": "Upgrade", "upgrade": "SPDY/3.1"}, chosen)
            case "websocket.send":
                await self._writable.wait()
                if not self._is_gone:
                    self._transport.write(message.get("bytes") or b"")
            case "websocket.http.response.start":
                headers = {name.decode(): value.decode("latin-1") for name, value in message["headers"]}
                self._write_head(message["status"], {**headers, "connection": "close"})
            case "websocket.http.response.body":
                self._transport.write(message.get("body", b""))
                if not message.get("more_body"):
                    self._transport.close()
            case "websocket.close":
                if not self._is_accepted:
                    self._write_head(403, {"content-length": "0", "connection": "close"})
                self._transport.close()

    def _write_head(self, status: int, headers: dict[str, str], chosen: str | None = None) -> None:
        if self._is_gone:
            return
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if chosen:
            lines.append(f"{PROTOCOLS.decode()}: {chosen}")
        self._transport.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
