"""The Content-Security-Policy of every page: scripts and data from here only, nothing inline.

Plotly positions its labels with inline styles, so styles alone may be inline.
"""

import re
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

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


@sync_and_async_middleware
def add_policy(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add the policy where a view has not set its own; works in sync and async chains."""
    if not iscoroutinefunction(get_response):
        return lambda request: _with_policy(request, get_response(request))

    async def later(request: HttpRequest) -> HttpResponse:
        return _with_policy(request, await get_response(request))

    return later


def _with_policy(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    host = request.META.get("HTTP_HOST", "")
    response.headers.setdefault(HEADER, make_policy(host if PLAIN_HOST.fullmatch(host) else "localhost"))
    response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
    return response
