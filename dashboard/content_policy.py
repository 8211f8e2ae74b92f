"""The Content-Security-Policy of every page: scripts and data from here only, nothing inline.

Plotly positions its labels with inline styles, so styles alone may be inline.
"""

import re
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

PLAIN_HOST = re.compile(r"[a-zA-Z0-9.:\[\]-]{1,255}")
HEADER = "Content-Security-Policy"


def make_policy(host: str) -> str:
    """`connect-src` names the WebSocket origins: older browsers do not count them as 'self'."""
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            f"connect-src 'self' ws://{host} wss://{host}",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )


class ContentPolicyMiddleware:
    """Adds the policy where a view has not set its own; works in sync and async chains."""

    sync_capable = True
    async_capable = True

    def __init__(
        self, get_response: Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]
    ) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self.is_async:
            return self._later(request)
        return _with_policy(request, self.get_response(request))  # type: ignore[arg-type]

    async def _later(self, request: HttpRequest) -> HttpResponseBase:
        return _with_policy(request, await self.get_response(request))  # type: ignore[misc]


def _with_policy(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    host = request.META.get("HTTP_HOST", "")
    response.headers.setdefault(HEADER, make_policy(host if PLAIN_HOST.fullmatch(host) else "localhost"))
    response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
    return response
