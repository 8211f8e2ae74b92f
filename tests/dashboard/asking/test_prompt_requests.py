"""A client that does not finish what it sends is let go; one that sends too much is told so."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from lifecycle.management import both_ways, prompt_requests
from lifecycle.management.both_ways import BothWays
from lifecycle.management.certificates import make_certificate
from lifecycle.management.prompt_requests import PromptRequests

pytestmark = pytest.mark.slow

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


async def count(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An application that says how large the body was."""
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Line:
    """A transport, its event loop and its flow: what is left to write, and what is to be looked at later."""

    def __init__(self, left_bytes: int) -> None:
        self.left_bytes, self.is_aborted = left_bytes, False
        self.later: list[Any] = []

    def get_write_buffer_size(self) -> int:
        return self.left_bytes

    def abort(self) -> None:
        self.is_aborted = True

    def call_later(self, seconds: float, work: Any, *arguments: Any) -> Any:
        assert seconds == prompt_requests.WRITE_SECONDS
        self.later = [lambda: work(*arguments)]
        return SimpleNamespace(cancel=self.later.clear)

    def pause_writing(self) -> None: ...

    resume_writing = pause_writing

    def pass_time(self, written_bytes: int) -> None:
        self.left_bytes -= written_bytes
        self.later.pop()()


def make_protocol(line: Line) -> PromptRequests:
    protocol = PromptRequests.__new__(PromptRequests)
    protocol.transport = protocol.loop = protocol.flow = line  # type: ignore[assignment]
    return protocol


def test_who_reads_nothing_of_an_answer_is_cut_off():
    line = Line(100_000)
    make_protocol(line).pause_writing()
    line.pass_time(0)
    assert line.is_aborted


def test_who_reads_slowly_is_not():
    line = Line(100_000)
    protocol = make_protocol(line)
    protocol.pause_writing()
    for _ in range(4):
        line.pass_time(20_000)
        assert not line.is_aborted
    protocol.resume_writing()
    assert not line.later
    protocol.pause_writing()
    line.pass_time(1000)
    assert line.is_aborted


async def endless(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An application that answers for as long as somebody is there."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    gone = asyncio.ensure_future(receive())
    while not gone.done() or gone.result()["type"] != "http.disconnect":
        gone = asyncio.ensure_future(receive()) if gone.done() else gone
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        await asyncio.sleep(0)


@pytest.mark.parametrize("is_tls", [False, True])
async def test_an_answer_that_nobody_reads_ends(tmp_path, monkeypatch, is_tls):
    monkeypatch.setattr(prompt_requests, "WRITE_SECONDS", 0.2)
    ended = asyncio.Event()

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        try:
            await endless(scope, receive, send)
        finally:
            ended.set()

    async with serving(tmp_path, application) as port:
        context = ssl._create_unverified_context() if is_tls else None
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, limit=1024)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.wait_for(ended.wait(), 20)
        writer.close()


@contextlib.asynccontextmanager
async def serving(folder: Any, application: Any = count):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    _, certificate = make_certificate(folder, ["localhost", "127.0.0.1"])
    config = uvicorn.Config(
        application, host="127.0.0.1", port=port, http=PromptRequests, log_level="error", lifespan="off"
    )
    server = BothWays(config, str(certificate))
    task = asyncio.ensure_future(server._serve())
    while not server.started or not server.servers:
        await asyncio.sleep(0.01)
    yield port
    server.should_exit = True
    await asyncio.wait_for(task, 10)


async def send(port: int, *parts: bytes, context: ssl.SSLContext | None = None) -> bytes:
    """Send the parts and nothing more: what comes until the server ends the connection."""
    name = "localhost" if context else None
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
    with contextlib.suppress(OSError):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.05)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    except ConnectionError:
        return b"reset"
    finally:
        writer.close()


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(prompt_requests, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(prompt_requests, "BODY_SECONDS", 0.3)
    monkeypatch.setattr(both_ways, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(both_ways, "HANDSHAKE_SECONDS", 0.3)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "parts, expected",
    [
        pytest.param([], b"", id="nothing"),
        pytest.param([b"PO"], b"408", id="the beginning of a head"),
        pytest.param([HEAD, b"X-A: 1\r\n", b"X-B: 2\r\n"], b"408", id="a head without an end"),
        pytest.param([HEAD + b"Content-Length: 9\r\n\r\n", b"12"], b"408", id="half a body"),
        pytest.param([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\n12"], b"408", id="half a chunk"),
        pytest.param([b"\x16"], b"", id="the beginning of TLS"),
        pytest.param(
            [HEAD + b"Content-Length: 2\r\n\r\n12", HEAD], b"408", id="a second request without an end"
        ),
    ],
)
async def test_a_request_that_is_half_sent_is_not_waited_for(tmp_path, hasty, parts, expected):
    async with serving(tmp_path) as port:
        answer = await send(port, *parts)
    assert expected in answer if expected else answer in (b"", b"reset")


@pytest.mark.asyncio
async def test_over_tls_as_well(tmp_path, hasty, monkeypatch):
    monkeypatch.setattr(both_ways, "HANDSHAKE_SECONDS", 5.0)
    async with serving(tmp_path) as port:
        context = ssl.create_default_context(cafile=str(tmp_path / "tls" / "authority.pem"))
        assert b" 408 " in await send(port, HEAD, context=context)


@pytest.mark.asyncio
async def test_who_finishes_in_time_is_answered_again_and_again(tmp_path):
    request = HEAD + b"Content-Length: 3\r\n\r\nabc"
    async with serving(tmp_path) as port:
        answer = await send(port, request, request[:20], request[20:], request * 2)
    assert answer.count(b" 200 ") == 4 and b"408" not in answer


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "parts, expected",
    [
        pytest.param([HEAD, *[b"X-A: " + b"a" * 1000 + b"\r\n"] * 4], b" 431 ", id="a head"),
        pytest.param([HEAD + b"Content-Length: 5000\r\n\r\n"], b" 413 ", id="a length"),
        pytest.param(
            [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"3e8\r\n" + b"a" * 1000 + b"\r\n"] * 5],
            b" 413 ",
            id="chunks",
        ),
    ],
)
async def test_more_than_is_read_here_is_refused_at_once(tmp_path, monkeypatch, parts, expected):
    monkeypatch.setattr(prompt_requests, "MOST_HEAD_BYTES", 4000)
    monkeypatch.setattr(prompt_requests, "MOST_BODY_BYTES", 4000)
    async with serving(tmp_path) as port:
        assert expected in await send(port, *parts)
