"""Pages that are compressed on their way: most of a page says what another one says too.

Only pages and their parts: what is streamed is to arrive at once, and clients of the Kubernetes API and of
the REST API have their own ways. Django adds a random length to each answer, so that none tells what it holds
by how short it becomes, and hides its tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.decorators import sync_and_async_middleware

COMPRESSED = ("text/html", "image/svg+xml", "text/css")


@sync_and_async_middleware
def compress_pages(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Compresses an answer that is a page, whole, and of a few hundred bytes at least."""
    compress = GZipMiddleware(get_response).process_response

    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponseBase:
            response = await get_response(request)
            return await sync_to_async(compress)(request, response) if _is_page(response) else response

        return answer_later

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        return compress(request, response) if _is_page(response) else response

    return answer


def _is_page(response: HttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    return not response.streaming and kind in COMPRESSED
