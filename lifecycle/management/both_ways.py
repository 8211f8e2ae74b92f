"""uvicorn on one port for both HTTP and TLS: a connection's first byte says which it is.

Browsers come as they always did; kubectl, which sends its token over TLS only, finds TLS at the same address.
"""

import asyncio
import contextlib
import socket
import ssl
from typing import Any

import uvicorn

HANDSHAKE = 0x16
"""The first byte of a TLS connection; no HTTP request begins so."""
SILENT_SECONDS = 30.0
"""A connection that says nothing for so long is closed."""
HANDSHAKE_SECONDS = 10.0
"""So long may it take to agree on TLS."""


class Listener:
    """Accepts connections of one socket and hands each to a protocol, over TLS where the client speaks it."""

    def __init__(self, listening: socket.socket, make_protocol: Any, context: ssl.SSLContext) -> None:
        self.listening = listening
        self.make_protocol = make_protocol
        self.context = context
        self.greeted: set[asyncio.Task[None]] = set()
        self.accepting = asyncio.ensure_future(self._accept())

    def close(self) -> None:
        """Take no further connection, and let go of those that have not said anything yet."""
        for task in (self.accepting, *self.greeted):
            task.cancel()
        self.listening.close()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for after `close`."""

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self.listening)
            except OSError:
                # No file left for another connection: some will end.
                await asyncio.sleep(0.1)
                continue
            task = asyncio.ensure_future(self._greet(connection))
            self.greeted.add(task)
            task.add_done_callback(self.greeted.discard)

    async def _greet(self, connection: socket.socket) -> None:
        """Look at the first byte without taking it, then let the protocol take over."""
        is_taken = False
        try:
            connection.setblocking(False)
            await asyncio.wait_for(_wait_readable(connection), SILENT_SECONDS)
            first = connection.recv(1, socket.MSG_PEEK)
            if not first:
                return
            is_taken = True
            await asyncio.get_running_loop().connect_accepted_socket(
                self.make_protocol, connection, **self._tls() if first[0] == HANDSHAKE else {}
            )
        # Whoever breaks off, or fails to agree on a cipher, has only itself to tell.
        except (OSError, TimeoutError):
            pass
        finally:
            if not is_taken:
                connection.close()

    def _tls(self) -> dict[str, Any]:
        return {"ssl": self.context, "ssl_handshake_timeout": HANDSHAKE_SECONDS, "ssl_shutdown_timeout": 5.0}


async def _wait_readable(connection: socket.socket) -> None:
    loop, handle = asyncio.get_running_loop(), connection.fileno()
    readable: asyncio.Future[None] = loop.create_future()

    def note() -> None:
        if not readable.done():
            readable.set_result(None)

    loop.add_reader(handle, note)
    try:
        await readable
    finally:
        loop.remove_reader(handle)


class BothWays(uvicorn.Server):
    """A uvicorn whose listener answers HTTP and TLS alike."""

    def __init__(self, config: uvicorn.Config, certificate: str) -> None:
        super().__init__(config)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.context.set_alpn_protocols(["http/1.1"])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, but for the listener."""
        await super().startup(sockets=[])
        listening = _listen(self.config)
        self.servers.append(Listener(listening, self._make_protocol, self.context))  # type: ignore[arg-type]

    def _make_protocol(self) -> Any:
        protocol: Any = self.config.http_protocol_class
        return protocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def _listen(config: uvicorn.Config) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        config.host, config.port, type=socket.SOCK_STREAM
    )[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with contextlib.suppress(OSError):
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listening.bind(address)
    listening.listen(config.backlog)
    listening.setblocking(False)
    return listening
