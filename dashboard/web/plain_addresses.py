"""No name has a NUL in it, and PostgreSQL takes none: an address with one is refused."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBadRequest
from django.utils.decorators import sync_and_async_middleware

Respond = Callable[[HttpRequest], Any]


@sync_and_async_middleware
def refuse_nul(get_response: Respond) -> Respond:
    """The middleware; works in sync and async chains."""
    if not iscoroutinefunction(get_response):
        return lambda request: _refusal(request) or get_response(request)

    async def later(request: HttpRequest) -> Any:
        return _refusal(request) or await get_response(request)

    return later


def _refusal(request: HttpRequest) -> Any:
    # The API reads its own parameters and names the wrong one.
    is_asked = "%00" in request.META.get("QUERY_STRING", "") and not request.path.startswith("/api/")
    if is_asked or "\0" in request.path:
        return HttpResponseBadRequest("A NUL character is no part of any name.\n", content_type="text/plain")
    return None
