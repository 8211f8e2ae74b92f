"""In which format a request wants its rows, and how they are streamed."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import orjson
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.exceptions import ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from lifecycle import limits


class NdjsonRenderer(JSONRenderer):
    media_type = "application/x-ndjson"
    format = "ndjson"


class CsvRenderer(JSONRenderer):
    """For the description of the API; what is refused is explained as JSON."""

    media_type = "text/csv"
    format = "csv"


class TextRenderer(BaseRenderer):
    """A log as it was written."""

    media_type = "text/plain"
    format = "text"
    charset = "utf-8"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> str:
        # What is asked by OPTIONS, and what is refused, is no log.
        is_log = isinstance(data, Mapping) and "text" in data
        return data["text"] if is_log else orjson.dumps(data).decode()


class FormatNegotiation(DefaultContentNegotiation):
    """`?format=` decides, then the Accept header, then JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderers = list(renderers)
        by_format = {renderer.format: renderer for renderer in renderers}
        wanted = request.query_params.get("format")
        if wanted is not None and wanted not in by_format:
            raise ValidationError({"format": [f"{wanted!r}: use {', '.join(by_format)}"]})
        accepted = [part.partition(";")[0].strip() for part in request.headers.get("Accept", "").split(",")]
        by_type = {renderer.media_type: renderer for renderer in renderers}
        asked = [by_type[media_type] for media_type in accepted if media_type in by_type]
        renderer = by_format[wanted] if wanted else next(iter(asked), renderers[0])
        return renderer, renderer.media_type


def stream(request: Request, chunks: Iterator[bytes]) -> StreamingHttpResponse:
    """A response that writes chunks as they are made, in a thread when the server is asynchronous."""
    is_async = isinstance(request._request, ASGIRequest)
    media_type = request.accepted_renderer.media_type
    response = StreamingHttpResponse(
        _in_thread(chunks) if is_async else chunks, content_type=f"{media_type}; charset=utf-8"
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


async def _in_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """One alone goes as fast as it can; several together leave half of this process to everybody else."""
    spent = 0.0

    def take() -> bytes | None:
        nonlocal spent
        # Not its processor time: the database may work in a process of its own.
        began = time.monotonic()
        chunk = next(chunks, None)
        spent = time.monotonic() - began
        return chunk

    while (chunk := await sync_to_async(take)()) is not None:
        yield chunk
        await asyncio.sleep(decide_rest(spent, limits.exports.count()))


def decide_rest(spent: float, exports: int) -> float:
    """How long an export rests after work of so many seconds, so that all of them work half the time."""
    return spent * (2 * exports - 1) if exports > 1 else 0.0
