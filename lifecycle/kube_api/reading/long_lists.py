"""Lists too long to be made at once: they go out as they are read, a few objects at a time.

A list of pods whose template has a megabyte is as large as all of them together. What fits in a quarter of
a megabyte, as most lists do, is one answer; of any other list that much is in memory at once, and no more is
read than the client takes. What is said of the whole comes last, where the token to go on with is known.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import orjson
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from lifecycle import threads
from lifecycle.kube_api import content
from lifecycle.kube_api.asking.asked import Answer, Asked, Stream
from lifecycle.kube_api.reading import lists
from lifecycle.kube_api.reading.lists import Page, Walk
from lifecycle.kube_api.rendering import render
from lifecycle.kube_api.warnings import make_headers
from lifecycle.kube_api.watching.stream import release_thread

WHOLE_BYTES = 256 * 1024
UNDER_WAY_BYTES = 4 * 1024 * 1024
"""What one such list is counted for: what is read, worked on and not yet taken by its client."""


def answer(asked: Asked, warning: str = "") -> Answer | Stream:
    """A list, whole or as a stream. Raises Refusal. `warning`: what is said of the resource."""
    selection = lists.select(asked.resource, asked.address.namespace, asked.address.name, asked.options)
    walk = lists.begin(asked.cluster, selection, asked.options)
    if isinstance(walk, Page):
        return Answer(walk)
    size = 0
    while size <= WHOLE_BYTES and (items := _read(walk)):
        size += walk.size_bytes
        walk.page.items += items
    if size <= WHOLE_BYTES:
        return Answer(walk.page)
    # What cannot be shown as it is asked for is refused before anything is sent.
    parts = _make_yaml(asked, walk) if asked.form.media_type == content.YAML else _make_json(asked, walk)
    first = next(parts)

    async def respond() -> HttpResponseBase:
        response = StreamingHttpResponse(_send(first, parts), content_type=asked.form.content_type)
        response["Cache-Control"] = "no-cache, private"
        if warning:
            (response["Warning"],) = make_headers([warning])
        return response

    return Stream(respond, size_bytes=UNDER_WAY_BYTES)


def _read(walk: Walk) -> list[dict[str, Any]]:
    items = walk.read_chunk()
    walk.adapt(len(orjson.dumps(items)))
    return items


async def _send(first: bytes, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    await release_thread()
    part: bytes | None = first
    while part is not None:
        yield part
        part = await threads.listing(next)(parts, None)


def _render_chunks(asked: Asked, walk: Walk) -> Iterator[tuple[dict[str, Any], str, list[Any]]]:
    """(what stands around the entries, their name, entries) of each chunk, the first one at once."""
    items, walk.page.items = walk.page.items, []
    while items:
        value = render(asked, Page(items, walk.page.version))
        name = "rows" if "rows" in value else "items"
        entries = value.pop(name) or []
        value.pop("metadata", None)
        yield value, name, entries
        items = _read(walk)


def _make_end(asked: Asked, walk: Walk) -> dict[str, Any]:
    """What is said of the whole."""
    metadata: dict[str, Any] = render(asked, walk.page)["metadata"]
    return metadata


def _make_json(asked: Asked, walk: Walk) -> Iterator[bytes]:
    is_first = True
    for head, name, entries in _render_chunks(asked, walk):
        part = orjson.dumps(entries)[1:-1]
        yield orjson.dumps(head)[:-1] + f',"{name}":['.encode() + part if is_first else b"," + part
        is_first = False
    yield b'],"metadata":' + orjson.dumps(_make_end(asked, walk)) + b"}\n"


def _make_yaml(asked: Asked, walk: Walk) -> Iterator[bytes]:
    is_first = True
    for head, name, entries in _render_chunks(asked, walk):
        part = content.encode(entries, asked.form)
        yield content.encode(head, asked.form) + f"{name}:\n".encode() + part if is_first else part
        is_first = False
    yield content.encode({"metadata": _make_end(asked, walk)}, asked.form)
