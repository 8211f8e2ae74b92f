"""exec and attach over WebSocket: `v5.channel.k8s.io`, and `v4`, which cannot say that the input has ended.

The first byte of a message says which stream it is of. Only bearers of a token come in: no browser sends one
by itself, so that the page of a stranger reaches nothing here.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import QueryDict

from lifecycle import limits, threads
from lifecycle.access import Verb, may
from lifecycle.engine.rules.access.attributes import Attributes
from lifecycle.kube_api.access.authentication import Right, find_bearer, read_headers
from lifecycle.kube_api.access.authorization import require_allowed
from lifecycle.kube_api.access.impersonation import act_as_asked
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import archives, logs, streams
from lifecycle.kube_api.containers.log_options import LogOptions
from lifecycle.kube_api.containers.streams import Streamed
from lifecycle.kube_api.status import Refusal, bad_request, exceeded, unauthorized
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.threads import reading as in_thread

INPUT, OUTPUT, ERRORS, PROBLEM, CLOSE = 0, 1, 2, 3, 255
V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
WAIT_SECONDS, COPY_SECONDS = 30.0, 60.0
MOST_INPUT = 1024 * 1024
SILENT_SECONDS = {V5: 10.0, V4: 0.5}
"""Input that pauses for so long is taken to have ended."""
PART_BYTES = 32 * 1024
SUCCESS: dict[str, Any] = {"metadata": {}, "status": "Success"}


class ContainerSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One exec or attach."""

    asked: Streamed
    cluster: Cluster
    user: Any
    work: asyncio.Task[None] | None = None
    leave: Callable[[], object] | None = None
    leave_exec: Callable[[], object] = staticmethod(lambda: None)
    is_gone = False
    is_carried_out = False

    async def connect(self) -> None:
        place = self.scope["url_route"]["kwargs"]
        try:
            await in_thread(self._let_in)(place)
        except Refusal as refusal:
            await self._refuse(refusal)
            return
        except limits.Exceeded as excess:
            await self._refuse(exceeded(excess))
            return
        protocol = next((one for one in (V5, V4) if one in self.scope["subprotocols"]), None)
        if protocol is None:
            await self._refuse(bad_request(f"subprotocols: use {V5} or {V4}"))
            return
        self.silent_seconds = SILENT_SECONDS[protocol]
        self.input = bytearray()
        self.heard, self.has_ended = asyncio.Event(), False
        await self.accept(protocol)
        self.work = asyncio.ensure_future(self._serve())

    def _let_in(self, place: dict[str, str]) -> None:
        self.user, self.cluster, self.token_id = _let_in(self.scope, place)
        options = Options(QueryDict(self.scope["query_string"].decode("utf-8", "replace")))
        self.asked = streams.read(self.cluster, place["namespace"], place["pod"], place["action"], options)
        if self.asked.action == streams.EXEC:
            self.leave_exec = limits.take_exec(self.user, self)
        self.leave = limits.take_socket(self.user, self)

    async def disconnect(self, code: int) -> None:
        self.is_gone = True
        if self.leave is not None:
            self.leave()
        if self.work is not None:
            self.work.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A piece of the input, its end, or the size of a terminal that nobody looks at."""
        message = bytes_data if bytes_data is not None else (text_data or "").encode("utf-8", "replace")
        if message[:1] == bytes([CLOSE]):
            self.has_ended = True
        elif message[:1] == bytes([INPUT]):
            self.input += message[1:]
            # A terminal says that its input has ended with one of its letters.
            self.has_ended = self.asked.is_terminal and self.input.endswith(b"\x04")
        if len(self.input) > MOST_INPUT:
            await self._say(PROBLEM, orjson.dumps(_failure(f"at most {MOST_INPUT:,} bytes are read", 413)))
            await self.close()
            return
        self.heard.set()

    async def _serve(self) -> None:
        try:
            if self.asked.problem:
                status = _internal_error(f"unable to upgrade connection: {self.asked.problem}")
            elif self.asked.action == streams.ATTACH:
                status = await self._attach()
            else:
                status = await self._exec()
        except Refusal as refusal:
            status = refusal.to_status()
        finally:
            # A thread that waits for an answer keeps its place, whoever has gone meanwhile.
            if not self.is_carried_out:
                self.leave_exec()
        await self._say(PROBLEM, orjson.dumps(status))
        await self.close()

    async def _exec(self) -> dict[str, Any]:
        given = await self._read_input() if self.asked.has_input and not self.asked.is_terminal else b""
        tar = archives.read(self.asked.command)
        if tar is not None:
            return await self._copy(tar, given)
        text = given.decode("utf-8", "replace")
        result = await threads.waiting(self._carry_out)(self._run, self.asked.command, text)
        if result["object"] is None:
            status: dict[str, Any] = result["status"]
            return status
        found = result["object"]
        if found["problem"]:
            # The kubelet calls it an internal error, and the API server, which passes it on, does so again.
            return _internal_error(f"Internal error occurred: {found['problem']}")
        await self._send(OUTPUT, found["stdout"], self.asked.wants_output)
        if self.asked.is_terminal:
            await self._send(OUTPUT, found["stderr"], self.asked.wants_output)
        else:
            await self._send(ERRORS, found["stderr"], self.asked.wants_errors)
        return _exit_status(self.asked.command, found["exitCode"])

    async def _copy(self, tar: archives.Tar, given: bytes) -> dict[str, Any]:
        deadline = time.monotonic() + COPY_SECONDS

        def run(command: list[str], text: str) -> dict[str, Any]:
            if self.is_gone or time.monotonic() > deadline:
                raise Refusal(504, f"not copied within {COPY_SECONDS:g} seconds", "Timeout", {})
            result = self._run(command, text)
            if result["object"] is None:
                raise Refusal.of_status(result["status"])
            found: dict[str, Any] = result["object"]
            return found | ({"exitCode": 126, "stderr": found["problem"]} if found["problem"] else {})

        done = await threads.waiting(self._carry_out)(archives.carry_out, tar, run, given)
        await self._send_bytes(OUTPUT, done.output if self.asked.wants_output else b"")
        await self._send(ERRORS, done.errors, self.asked.wants_errors)
        return _exit_status(self.asked.command, done.code)

    async def _read_input(self) -> bytes:
        while not self.has_ended:
            self.heard.clear()
            try:
                await asyncio.wait_for(self.heard.wait(), self.silent_seconds)
            except TimeoutError:
                break
        return bytes(self.input)

    def _carry_out(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """In a thread, for as long as it takes."""
        self.is_carried_out = True
        try:
            return work(*arguments)
        finally:
            self.is_carried_out = False
            self.leave_exec()

    def _run(self, words: list[str], text: str) -> dict[str, Any]:
        pod = self.asked.pod
        payload = {
            "namespace": pod.namespace,
            "pod": pod.name,
            "container": self.asked.container,
            "command": words,
        }
        try:
            command = inbox.append(
                self.cluster, "exec", payload | ({"stdin": text} if text else {}), self.user
            )
        except inbox.Refused as problem:
            raise Refusal(503, str(problem), "ServiceUnavailable", {}) from None
        except limits.Exceeded as excess:
            raise exceeded(excess) from None
        result = inbox.wait_for_result(command, WAIT_SECONDS)
        if result is None:
            raise Refusal(504, f"no answer within {WAIT_SECONDS:g} seconds", "Timeout", {})
        return result

    async def _attach(self) -> dict[str, Any]:
        """What the container writes from now on, until it ends."""
        right = Right(self.cluster.pk, self.user.pk, self.token_id)
        options = LogOptions(container=self.asked.container, follow=True, tail_lines=0)
        log = await in_thread(logs.find)(self.cluster, self.asked.pod, options, right)
        if log is not None:
            async for part in log.follow():
                await self._send(OUTPUT, part.decode("utf-8", "replace"), self.asked.wants_output)
        return SUCCESS

    async def _send(self, stream: int, text: str, is_wanted: bool) -> None:
        if self.asked.is_terminal:
            text = text.replace("\n", "\r\n")
        await self._send_bytes(stream, text.encode("utf-8", "replace") if is_wanted else b"")

    async def _send_bytes(self, stream: int, encoded: bytes) -> None:
        for start in range(0, len(encoded), PART_BYTES):
            await self._say(stream, encoded[start : start + PART_BYTES])

    async def _say(self, stream: int, message: bytes) -> None:
        with contextlib.suppress(Exception):
            await self.send(bytes_data=bytes([stream]) + message)

    async def _refuse(self, refusal: Refusal) -> None:
        """Before the upgrade, as the API server does: kubectl shows what the Status says."""
        if "websocket.http.response" not in (self.scope.get("extensions") or {}):
            await self.close(4000 + refusal.code)
            return
        headers = [(b"content-type", b"application/json")]
        start = {"type": "websocket.http.response.start", "status": refusal.code, "headers": headers}
        await self.base_send(start)
        body = orjson.dumps(refusal.to_status())
        await self.base_send({"type": "websocket.http.response.body", "body": body})


def _let_in(scope: Any, place: dict[str, str]) -> tuple[Any, Cluster, int | None]:
    """(user, cluster, number of the user's token). Raises Refusal (400, 401, 403)."""
    headers = list(read_headers(scope))
    shown = next((value for name, value in headers if name == "authorization"), "")
    found = find_bearer(shown, place["cluster"])
    if not may(found.user, found.cluster, Verb.VIEW):
        raise unauthorized()
    caller = act_as_asked(found.caller, headers)
    # It begins with GET, and is held to the right to create all the same (pod_websocket, v1.35).
    namespace, name, part = place["namespace"], place["pod"], place["action"]
    require_allowed(caller, Attributes("create", "", "pods", part, namespace, name))
    return found.user, found.cluster, found.token_id


def _exit_status(command: list[str], code: int) -> dict[str, Any]:
    if code == 0:
        return SUCCESS
    said = f"error executing command [{' '.join(command)}], exit code {code}"
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return _failure(f"command terminated with non-zero exit code: {said}", None, "NonZeroExitCode", causes)


def _internal_error(problem: str) -> dict[str, Any]:
    return _failure(f"Internal error occurred: {problem}", 500, "InternalError")


def _failure(
    message: str, code: int | None, reason: str = "", causes: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    status: dict[str, Any] = {"metadata": {}, "status": "Failure", "message": message}
    status |= {"reason": reason} if reason else {}
    status |= {"details": {"causes": causes}} if causes else {}
    return status | ({"code": code} if code else {})
