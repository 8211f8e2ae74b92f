"""exec and port-forward from end to end: SPDY by itself, and inside of a WebSocket."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator

from lifecycle import tokens
from lifecycle.kube_api.containers import socket
from lifecycle.kube_api.routing import websocket_urlpatterns
from lifecycle.kube_api.spdy import frames
from lifecycle.kube_api.spdy.frames import Data, Reader, Reset, Writer
from tests.dashboard.conftest import make_user
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
in_thread = sync_to_async
POD = "/k8s/shop/api/v1/namespaces/default/pods/p"
V4 = "v4.channel.k8s.io"


class Client:
    """A client's end of SPDY, by itself or in a WebSocket's messages."""

    def __init__(self, token: str, action: str, protocols: list[str], is_raw: bool, **asked: Any) -> None:
        query = urlencode({"stdout": "true", "stderr": "true", **asked}, doseq=True)
        headers = [(b"authorization", f"Bearer {token}".encode())]
        path = f"{POD}/{action}?{query}"
        self.socket = WebsocketCommunicator(URLRouter(websocket_urlpatterns), path, headers, protocols)
        self.socket.scope["extensions"] = {"websocket.http.response": {}} | (
            {socket.SPDY: {}} if is_raw else {}
        )
        self.writer, self.reader, self.next = Writer(), Reader(), 1

    async def connect(self) -> Any:
        await self.socket.send_input({"type": "websocket.connect"})
        return await self.socket.receive_output(5)

    async def open(self, **headers: str) -> int:
        await self.say(self.writer.open(self.next, headers))
        self.next += 2
        return self.next - 2

    async def say(self, data: bytes) -> None:
        await self.socket.send_to(bytes_data=data)

    async def hear(self, ends: int = 10_000) -> dict[int, bytes]:
        """What was said on each stream, until so many have ended, or the connection."""
        heard: dict[int, bytes] = {}
        while ends:
            message = await self.socket.receive_output(5)
            if message["type"] == "websocket.close":
                break
            for frame in self.reader.feed(message["bytes"]):
                if isinstance(frame, Data):
                    heard[frame.stream] = heard.get(frame.stream, b"") + frame.data
                ends -= isinstance(frame, Reset) or (isinstance(frame, Data) and frame.is_end)
        return heard


async def start(
    shop: Shop, action: str, protocols: list[str], is_raw: bool = True, **asked: Any
) -> tuple[Client, Any]:
    token = await in_thread(lambda: tokens.issue(shop.cluster.owner, shop.cluster))()
    client = Client(token, action, protocols, is_raw, **asked)
    return client, await client.connect()


async def open_streams(client: Client, *kinds: str) -> dict[str, int]:
    return {kind: await client.open(streamtype=kind) for kind in kinds}


@pytest.mark.parametrize("protocol", [V4, "v2.channel.k8s.io", None])
async def test_a_command_by_spdy(serving, protocol):
    offered = [protocol] if protocol else []
    client, answer = await start(
        serving, "exec", offered, command=["sh", "-c", "echo out; echo err >&2; exit 3"]
    )
    assert (answer["type"], answer.get("subprotocol")) == ("websocket.accept", protocol)
    streams = await open_streams(client, "error", "stdout", "stderr")
    heard = await client.hear()
    assert (heard[streams["stdout"]], heard[streams["stderr"]]) == (b"out\n", b"err\n")
    said = heard[streams["error"]]
    if protocol == V4:
        assert orjson.loads(said)["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]
    else:
        # Before v4 there was a text, and nothing where all went well.
        assert said.startswith(b"command terminated with non-zero exit code")


async def test_a_shell_by_spdy_answers_each_line(serving):
    client, _ = await start(serving, "exec", ["v5.channel.k8s.io", V4], stdin="true", command=["sh"])
    streams = await open_streams(client, "error", "stdin", "stdout", "stderr")
    for said, answer in {b"cd /tmp; pwd\n": b"/tmp\n", b"pwd\n": b"/tmp\n"}.items():
        await client.say(frames.data(streams["stdin"], said))
        heard = {}
        while not heard:
            for frame in client.reader.feed((await client.socket.receive_output(5))["bytes"]):
                if isinstance(frame, Data) and frame.data:
                    heard[frame.stream] = frame.data
        assert heard == {streams["stdout"]: answer}
    await client.say(frames.data(streams["stdin"], b"exit 7\n", True))
    assert orjson.loads((await client.hear())[streams["error"]])["details"]["causes"][0]["message"] == "7"


async def test_what_was_written_by_spdy_is_read_when_its_half_is_closed(serving):
    client, _ = await start(serving, "exec", [V4], stdin="true", command=["cat"])
    streams = await open_streams(client, "error", "stdin", "stdout", "stderr")
    await client.say(frames.data(streams["stdin"], b"a" * 100_000, True))
    heard = await client.hear()
    assert heard[streams["stdout"]] == b"a" * 100_000
    assert orjson.loads(heard[streams["error"]])["status"] == "Success"


async def test_a_terminal_by_spdy_has_a_size_and_no_errors_of_its_own(serving):
    client, _ = await start(serving, "exec", [V4], stdin="true", tty="true", stderr="false", command=["sh"])
    streams = await open_streams(client, "error", "stdin", "stdout", "resize")
    await client.say(frames.data(streams["resize"], b'{"Width":80,"Height":24}\n'))
    await client.say(frames.data(streams["stdin"], b"nosuchprogram\rexit\r"))
    assert b"not found\r\n/ # " in (await client.hear())[streams["stdout"]]


@pytest.mark.parametrize("is_raw, protocol", [(True, socket.FORWARD), (False, socket.TUNNEL)])
async def test_ports_by_spdy(serving, is_raw, protocol):
    client, answer = await start(serving, "portforward", [protocol], is_raw)
    assert answer["subprotocol"] == protocol
    numbers = []
    for request, port in (("0", "8080"), ("1", "81")):
        error, data = [
            await client.open(streamtype=kind, port=port, requestid=request) for kind in ("error", "data")
        ]
        await client.say(frames.data(error, b"", True))
        await client.say(frames.data(data, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"))
        numbers += [error, data]
    heard = await client.hear(4)
    assert heard[numbers[1]].startswith(b"HTTP/1.1 200 OK") and heard[numbers[1]].endswith(b"hello\n")
    assert b"connection refused" in heard[numbers[2]] and not heard[numbers[0]]
    await client.socket.disconnect()


async def test_ports_by_channels(serving):
    client, answer = await start(serving, "portforward", [V4], is_raw=False, ports="8080,81")
    assert answer["subprotocol"] == V4
    await client.say(b"\0GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    heard: dict[int, bytes] = {}
    while (message := await client.socket.receive_output(5))["type"] != "websocket.close":
        heard[message["bytes"][0]] = heard.get(message["bytes"][0], b"") + message["bytes"][1:]
    assert heard[0][:2] == (8080).to_bytes(2, "little") and heard[0].endswith(b"hello\n")
    assert heard[1] == heard[0][:2] and b"connection refused" in heard[3]


@pytest.mark.parametrize(
    "action, protocols, is_raw, asked, code, words",
    [
        ("exec", ["v9.channel.k8s.io"], True, {"command": "ls"}, 403, "unable to negotiate protocol"),
        ("portforward", [V4], True, {}, 403, "server accepts [portforward.k8s.io]"),
        ("portforward", ["v5.channel.k8s.io"], False, {"ports": 80}, 400, "use SPDY/3.1+portforward.k8s.io"),
        ("portforward", [V4], False, {}, 400, 'query parameter "port" is required'),
        ("portforward", [V4], False, {"ports": "80,"}, 400, "cannot be empty"),
        ("portforward", [V4], False, {"ports": "http"}, 400, 'unable to parse "http" as a port'),
        ("portforward", [V4], False, {"ports": "0"}, 400, 'port "0" must be > 0'),
        ("portforward", [V4], False, {"ports": ",".join(map(str, range(1, 34)))}, 400, "at most 32"),
    ],
)
async def test_what_cannot_be_had_is_said_before_the_upgrade(
    serving, action, protocols, is_raw, asked, code, words
):
    client, answer = await start(serving, action, protocols, is_raw, **asked)
    assert answer["status"] == code
    body = await client.socket.receive_output(5)
    assert words in orjson.loads(body["body"])["message"]


async def test_only_who_may_change_a_cluster_reaches_its_programs(serving):
    eve = await in_thread(make_user)("eve")
    token = await in_thread(tokens.issue)(eve, serving.cluster)
    for action, protocol in (("exec", V4), ("portforward", socket.FORWARD)):
        answer = await Client(token, action, [protocol], True, command="ls").connect()
        assert answer["status"] in (401, 403)


async def test_hostile_bytes_end_their_own_connection_alone(serving):
    for junk in (b"GET / HTTP/1.1\r\n\r\n", b"\x80\x03\x00\x01\x00\xff\xff\xff", bytes(100)):
        client, _ = await start(serving, "portforward", [socket.FORWARD])
        await client.say(junk)
        await asyncio.wait_for(client.hear(), 5)
    client, _ = await start(serving, "exec", [V4], command="ls")
    await client.say(b"\xff" * 50)
    await asyncio.wait_for(client.hear(), 5)
    client, _ = await start(serving, "exec", [V4], command=["echo", "well"])
    streams = await open_streams(client, "error", "stdout", "stderr")
    assert (await client.hear())[streams["stdout"]] == b"well\n"
