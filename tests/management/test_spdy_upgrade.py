"""Who asks for SPDY is told to the application as a WebSocket of raw bytes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lifecycle.kube_api.containers.socket import SPDY
from lifecycle.management import spdy_upgrade
from tests.dashboard.asking.test_prompt_requests import serving

pytestmark = [pytest.mark.slow, pytest.mark.asyncio]
REQUEST = (
    b"POST /k8s/a%20b/exec?command=ls HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
    b"X-Stream-Protocol-Version: v5.channel.k8s.io\r\nX-Stream-Protocol-Version: v4.channel.k8s.io, other\r\n"
    b"Content-Length: 0\r\n\r\n"
)


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Takes who asks as it is asked, and says everything back."""
    assert (scope["type"], scope["path"], scope["query_string"]) == (
        "websocket",
        "/k8s/a b/exec",
        b"command=ls",
    )
    assert scope["subprotocols"] == ["v5.channel.k8s.io", "v4.channel.k8s.io", "other"]
    assert SPDY in scope["extensions"] and (await receive())["type"] == "websocket.connect"
    await send({"type": "websocket.accept", "subprotocol": "v4.channel.k8s.io"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "bytes": message["bytes"]})
        if message["bytes"].endswith(b"bye"):
            await send({"type": "websocket.close"})
            return


async def refuse(scope: dict[str, Any], receive: Any, send: Any) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": 403, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b"{}"})


async def close(scope: dict[str, Any], receive: Any, send: Any) -> None:
    await send({"type": "websocket.close"})


async def fail(scope: dict[str, Any], receive: Any, send: Any) -> None:
    raise RuntimeError("of the application's own")


async def talk(port: int, *parts: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(REQUEST)
    found = b""
    if parts:
        found = await reader.readuntil(b"\r\n\r\n")
    for part in parts:
        writer.write(part)
        await writer.drain()
    found += await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return found


async def test_bytes_go_both_ways_as_they_are(tmp_path):
    # Much more than waits for an application at once.
    sent = bytes(range(256)) * 8192
    assert len(sent) > spdy_upgrade.MOST_WAITING
    async with serving(tmp_path, echo) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST)
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(sent + b"bye")
        found = await asyncio.wait_for(reader.read(), 20)
        writer.close()
    assert head == (
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n"
        b"x-stream-protocol-version: v4.channel.k8s.io\r\n\r\n"
    )
    assert found == sent + b"bye"


@pytest.mark.parametrize(
    "application, expected",
    [
        (refuse, b"HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{}"),
        (close, b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
        (fail, b""),
    ],
)
async def test_a_refusal_is_an_answer(tmp_path, application, expected):
    async with serving(tmp_path, application) as port:
        assert await talk(port) == expected


async def test_who_goes_is_told_to_the_application(tmp_path):
    gone = asyncio.Event()

    async def wait(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        if (await receive())["type"] == "websocket.disconnect":
            gone.set()

    async with serving(tmp_path, wait) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST)
        await reader.readuntil(b"\r\n\r\n")
        writer.close()
        await asyncio.wait_for(gone.wait(), 10)
