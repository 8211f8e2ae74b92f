"""exec and attach over WebSocket, as kubectl speaks it; and what is refused, before the upgrade."""

from __future__ import annotations

import asyncio
import io
import random
import tarfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.http import QueryDict

from lifecycle import threads, tokens
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import archives, carrying, inlet, logs, socket, streams
from lifecycle.kube_api.routing import websocket_urlpatterns
from lifecycle.kube_api.status import Refusal
from lifecycle.models import StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_user
from tests.kube_api.conftest import Shop
from tests.kube_api.containers.conftest import work_at_once
from tests.kube_api.reading.test_watching import end_feeds
from tests.seeds import one_in

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]
OUT, ERR, STATUS = 1, 2, 3
SCRIPT = "echo up; while true; do sleep 1; echo tick; done"
CONTAINER = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", SCRIPT]}
TRAPS = 'trap "exit 0" INT; while true; do sleep 1; done'
DONE = {"code": 200, "object": {"stdout": "", "stderr": "", "exitCode": 0, "problem": ""}, "status": None}
in_thread = sync_to_async


@pytest.fixture
def running(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A pod that runs, and a worker that carries commands out at once."""
    shop.create("Pod", "p", spec={"containers": [CONTAINER]})
    shop.turn(60)
    shop.turn(1)
    work_at_once(shop, monkeypatch)
    return shop


class Client:
    """What kubectl sends and hears."""

    def __init__(
        self,
        token: str,
        action: str,
        protocol: str = socket.V5,
        cluster: str = "shop",
        pod: str = "p",
        **asked: Any,
    ) -> None:
        query = urlencode({"stdout": "true", "stderr": "true", **asked}, doseq=True)
        path = f"/k8s/{cluster}/api/v1/namespaces/default/pods/{pod}/{action}?{query}"
        headers = [(b"authorization", f"Bearer {token}".encode())]
        self.socket = WebsocketCommunicator(URLRouter(websocket_urlpatterns), path, headers, [protocol])
        self.socket.scope["extensions"] = {"websocket.http.response": {}}

    async def connect(self) -> str | None:
        """The protocol that was agreed on, None when the upgrade was refused."""
        await self.socket.send_input({"type": "websocket.connect"})
        answer = await self.socket.receive_output(5)
        self.code = answer.get("status")
        return answer.get("subprotocol")

    async def say(self, stream: int, data: bytes = b"") -> None:
        await self.socket.send_to(bytes_data=bytes([stream]) + data)

    async def hear(self) -> dict[int, bytes]:
        """All that was said on each stream, until the socket closed."""
        heard: dict[int, bytes] = {}
        while True:
            message = await self.socket.receive_output(5)
            if message["type"] == "websocket.close":
                return heard
            data = message["bytes"]
            heard[data[0]] = heard.get(data[0], b"") + data[1:]


async def start(shop: Shop, action: str = "exec", **asked: Any) -> Client:
    token = await in_thread(lambda: tokens.issue(shop.cluster.owner, shop.cluster))()
    client = Client(token, action, **asked)
    assert await client.connect() == asked.get("protocol", socket.V5)
    return client


async def run(shop: Shop, *command: str, **asked: Any) -> dict[int, bytes]:
    return await (await start(shop, command=command, **asked)).hear()


async def test_streams_come_apart_and_the_status_last(running):
    heard = await run(running, "sh", "-c", "echo out; echo err >&2")
    assert (heard[OUT], heard[ERR]) == (b"out\n", b"err\n")
    assert orjson.loads(heard[STATUS]) == {"metadata": {}, "status": "Success"}


async def test_only_the_streams_asked_for_come(running):
    heard = await run(running, "sh", "-c", "echo out; echo err >&2", stderr="false")
    assert OUT in heard and ERR not in heard


async def test_an_exit_code_is_a_cause(running):
    status = orjson.loads((await run(running, "sh", "-c", "exit 3"))[STATUS])
    assert status["reason"] == "NonZeroExitCode"
    assert status["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]
    assert status["message"].startswith("command terminated with non-zero exit code: ")


async def test_a_program_that_is_not_there(running):
    status = orjson.loads((await run(running, "psql"))[STATUS])
    assert (status["reason"], status["code"]) == ("InternalError", 500)
    assert status["message"].startswith("Internal error occurred: Internal error occurred: error executing ")
    assert 'exec: "psql": executable file not found in $PATH: unknown' in status["message"]


async def test_input_is_read_to_its_end(running):
    client = await start(running, command=["cat"], stdin="true")
    await client.say(0, b"a\n")
    await client.say(0, b"b\n")
    await client.say(255, b"\0")
    assert (await client.hear())[OUT] == b"a\nb\n"


@pytest.mark.parametrize("protocol", [socket.V5, socket.V4])
async def test_a_shell_answers_each_line_as_it_comes(running, protocol):
    """What the example of the official Python client does: a line is written, its answer is read."""
    client = await start(running, command=["/bin/sh"], stdin="true", protocol=protocol)
    for said, answer in {
        b"echo one\n": b"one\n",
        b"cd /tmp; x=5; pwd\n": b"/tmp\n",
        b"pwd; echo $x\n": b"/tmp\n5\n",
    }.items():
        await client.say(0, said)
        assert await client.socket.receive_output(5) == {"type": "websocket.send", "bytes": b"\1" + answer}
    await client.say(0, b"exit 3\n")
    assert orjson.loads((await client.hear())[STATUS])["details"]["causes"][0]["message"] == "3"


@pytest.mark.parametrize("protocol", [socket.V5, socket.V4])
@pytest.mark.parametrize(
    "command, given",
    [
        (["sh", "-c", "cat > /tmp/x"], b"hello"),
        (["sh"], b"printf hello > /tmp/x"),
        (["tar", "xvf", "-", "-C", "/tmp"], None),
    ],
)
async def test_what_was_written_before_the_client_went_is_carried_out(running, protocol, command, given):
    given = make_archive(x=b"hello") if given is None else given
    client = await start(running, command=command, stdin="true", protocol=protocol)
    await client.say(0, given)
    await client.socket.disconnect()
    for _ in range(500):
        found = (await run(running, "sh", "-c", "cat /tmp/x 2>/dev/null")).get(OUT)
        if found:
            break
    assert found == b"hello"


async def test_a_terminal_shows_what_is_typed_and_asks(running):
    client = await start(running, command=["sh"], stdin="true", tty="true")
    await client.say(4, b'{"Width":80,"Height":24}')
    screen = b""

    async def until(text: bytes) -> None:
        nonlocal screen
        while text not in screen:
            message = (await client.socket.receive_output(5))["bytes"]
            assert message[0] == OUT
            screen += message[1:]
        screen = screen.partition(text)[2]

    await until(b"/ # ")
    await client.say(0, b"cd /tmq\x7fp\r")
    await until(b"cd /tmq\b \bp\r\n/tmp # ")
    await client.say(0, b"cat\r")
    await client.say(0, b"hi\r")
    await until(b"hi\r\nhi\r\n")
    await client.say(0, b"\x03")
    await until(b"^C\r\n/tmp # ")
    await client.say(0, b"cat\r")
    await client.say(0, b"\x04")
    await until(b"/tmp # ")
    await client.say(0, b"nosuchprogram\r")
    await until(b"sh: nosuchprogram: not found\r\n/tmp # ")
    await client.say(0, b"\x04")
    assert orjson.loads((await client.hear())[STATUS])["details"]["causes"][0]["message"] == "127"


@pytest.mark.parametrize("terminal", ["false", "true"])
async def test_a_shell_ends_with_its_container_as_on_a_node(running, monkeypatch, terminal):
    """Who cleans up so waits for the connection to end: `kill -2 $(pgrep -f sh)`."""
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)
    side = {"name": "app", "image": "alpine:3.22", "command": ["sh", "-c", TRAPS]}
    await in_thread(running.create)("Pod", "side", spec={"containers": [side], "restartPolicy": "Never"})
    await in_thread(running.turn)(60)
    client = await start(running, pod="side", command=["/bin/sh"], stdin="true", tty=terminal)
    await client.say(0, b"kill -2 $(pgrep -u $(id -u) -f sh)\r\n")
    carried = asyncio.ensure_future(client.hear())
    while not carried.done():
        await in_thread(running.turn)(2)
        await asyncio.sleep(0.05)
    assert orjson.loads(carried.result()[STATUS])["details"]["causes"][0]["message"] == "137"
    await end_feeds()


async def test_who_may_ask_no_more_is_let_go(running, monkeypatch):
    monkeypatch.setattr(carrying, "LOOK_SECONDS", 0.02)
    client = await start(running, command=["sh"], stdin="true")
    await client.say(0, b"echo one\n")
    assert (await client.socket.receive_output(5))["bytes"] == b"\1one\n"
    await in_thread(tokens.ApiToken.objects.all().delete)()
    assert orjson.loads((await client.hear())[STATUS])["code"] == 401


async def test_who_writes_to_what_has_ended_is_let_go(running, monkeypatch):
    monkeypatch.setattr(inlet, "MOST_WAITING", 10)
    client = await start(running, command=["sh"], stdin="true")
    await client.say(0, b"exit 3\n" + b"x" * 20)
    for _ in range(5):
        await client.say(0, b"x" * 20)
    assert orjson.loads((await client.hear())[STATUS])["details"]["causes"][0]["message"] == "3"
    await asyncio.wait_for(client.socket.disconnect(), 10)


async def test_too_much_input_is_refused(running, monkeypatch):
    monkeypatch.setattr(inlet, "MOST_BYTES", 10)
    client = await start(running, command=["cat"], stdin="true")
    await client.say(0, b"x" * 11)
    assert orjson.loads((await client.hear())[STATUS])["code"] == 413


def make_archive(**members: tarfile.TarInfo | bytes) -> bytes:
    """An archive of files by their names, and of what else members say they are."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


async def send_archive(shop: Shop, archive: bytes) -> dict[int, bytes]:
    """What `kubectl cp` does to put files into /tmp."""
    command = ["tar", "-xmf", "-", "-C", "/tmp"]
    client = await start(shop, command=command, stdin="true")
    for begin in range(0, len(archive), 4000):
        await client.say(0, archive[begin : begin + 4000])
    await client.say(255, b"\0")
    return await client.hear()


async def test_a_copied_file_has_its_date_and_mode(running):
    heard = await run(running, "sh", "-c", "echo x > /tmp/a; chmod 600 /tmp/a; stat -c %Y /tmp/a")
    seconds = int(heard[OUT])
    assert datetime.fromtimestamp(seconds, UTC).year == 2026
    heard = await run(running, "tar", "cf", "-", "/tmp/a")
    with tarfile.open(fileobj=io.BytesIO(heard[OUT])) as archive:
        member = archive.getmember("tmp/a")
    assert (member.mtime, member.mode) == (seconds, 0o600)


async def test_files_are_copied_into_a_container_and_back(running):
    files = {"a": b"one\n", "folder/b": "zwei: ü\n".encode(), "empty": b""}
    heard = await send_archive(running, make_archive(**files))
    assert orjson.loads(heard[STATUS])["status"] == "Success" and ERR not in heard
    assert (await run(running, "cat", "/tmp/a", "/tmp/folder/b"))[OUT] == files["a"] + files["folder/b"]
    heard = await run(running, "tar", "cf", "-", "/tmp")
    with tarfile.open(fileobj=io.BytesIO(heard[OUT])) as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert found == {f"tmp/{name}": content for name, content in files.items()}
    assert heard[ERR] == b"tar: removing leading '/' from member names\n"


def make_link() -> tarfile.TarInfo:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return link


@pytest.mark.parametrize(
    "archive, words",
    [
        (b"no archive" * 100, b"invalid tar magic"),
        (make_archive(a=b"x")[:700], b"invalid tar magic"),
        (make_archive(a=b"\0\xff"), b"tar: a: files of containers hold text here, and this is none"),
        (make_archive(**{"../a": b"x"}), b"tar: ../a: leads out of the folder"),
        (make_archive(**{"/etc/a": b"x"}), b"tar: /etc/a: leads out of the folder"),
        (make_archive(link=make_link()), b"tar: link: only regular files and folders are copied"),
        (make_archive(**{str(n): b"" for n in range(6)}), b"tar: 5: at most 5 files"),
    ],
)
async def test_what_cannot_be_copied_is_said(running, monkeypatch, archive, words):
    monkeypatch.setattr(inbox, "wait_for_result", lambda command, timeout: DONE)
    monkeypatch.setattr(archives, "MOST_FILES", 5)
    heard = await send_archive(running, archive)
    assert words in heard[ERR]
    assert orjson.loads(heard[STATUS])["details"]["causes"] == [{"reason": "ExitCode", "message": "1"}]


async def test_what_is_not_there_cannot_be_fetched(running):
    heard = await run(running, "tar", "cf", "-", "/tmp/none")
    delayed = b"tar: error exit delayed from previous errors\n"
    assert heard[ERR] == b"tar: /tmp/none: No such file or directory\n" + delayed
    assert OUT not in heard


@pytest.mark.parametrize("action, seed", one_in(5, product(["exec", "attach"], range(6))))
async def test_hostile_frames_end_nothing_but_their_own_socket(running, monkeypatch, action, seed):
    chance = random.Random(seed)
    asked: dict[str, Any] = {"command": ["cat"], "stdin": "true"} if action == "exec" else {}
    client = await start(running, action, tty=chance.choice(["true", "false"]), **asked)
    for _ in range(40):
        stream = chance.choice([0, 1, 2, 3, 4, 5, 42, 254, 255])
        data = bytes(chance.randrange(256) for _ in range(chance.choice([0, 1, 7, 300])))
        match chance.randrange(4):
            case 0:
                await client.socket.send_input({"type": "websocket.receive", "bytes": data})
            case 1:
                text = data.decode("latin-1")
                await client.socket.send_input({"type": "websocket.receive", "text": text})
            case _:
                await client.say(stream, data)
    await client.say(255, b"\0")
    if action == "attach":
        await client.socket.disconnect()
    else:
        status = orjson.loads((await client.hear())[STATUS])
        assert status["status"] == "Success" or status["message"], status
    assert (await run(running, "echo", "well"))[OUT] == b"well\n"
    await end_feeds()


async def test_a_terminal_has_one_stream_and_its_own_line_ends(running):
    heard = await run(running, "sh", "-c", "echo out; echo err >&2", tty="true", stdin="true")
    assert heard[OUT] == b"out\r\nerr\r\n" and ERR not in heard


async def test_attach_tells_what_is_written_from_now_on(running, monkeypatch):
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)
    client = await start(running, "attach")
    await asyncio.sleep(0.1)
    await in_thread(running.turn)(2)
    message = await client.socket.receive_output(5)
    assert set(message["bytes"][1:].splitlines()) == {b"tick"} and message["bytes"][0] == OUT
    await client.socket.disconnect()
    await end_feeds()


async def test_attach_writes_to_a_program_that_reads(running, monkeypatch):
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)
    once = {"name": "app", "image": "busybox:1.36", "command": ["sh"], "stdin": True, "stdinOnce": True}
    await in_thread(running.create)("Pod", "once", spec={"containers": [once], "restartPolicy": "Never"})
    await in_thread(running.turn)(60)
    carry_out = inbox.wait_for_result

    def carry_out_and_go_on(command: Any, timeout: float) -> Any:
        result = carry_out(command, timeout)
        running.turn(2)
        return result

    # What a program does is seen when the kubelet has told it.
    monkeypatch.setattr(inbox, "wait_for_result", carry_out_and_go_on)
    client = await start(running, "attach", pod="once", stdin="true")
    await client.say(0, b"x=5\n")
    await client.say(0, b"echo got $x\n")
    assert (await client.socket.receive_output(5))["bytes"] == b"\1got 5\n"
    # Its input ends with whoever was attached first, and so does the shell.
    await client.say(255, b"\0")
    assert orjson.loads((await client.hear())[STATUS])["status"] == "Success"
    pod = await in_thread(StoredObject.objects.get)(cluster=running.cluster, kind="Pod", name="once")
    assert pod.data["status"]["phase"] == "Succeeded"
    client = await start(running, "attach", stdin="true")
    await client.say(0, b"x\n")
    assert "takes no input" in orjson.loads((await client.hear())[STATUS])["message"]
    await end_feeds()


async def test_who_shows_no_good_token_is_refused_before_the_upgrade(running):
    client = Client("wrong", "exec", command=["ls"])
    assert await client.connect() is None
    assert client.code == 401


async def test_nobody_acts_as_somebody_else(running):
    token = await in_thread(lambda: tokens.issue(running.cluster.owner, running.cluster))()
    client = Client(token, "exec", command=["true"])
    client.socket.scope["headers"] += [(b"impersonate-user", b"joe")]
    assert await client.connect() is None and client.code == 403


async def test_a_token_that_is_revoked_hears_no_more(running, monkeypatch):
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)
    client = await start(running, "attach")
    await in_thread(tokens.ApiToken.objects.all().delete)()
    assert STATUS in await client.hear()
    await end_feeds()


def ask(shop: Shop, action: str, query: str, pod: str = "p") -> Refusal:
    with pytest.raises(Refusal) as refused:
        streams.read(shop.cluster, "default", pod, action, Options(QueryDict(query)))
    return refused.value


@pytest.mark.parametrize(
    "action, query, code, words",
    [
        ("exec", "", 422, 'PodExecOptions "p" is invalid: command: Required value'),
        ("exec", "command=ls&container=x", 400, "container x is not valid for pod p"),
    ],
)
async def test_what_cannot_be_had_is_said(running, action, query, code, words):
    refusal = await in_thread(ask)(running, action, query)
    assert refusal.code == code and words in refusal.message


async def test_no_container_runs(running):
    """A kubelet is asked only when the client is let in, so that it answers on the stream for errors."""
    await in_thread(running.create)("Pod", "late", spec={"containers": [CONTAINER], "nodeName": "node-1"})
    said = {"exec": 'container not found ("app")', "attach": "container app not found in pod late_default"}
    for action, words in said.items():
        heard = await (await start(running, action, pod="late", command="ls")).hear()
        status = orjson.loads(heard[STATUS])
        assert status["message"] == f"Internal error occurred: unable to upgrade connection: {words}"
        assert (status["reason"], status["code"]) == ("InternalError", 500)
        refusal = await in_thread(refuse)(running, "command=ls", action, "late")
        assert (refusal.code, refusal.message) == (500, words)
    unbound = {"containers": [CONTAINER], "nodeSelector": {"no": "where"}}
    await in_thread(running.create)("Pod", "lost", spec=unbound)
    refusal = await in_thread(ask)(running, "exec", "command=ls", "lost")
    assert (refusal.code, refusal.message) == (400, "pod lost does not have a host assigned")
    assert (await in_thread(ask)(running, "exec", "command=ls", "none")).code == 404


async def test_without_a_websocket_the_reason_is_said_or_that_it_needs_one(running):
    refusal = await in_thread(refuse)(running, "command=ls&container=x")
    assert "container x is not valid" in refusal.message
    assert (await in_thread(refuse)(running, "command=ls")).message == "Upgrade request required"


def refuse(shop: Shop, query: str, action: str = "exec", pod: str = "p") -> Refusal:
    return streams.refuse(shop.cluster, "default", pod, action, Options(QueryDict(query)))


async def test_a_cluster_of_somebody_else_is_not_reached(running):
    eve = await in_thread(make_user)("eve")
    token = await in_thread(tokens.issue)(eve, running.cluster)
    assert await Client(token, "exec", command=["ls"]).connect() is None


class Slow:
    """A cluster that answers no command before it is told to."""

    def __init__(self) -> None:
        self.asked, self.may_answer = 0, threading.Event()

    def wait_for_result(self, command: Any, timeout: float) -> Any:
        self.asked += 1
        self.may_answer.wait(20)
        return DONE


@pytest.fixture
def slow(running: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """What waits in it is let go at the end, so that no thread is left behind."""
    found = Slow()
    monkeypatch.setattr(inbox, "wait_for_result", found.wait_for_result)
    yield found
    found.may_answer.set()


async def has_asked(slow: Slow, count: int) -> None:
    for _ in range(1000):
        if slow.asked >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(slow.asked)


async def test_execs_that_wait_keep_no_thread_from_watches_and_pages(running, slow, settings):
    settings.MAX_EXECS = 0
    clients = [await start(running, command="ls") for _ in range(12)]
    await has_asked(slow, 12)
    for pool in (threads.reading, threads.drawing):
        done = await asyncio.wait_for(asyncio.gather(*(pool(lambda: 1)() for _ in range(20))), 10)
        assert done == [1] * 20
    assert await asyncio.wait_for(asyncio.to_thread(lambda: 1), 10) == 1
    slow.may_answer.set()
    for client in clients:
        assert orjson.loads((await client.hear())[STATUS])["status"] == "Success"


async def test_one_user_has_so_many_execs_at_once(running, slow, settings):
    settings.MAX_EXECS = 2
    clients = [await start(running, command="ls") for _ in range(2)]
    await has_asked(slow, 2)
    token = await in_thread(lambda: tokens.issue(running.cluster.owner, running.cluster))()
    refused = Client(token, "exec", command="ls")
    assert await refused.connect() is None and refused.code == 429
    # Who goes away before the answer keeps a thread, and so the place.
    await clients[0].socket.disconnect()
    refused = Client(token, "exec", command="ls")
    assert await refused.connect() is None and refused.code == 429
    slow.may_answer.set()
    await clients[1].hear()
    for _ in range(1000):
        client = Client(token, "exec", command="ls")
        if await client.connect():
            break
        await asyncio.sleep(0.01)
    assert orjson.loads((await client.hear())[STATUS])["status"] == "Success"


async def test_what_is_copied_by_who_has_gone_is_copied_for_so_long_only(running, slow, monkeypatch):
    """Each of its files may be two commands, and each of them may wait for half a minute."""
    clock = [0.0]
    monkeypatch.setattr(carrying, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    command = ["tar", "-xmf", "-", "-C", "/tmp"]
    client = await start(running, command=command, stdin="true")
    await client.say(0, make_archive(**{str(number): b"x" for number in range(50)}))
    await client.say(255, b"\0")
    await has_asked(slow, 1)
    await client.socket.disconnect()
    clock[0] = carrying.COPY_SECONDS + 1
    slow.may_answer.set()
    await asyncio.wait_for(asyncio.gather(*socket._under_way), 10)
    assert slow.asked == 1
