"""Ports that are forwarded: HTTP/1.x is answered, closed ports are refused, other bytes are no secret."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from lifecycle.kube_api.containers import forwarding, links, socket
from lifecycle.kube_api.containers.forwarding import Forwarding
from lifecycle.kube_api.containers.http import MOST_HEAD_BYTES, NotHttp, Request, Requests, write_answer
from lifecycle.kube_api.containers.inlet import Inlet
from lifecycle.kube_api.containers.links import ChannelForward, SpdyForward
from lifecycle.kube_api.spdy import frames
from lifecycle.kube_api.spdy.frames import Data, Reader, Reset, Writer

GET = b"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n"
PAGES = {"/": (200, "hello\n"), "/a?b=c": (200, None), "/none": (404, "")}


@pytest.mark.parametrize(
    "given, expected",
    [
        pytest.param(GET, [Request("GET", "/a?b=c", True)], id="a request"),
        pytest.param(GET * 2, [Request("GET", "/a?b=c", True)] * 2, id="two at once"),
        pytest.param(GET[:-2], [], id="half a head"),
        pytest.param(b"GET / HTTP/1.0\r\n\r\n", [Request("GET", "/", False)], id="HTTP/1.0"),
        pytest.param(
            b"HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n", [Request("HEAD", "/", False)], id="the last one"
        ),
        pytest.param(
            b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" + GET,
            [Request("POST", "/", True), Request("GET", "/a?b=c", True)],
            id="a body is read over",
        ),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", [], id="half a body"),
        pytest.param(
            b"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            [Request("PUT", "/", True)],
            id="chunks",
        ),
        pytest.param(b"GET http://x/a HTTP/1.1\r\n\r\n", [Request("GET", "/a", True)], id="as to a proxy"),
        pytest.param(
            b"GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            [Request("GET", "/ws", False)],
            id="a WebSocket is answered as a request",
        ),
    ],
)
def test_requests_are_read(given, expected):
    assert Requests().feed(given) == expected
    requests = Requests()
    assert [one for byte in given for one in requests.feed(bytes([byte]))] == expected


@pytest.mark.parametrize(
    "given",
    [
        b"PING\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"*1\r\n$4\r\nPING\r\n",
        b"GET /" + b"x" * MOST_HEAD_BYTES,
    ],
)
def test_what_is_no_http_is_told_apart(given):
    with pytest.raises(NotHttp):
        Requests().feed(given)


@pytest.mark.parametrize(
    "request_, status, text, head, body",
    [
        (Request("GET", "/", True), 200, "hi\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", b"hi\n"),
        (Request("HEAD", "/", True), 200, "hi\n", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", b""),
        (Request("GET", "/", True), 503, None, b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0", b""),
        (Request("GET", "/", True), 204, "", b"HTTP/1.1 204 No Content\r\nContent-Type", b""),
        (Request("GET", "/", True), 299, "", b"HTTP/1.1 299 \r\n", b""),
    ],
)
def test_answers_are_written(request_, status, text, head, body):
    answer = write_answer(request_, {"status": status, "text": text})
    assert answer.startswith(head) and answer.partition(b"\r\n\r\n")[2] == body
    assert (b"X-Podline" in answer) == (text is None)


class Cluster:
    """What the cluster says of connections; port 80 is open."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[int, str]] = []
        monkeypatch.setattr(forwarding, "connect", self.connect)
        monkeypatch.setattr(forwarding.threads, "waiting", self.at_once)
        monkeypatch.setattr(forwarding, "in_thread", self.at_once)
        monkeypatch.setattr(forwarding.limits, "take_exec", lambda user, holder: lambda: None)

    def at_once(self, work: Any) -> Any:
        async def run(*arguments: Any) -> Any:
            return work(*arguments)

        return run

    def connect(self, cluster: Any, pod: Any, port: int, path: str, user: Any) -> dict[str, Any]:
        self.asked.append((port, path))
        status, text = PAGES.get(path, (404, ""))
        return {"isConnected": port == 80, "status": status, "text": text}

    def forward(self) -> Forwarding:
        pod: Any = SimpleNamespace(name="p", namespace="default", uid="u-1")
        right: Any = lambda: True  # noqa: E731
        return Forwarding(None, pod, None, right)  # type: ignore[arg-type]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    return Cluster(monkeypatch)


REFUSED = "error forwarding port 81 to pod p, uid u-1: failed to execute portforward in network namespace: "


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "port, given, bodies, problem",
    [
        (80, GET + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", [b"", b"hello\n"], ""),
        (80, b"", [], ""),
        (80, GET[:10], [], ""),
        (81, GET, [], REFUSED),
        (80, b"PING\r\n", [], "error forwarding port 80 to pod p, uid u-1: the program is simulated"),
    ],
)
async def test_a_connection_is_answered_to_its_end(cluster, port, given, bodies, problem):
    inlet, sent = Inlet(), []

    async def write(data: bytes) -> None:
        sent.append(data)

    await inlet.put(given)
    inlet.end()
    told = await cluster.forward().serve(port, inlet, write)
    assert told.startswith(problem) and bool(told) == bool(problem)
    assert [one.partition(b"\r\n\r\n")[2] for one in sent] == bodies
    if port == 81:
        assert "dial tcp4 127.0.0.1:81: connect: connection refused" in told


@pytest.mark.asyncio
async def test_who_waits_to_send_a_body_is_told_to(cluster):
    inlet, sent = Inlet(), []

    async def write(data: bytes) -> None:
        sent.append(data)
        if data == forwarding.CONTINUE:
            await inlet.put(b"abc")
            inlet.end()

    await inlet.put(b"POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    assert await asyncio.wait_for(cluster.forward().serve(80, inlet, write), 5) == ""
    assert len(sent) == 2


@pytest.mark.asyncio
async def test_channels_begin_with_their_port_and_errors_have_their_own(cluster):
    sent: list[bytes] = []

    async def send(data: bytes) -> None:
        sent.append(data)

    link = ChannelForward(send, cluster.forward(), [80, 81])
    await link.receive(b"\0" + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    for junk in (b"", b"\x01no", b"\x09no"):
        await link.receive(junk)
    await asyncio.wait_for(link.carry(), 5)
    assert sent[:4] == [b"\0P\0", b"\1P\0", b"\2Q\0", b"\3Q\0"]
    assert b"".join(one[1:] for one in sent[4:] if one[0] == 0).endswith(b"hello\n")
    assert [one[1:].decode().startswith(REFUSED) for one in sent[4:] if one[0] == 3] == [True]


class SpdyClient:
    """What kubectl does: two streams for each connection, with the number of the request."""

    def __init__(self, cluster: Cluster) -> None:
        self.writer, self.reader = Writer(), Reader()
        self.heard: list[Any] = []
        self.link = SpdyForward(self.hear, cluster.forward())
        self.work = asyncio.ensure_future(self.link.carry())

    async def hear(self, data: bytes) -> None:
        self.heard += self.reader.feed(data)

    async def open(self, first: int, port: int | str, request: str = "", given: bytes = b"") -> None:
        for stream, kind in ((first, "error"), (first + 2, "data")):
            headers = {"streamtype": kind, "port": str(port), **({"requestid": request} if request else {})}
            await self.link.receive(self.writer.open(stream, headers))
        await self.link.receive(frames.data(first, b"", True) + frames.data(first + 2, given))

    async def until(self, count: int) -> None:
        for _ in range(2000):
            if sum(isinstance(one, Reset) or one.is_end for one in self.heard) >= count:
                return
            await asyncio.sleep(0.001)
        raise AssertionError(self.heard)

    async def leave(self) -> None:
        self.link.end()
        await asyncio.wait_for(self.work, 5)

    def body(self, stream: int) -> bytes:
        return b"".join(one.data for one in self.heard if isinstance(one, Data) and one.stream == stream)


@pytest.mark.asyncio
@pytest.mark.parametrize("is_old", [False, True])
async def test_spdy_forwards_connections_side_by_side(cluster, is_old):
    client = SpdyClient(cluster)
    last = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
    await client.open(1, 80, "" if is_old else "0", last)
    await client.open(5, 81, "" if is_old else "1")
    await client.until(4)
    assert client.body(3).endswith(b"hello\n") and client.body(1) == b""
    assert client.body(5).decode().startswith(REFUSED) and Reset(7) in client.heard
    await client.open(9, 80, "" if is_old else "2", last)
    await client.until(6)
    assert client.body(11).endswith(b"hello\n")
    await client.leave()


@pytest.mark.asyncio
@pytest.mark.parametrize("port", ["", "0", "65536", "http", "-1", "٣"])
async def test_streams_without_a_good_port_are_refused(cluster, port):
    client = SpdyClient(cluster)
    await client.open(1, port, "0")
    await client.until(2)
    assert Reset(1) in client.heard and Reset(3) in client.heard and not cluster.asked
    await client.leave()


@pytest.mark.asyncio
async def test_one_client_has_so_many_connections(cluster, monkeypatch):
    monkeypatch.setattr(links, "MOST_CONNECTIONS", 2)
    client = SpdyClient(cluster)
    for number in range(3):
        await client.open(4 * number + 1, 80, str(number))
    await client.until(2)
    assert Reset(9) in client.heard and Reset(11) in client.heard
    # The others go on.
    await client.link.receive(frames.data(3, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"))
    await client.until(4)
    assert client.body(3).endswith(b"hello\n")
    await client.leave()


@pytest.mark.asyncio
async def test_what_is_no_spdy_ends_the_connection(cluster):
    client = SpdyClient(cluster)
    await client.open(1, 80, "0")
    await client.link.receive(b"GET / HTTP/1.1\r\n\r\n")
    await asyncio.wait_for(client.work, 5)


def test_the_names_of_protocols_are_kubernetes():
    """apimachinery's util/portforward and util/remotecommand."""
    assert (socket.TUNNEL, socket.FORWARD) == ("SPDY/3.1+portforward.k8s.io", "portforward.k8s.io")
