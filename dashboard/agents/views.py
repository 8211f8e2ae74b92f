"""`/mcp`: the Model Context Protocol over streamable HTTP, for whoever shows a token of the REST export.

Each request stands alone: nothing is kept between them, so there are no sessions to fill the server with, and
no stream that stays open. A page of another site may not ask (Origin), whatever token it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from dashboard.agents.desk import StoredDesk
from dashboard.web.origins import is_own
from lifecycle.agents.desk import Refused
from lifecycle.agents.protocol import make_server
from lifecycle.agents.tools import call
from lifecycle.limits import Exceeded, take_tool
from lifecycle.rest_tokens import find_user
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.inbox import Refused as InboxRefused
from lifecycle.threads import agents, reading

MOST_BYTES = 4 * 1024 * 1024
MOST_SECONDS = 120.0
_TAKEN_ALONG = ("accept", "content-type", "mcp-")
_REFUSALS = (Exceeded, InboxRefused, Unreadable)


@csrf_exempt
async def mcp(request: HttpRequest) -> HttpResponse:
    """One message of the protocol, and its answer."""
    origin = request.headers.get("Origin")
    if origin is not None and not is_own(
        origin.encode("latin-1", "replace"),
        request.get_host().encode("latin-1", "replace"),
        request.is_secure(),
    ):
        return _refuse(403, "a page of another site may not ask here")
    user = await reading(find_user)(request.headers.get("Authorization", ""))
    if user is None:
        answer = _refuse(401, "show a token of the REST API: Authorization: Bearer …")
        answer["WWW-Authenticate"] = 'Bearer realm="podline"'
        return answer
    if request.method != "POST":
        answer = _refuse(405, "send messages by POST; there are no streams and no sessions")
        answer["Allow"] = "POST"
        return answer
    try:
        body = request.body
    except RequestDataTooBig:
        return _refuse(413, f"a message has {MOST_BYTES:,} bytes at most")
    if len(body) > MOST_BYTES:
        return _refuse(413, f"a message has {MOST_BYTES:,} bytes at most")
    return await _serve(request, body, user)


def _refuse(code: int, message: str) -> HttpResponse:
    """In the protocol's own form of an error, which names no request."""
    error = {"code": -32600, "message": message}
    return JsonResponse({"jsonrpc": "2.0", "id": None, "error": error}, status=code)


async def _serve(request: HttpRequest, body: bytes, user: Any) -> HttpResponse:
    """Hand the request to the SDK, which answers as an ASGI application."""
    try:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    except ImportError:
        return _refuse(501, "the package mcp is not installed on this server: pip install 'podline[server]'")

    async def answer(name: str, given: Any) -> str:
        try:
            # An answer that is not waited for may never be begun: then its place goes with the request.
            leave = take_tool(user, request)
        except Exceeded as problem:
            raise Refused(str(problem)) from None
        return str(await agents(_call)(user, name, given, leave))

    manager = StreamableHTTPSessionManager(make_server(answer), json_response=True, stateless=True)
    told = _Answer(body)
    with anyio.move_on_after(MOST_SECONDS):
        async with manager.run():
            await manager.handle_request(_make_scope(request), told.receive, told.send)
    return told.finish()


def _call(user: Any, name: str, given: Any, leave: Callable[[], object]) -> str:
    """Run a tool for a user. Raises Refused for whatever this server refuses, in its words."""
    try:
        return call(StoredDesk(user), name, given)
    except ValidationError as problem:
        raise Refused(" ".join(problem.messages)) from None
    except (Http404, PermissionDenied) as problem:
        raise Refused(str(problem)) from None
    except _REFUSALS as problem:
        raise Refused(str(problem)) from None
    finally:
        leave()


def _make_scope(request: HttpRequest) -> dict[str, Any]:
    headers = [
        (name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
        if name.lower().startswith(_TAKEN_ALONG)
    ]
    return {
        "type": "http",
        "method": "POST",
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }


class _Answer:
    """One request's body for the SDK, and what the SDK answers."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._status, self._headers, self._parts = 504, list[tuple[bytes, bytes]](), list[bytes]()

    async def receive(self) -> dict[str, Any]:
        """The body; who asks again waits for a client that does not go."""
        if self._body is None:
            await anyio.sleep_forever()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Any) -> None:
        """A part of the answer."""
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message["headers"])
        else:
            self._parts.append(message.get("body", b""))

    def finish(self) -> HttpResponse:
        """The whole answer."""
        if self._status == 504:
            return _refuse(504, f"no answer within {MOST_SECONDS:g} s")
        kinds = [value.decode("latin-1") for name, value in self._headers if name.lower() == b"content-type"]
        content_type = kinds[0] if kinds else "application/json"
        return HttpResponse(b"".join(self._parts), status=self._status, content_type=content_type)
