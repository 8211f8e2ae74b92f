"""The certificate of our own server: good for its names, signed by an authority that stays the same."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import stat
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from lifecycle.management.both_ways import BothWays
from lifecycle.management.certificates import make_certificate

NAMES = ["localhost", "127.0.0.1", "[::1]", ".example.org", "*"]


async def greet(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An application that says which way the request came."""
    if scope["type"] == "http":
        body = scope["scheme"].encode()
        headers = [(b"connection", b"close"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def ask(port: int, context: ssl.SSLContext | None) -> bytes:
    name = "localhost" if context else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return answer.rpartition(b"\r\n\r\n")[2]


@contextlib.asynccontextmanager
async def serving(certificate: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = uvicorn.Config(greet, host="127.0.0.1", port=port, log_level="error", lifespan="off")
    server = BothWays(config, str(certificate))
    # The signals of a process that runs tests are its own.
    task = asyncio.ensure_future(server._serve())
    while not server.started or not server.servers:
        await asyncio.sleep(0.01)
    yield port
    server.should_exit = True
    await asyncio.wait_for(task, 10)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_one_port_answers_http_and_tls(tmp_path):
    authority, certificate = make_certificate(tmp_path, NAMES)
    context = ssl.create_default_context(cafile=str(authority))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    async with serving(certificate) as port:
        # One that says nothing holds nobody up, not even the server's end.
        _, silent = await asyncio.open_connection("127.0.0.1", port)
        assert await ask(port, None) == b"http"
        assert await ask(port, context) == b"https"
        assert await asyncio.gather(*(ask(port, context) for _ in range(5))) == [b"https"] * 5
        silent.close()
        await silent.wait_closed()


def test_the_authority_is_kept_and_its_key_private(tmp_path):
    authority, certificate = make_certificate(tmp_path, NAMES)
    first = authority.read_bytes(), certificate.read_bytes()
    assert make_certificate(tmp_path, NAMES) == (authority, certificate)
    assert authority.read_bytes() == first[0]
    assert certificate.read_bytes() != first[1]
    for file in (certificate, authority.with_suffix(".key")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_authority_that_cannot_be_read_is_made_again(tmp_path):
    authority, _ = make_certificate(tmp_path, NAMES)
    authority.write_text("nonsense")
    make_certificate(tmp_path, NAMES)
    assert b"BEGIN CERTIFICATE" in authority.read_bytes()
