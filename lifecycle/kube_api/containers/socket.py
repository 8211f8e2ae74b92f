"""exec, attach and port-forward: who is let in, and by which of the ways that clients know.

WebSocket: `v5.channel.k8s.io`, and `v4`, which cannot say that the input has ended; ports also by SPDY inside
of it. SPDY/3.1 by itself comes here as a WebSocket of raw bytes, its protocols as that one's. Only bearers of
a token come in: no browser sends one by itself, so that the page of a stranger reaches nothing here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import QueryDict

from lifecycle import limits
from lifecycle.access import Verb, may
from lifecycle.engine.rules.access.attributes import Attributes
from lifecycle.kube_api.access.authentication import Right, find_bearer, read_headers
from lifecycle.kube_api.access.authorization import require_allowed
from lifecycle.kube_api.access.impersonation import act_as_asked
from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import streams
from lifecycle.kube_api.containers.carrying import Carrying
from lifecycle.kube_api.containers.forwarding import Forwarding
from lifecycle.kube_api.containers.links import ChannelCommand, ChannelForward, Link, SpdyCommand, SpdyForward
from lifecycle.kube_api.containers.streams import Streamed
from lifecycle.kube_api.status import Refusal, bad_request, exceeded, forbidden, unauthorized
from lifecycle.models import Cluster
from lifecycle.threads import reading as in_thread

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
FORWARD = "portforward.k8s.io"
TUNNEL = f"SPDY/3.1+{FORWARD}"
SPDY = "podline.spdy"
"""The extension by which a scope says that it is SPDY by itself."""
_OF_WEBSOCKET = {streams.PORT_FORWARD: (TUNNEL, V4)}
_OF_SPDY = {streams.PORT_FORWARD: (FORWARD,)}
_COMMANDS_OF_SPDY = (V4, "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io")
_under_way: set[asyncio.Task[None]] = set()
"""What is carried out, also for clients that have gone."""


class ContainerSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One exec, attach or port-forward."""

    asked: Streamed
    cluster: Cluster
    user: Any
    link: Link | None = None
    ports: Sequence[int] = ()
    work: asyncio.Task[None] | None = None
    leave: Callable[[], object] = staticmethod(lambda: None)
    leave_exec: Callable[[], object] = staticmethod(lambda: None)

    async def connect(self) -> None:
        place = self.scope["url_route"]["kwargs"]
        try:
            await in_thread(self._let_in)(place)
            protocol = self._choose_protocol()
        except Refusal as refusal:
            await self._refuse(refusal)
            return
        except limits.Exceeded as excess:
            await self._refuse(exceeded(excess))
            return
        self.link = self._make_link(protocol)
        await self.accept(protocol)
        self.work = asyncio.ensure_future(self._serve(self.link))
        _under_way.add(self.work)
        self.work.add_done_callback(_under_way.discard)

    def _let_in(self, place: dict[str, str]) -> None:
        action = place["action"]
        self.user, self.cluster, self.token_id = _let_in(self.scope, place)
        options = Options(QueryDict(self.scope["query_string"].decode("utf-8", "replace")))
        self.asked = streams.read(self.cluster, place["namespace"], place["pod"], action, options)
        if not self._is_spdy and action == streams.PORT_FORWARD and TUNNEL not in self.scope["subprotocols"]:
            self.ports = streams.read_ports(options)
        if action == streams.EXEC:
            self.leave_exec = limits.take_exec(self.user, self)
        self.leave = limits.take_socket(self.user, self)

    @property
    def _is_spdy(self) -> bool:
        return SPDY in (self.scope.get("extensions") or {})

    def _choose_protocol(self) -> str | None:
        """The first of the client's that is known here. Raises Refusal."""
        action, offered = self.asked.action, self.scope["subprotocols"]
        if self._is_spdy:
            known: tuple[str, ...] = _OF_SPDY.get(action, _COMMANDS_OF_SPDY)
            # Clients from before there were protocols to choose from name none.
            if not offered:
                return None
        else:
            known = _OF_WEBSOCKET.get(action, (V5, V4))
        protocol: str | None = next((one for one in offered if one in known), None)
        if protocol is not None:
            return protocol
        if not self._is_spdy:
            raise bad_request(f"subprotocols: use {' or '.join(known)}")
        given, taken = (f"[{' '.join(one)}]" for one in (offered, known))
        raise forbidden(
            f"unable to upgrade: unable to negotiate protocol: client supports {given}, server accepts"
            f" {taken}"
        )

    def _make_link(self, protocol: str | None) -> Link:
        right = Right(self.cluster.pk, self.user.pk, self.token_id, verb=Verb.CHANGE)
        if self.asked.action == streams.PORT_FORWARD:
            forwarding = Forwarding(self.cluster, self.asked.pod, self.user, right)
            if self._is_spdy or protocol == TUNNEL:
                return SpdyForward(self._send, forwarding)
            return ChannelForward(self._send, forwarding, self.ports)
        carried = Carrying(self.asked, right, self.cluster, self.user)
        if self._is_spdy:
            return SpdyCommand(self._send, carried, protocol == V4)
        return ChannelCommand(self._send, carried)

    async def disconnect(self, code: int) -> None:
        self.leave()
        if self.work is None or self.link is None:
            return
        self.link.end()
        if self.asked.action == streams.ATTACH and not self.asked.has_input:
            self.work.cancel()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Bytes of the client's."""
        message = bytes_data if bytes_data is not None else (text_data or "").encode("utf-8", "replace")
        if self.link is not None:
            await self.link.receive(message)

    async def _serve(self, link: Link) -> None:
        try:
            await link.carry()
        finally:
            self.leave_exec()
            # Nobody takes anything more: what waits for room goes on.
            link.end()
        with contextlib.suppress(Exception):
            await self.close()

    async def _send(self, data: bytes) -> None:
        # Who has gone hears nothing more.
        with contextlib.suppress(Exception):
            await self.send(bytes_data=data)

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
