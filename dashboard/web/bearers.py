"""Requests of the Kubernetes API that show a token, past what only pages need.

A page's request goes through a dozen of Django's middlewares, most of which take a thread each, and connects
to the database anew. Of that a client with a token needs three: encryption where it is asked for, a policy
for browsers, and no NUL in an address. Sessions, forms' tokens and guests are no matter of a token's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

from django.core.exceptions import RequestAborted, SuspiciousOperation
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBadRequest, HttpResponseBase
from django.middleware.security import SecurityMiddleware

from dashboard.web.content_policy import add_policy
from dashboard.web.plain_addresses import refuse_nul
from lifecycle.kube_api.views import serve_bearer

PREFIX = "/k8s/"


def past_pages(application: Any) -> Any:
    """The application, with requests below /k8s/ that show a token answered without it."""
    handler = Bearers()

    async def lead(scope: Any, receive: Any, send: Any) -> None:
        is_bearer = any(name == b"authorization" for name, _ in scope["headers"])
        is_ours = is_bearer and scope["path"].startswith(PREFIX) and len(scope["path"]) > len(PREFIX)
        await (handler if is_ours else application)(scope, receive, send)

    return lead


class Bearers(ASGIHandler):
    """Reads a request, has it answered, and sends the answer, as Django does for pages."""

    def load_middleware(self, is_async: bool = False) -> None:
        """The few that count here; each looks at once and takes no thread."""
        self.answer = _secure(add_policy(refuse_nul(_answer)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            request, refusal = self.create_request(scope, body)
            response: Any = refusal if request is None else await self.answer(request)
            with closing(response):
                await self._send(response, receive, send)

    async def _send(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """What is whole goes out at once; what streams ends when its client goes."""
        if not response.streaming:
            return await self.send_response(response, send)
        sending = asyncio.ensure_future(self.send_response(response, send))
        leaving = asyncio.ensure_future(receive())
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        # What failed half way can only be logged, by the server.
        return None if sending.cancelled() else sending.result()


def _secure(respond: Callable[[HttpRequest], Awaitable[Any]]) -> Callable[[HttpRequest], Awaitable[Any]]:
    """Django's own rules of encryption and of what a browser may make of an answer."""
    rules = SecurityMiddleware(lambda request: HttpResponse())

    async def later(request: HttpRequest) -> Any:
        try:
            request.get_host()
        except SuspiciousOperation as problem:
            return HttpResponseBadRequest(f"{problem}\n", content_type="text/plain")
        elsewhere = rules.process_request(request)
        return rules.process_response(request, elsewhere or await respond(request))

    return later


async def _answer(request: HttpRequest) -> HttpResponseBase:
    cluster, _, path = request.path_info.removeprefix(PREFIX).partition("/")
    response = await serve_bearer(request, cluster, path)
    response.headers.setdefault("X-Frame-Options", "DENY")
    if isinstance(response, HttpResponse):
        response.headers.setdefault("Content-Length", str(len(response.content)))
    return response
