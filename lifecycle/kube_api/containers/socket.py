"""exec and attach over WebSocket: `v5.channel.k8s.io`, and `v4`, which cannot say that the input has ended.

The first byte of a message says which stream it is of. Only bearers of a token come in: no browser sends one
by itself, so that the page of a stranger reaches nothing here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import QueryDict

from lifecycle import limits
from lifecycle.access import Verb, may
from lifecycle.kube_api.access.authentication import Right, find_bearer, refuse_impersonation
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import carrying, streams
from lifecycle.kube_api.containers.carrying import Carrying
from lifecycle.kube_api.containers.inlet import TooMuch
from lifecycle.kube_api.containers.streams import Streamed
from lifecycle.kube_api.status import Refusal, bad_request, exceeded, forbidden, unauthorized
from lifecycle.models import Cluster
from lifecycle.threads import reading as in_thread

INPUT, OUTPUT, ERRORS, PROBLEM, CLOSE = 0, 1, 2, 3, 255
V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
PART_BYTES = 32 * 1024
_NUMBERS = {carrying.OUTPUT: OUTPUT, carrying.ERRORS: ERRORS}
_under_way: set[asyncio.Task[None]] = set()
"""What is carried out, also for clients that have gone."""


class ContainerSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One exec or attach."""

    asked: Streamed
    cluster: Cluster
    user: Any
    carrying: Carrying
    work: asyncio.Task[None] | None = None
    leave: Callable[[], object] = staticmethod(lambda: None)
    leave_exec: Callable[[], object] = staticmethod(lambda: None)

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
        right = Right(self.cluster.pk, self.user.pk, self.token_id)
        self.carrying = Carrying(self.asked, right, self.cluster, self.user, self._write)
        await self.accept(protocol)
        self.work = asyncio.ensure_future(self._serve())
        _under_way.add(self.work)
        self.work.add_done_callback(_under_way.discard)

    def _let_in(self, place: dict[str, str]) -> None:
        self.user, self.cluster, self.token_id = _find_bearer(self.scope, place["cluster"])
        options = Options(QueryDict(self.scope["query_string"].decode("utf-8", "replace")))
        self.asked = streams.read(self.cluster, place["namespace"], place["pod"], place["action"], options)
        if self.asked.action == streams.EXEC:
            self.leave_exec = limits.take_exec(self.user, self)
        self.leave = limits.take_socket(self.user, self)

    async def disconnect(self, code: int) -> None:
        self.leave()
        if self.work is None:
            return
        if self.asked.action == streams.ATTACH:
            self.work.cancel()
        else:
            # On a node, too, the connection's end is the end of the input, and what was written is read.
            self.carrying.inlet.end()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """A piece of the input, its end, or the size of a terminal, which changes nothing here."""
        message = bytes_data if bytes_data is not None else (text_data or "").encode("utf-8", "replace")
        if self.work is None:
            return
        if message[:1] == bytes([CLOSE]):
            self.carrying.inlet.end()
        elif message[:1] == bytes([INPUT]):
            try:
                self.carrying.inlet.put(message[1:])
            except TooMuch as problem:
                await self._say(PROBLEM, orjson.dumps(carrying.too_much(str(problem))))
                await self.close()

    async def _serve(self) -> None:
        try:
            status = await self.carrying.carry_out()
        finally:
            self.leave_exec()
        await self._say(PROBLEM, orjson.dumps(status))
        with contextlib.suppress(Exception):
            await self.close()

    async def _write(self, stream: str, data: bytes) -> None:
        for start in range(0, len(data), PART_BYTES):
            await self._say(_NUMBERS[stream], data[start : start + PART_BYTES])

    async def _say(self, stream: int, message: bytes) -> None:
        # Who has gone hears nothing more.
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


def _find_bearer(scope: Any, address: str) -> tuple[Any, Cluster, int]:
    """(user, cluster, number of the token). Raises Refusal (401, 403)."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    found = find_bearer(headers.get(b"authorization", ""), address)
    if not may(found.user, found.cluster, Verb.VIEW):
        raise unauthorized()
    if not may(found.user, found.cluster, Verb.CHANGE):
        name = found.user.get_username()
        raise forbidden(f'pods is forbidden: User "{name}" cannot create resource "pods/exec"')
    refuse_impersonation(found.user, {name.decode("latin-1"): value for name, value in headers.items()})
    return found.user, found.cluster, found.pk
