"""Reads that ask the database one thing only: whether they may, and how far their cluster is recorded.

Objects of a kind that is in memory (`watching/memory`) go out as the bytes that are kept there, where the
whole object is wanted as JSON, most recent or any. What is made at the asking, all else, and every refusal,
is for `serving`. Both answer the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache as kept_for_ever
from typing import NamedTuple

import orjson
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from lifecycle import tokens
from lifecycle.engine.releases.known import load_releases
from lifecycle.kube_api import content, rendering
from lifecycle.kube_api.access import looks
from lifecycle.kube_api.access.authentication import list_headers
from lifecycle.kube_api.access.impersonation import read_wanted
from lifecycle.kube_api.access.looks import Look
from lifecycle.kube_api.asking.asked import Stream, Text
from lifecycle.kube_api.asking.requests import Address, Options, read_address, read_verb
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.conversions import is_as_stored, to_served
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import heartbeats, lists, long_lists, reads, standing
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.status import Refusal
from lifecycle.kube_api.watching import memory, records
from lifecycle.kube_api.watching.cache import KindCache
from lifecycle.kube_api.watching.records import Held

MOST_SELECTED_BYTES = 512 * 1024
"""Of so much it is looked at here what a selection takes: others want the event loop too."""
_SHOWN_AT_ONCE = 128
_OF_GET = {"resourceVersion"}
_OF_LIST = {"resourceVersion", "limit", "labelSelector", "fieldSelector"}
_OF_STORED = {"create", "watch"}
_MOST_RECENT_OR_ANY = ("", "0")


class Wish(NamedTuple):
    """A read as it is asked for, before anybody knows whether it may be."""

    digest: str
    address: Address
    options: Options


async def answer(request: HttpRequest, at: str, path: str) -> tuple[Look, Text | Stream] | None:
    """What is answered from memory, and for whom; None where that cannot be."""
    wish = _read_wish(request, path)
    look = await looks.ask(wish.digest) if wish is not None else None
    if wish is None or look is None or not look.may_view:
        return None
    if not tokens.is_at(at, look.cluster_name, look.owner_name):
        return None
    address = wish.address
    resource = list_built_in(look.release).get((address.group, address.version, address.resource))
    if resource is None or not _is_kept(resource) or not _is_placed(address, resource):
        return None
    kind = (resource.stored_group, resource.kind)
    cache = await memory.find(look.cluster_id, look.epoch_id, look.rv, kind)
    if cache is None:
        return None
    outcome = _get(cache, address, resource) if address.name else await _list(cache, wish, resource)
    return None if outcome is None else (look, outcome)


def _read_wish(request: HttpRequest, path: str) -> Wish | None:
    """What is asked for, where it is a plain read of somebody's own token."""
    if request.method != "GET":
        return None
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    token, address = token.strip(), read_address(path)
    is_plain = scheme.lower() == "bearer" and token.startswith(tokens.PREFIX)
    if not is_plain or address is None or address.subresource or read_wanted(list_headers(request)).is_any:
        return None
    if (address.group, address.version, address.resource) not in _list_kept():
        return None
    options = Options(request.GET)
    known = {"get": _OF_GET, "list": _OF_LIST}.get(read_verb("GET", address, options))
    if known is None or options.keys() - known:
        return None
    if options.get("resourceVersion", "") not in _MOST_RECENT_OR_ANY:
        return None
    accept = request.headers.get("Accept", "")
    try:
        content.require_route(accept)
        form = content.negotiate(accept)
    except Refusal:
        return None
    return Wish(tokens.make_digest(token), address, options) if form == content.PLAIN else None


@kept_for_ever
def _list_kept() -> frozenset[tuple[str, str, str]]:
    """What may be in memory, of a cluster of whichever release: all else is asked of the database at once."""
    served = (list_built_in(release) for release in load_releases())
    return frozenset(key for found in served for key, resource in found.items() if _is_kept(resource))


def _is_kept(resource: Resource) -> bool:
    """Whether all there is of a resource is stored, and every object shown as it was written."""
    is_stored = {*resource.verbs} >= _OF_STORED and resource.kind_id != reads.EVENTS
    is_made = standing.may_have(resource) or heartbeats.have(resource)
    return is_stored and not is_made and not resource.warning


def _is_placed(address: Address, resource: Resource) -> bool:
    """Whether the path is one of the resource's; over all namespaces there are only lists."""
    if not resource.namespaced:
        return address.namespace is None
    return address.namespace is not None or not address.name


def _get(cache: KindCache, address: Address, resource: Resource) -> Text | None:
    held = cache.places.get(address.namespace, address.name)
    # What is not there is refused in the words of who looks once more.
    return _whole(_make_show(cache, resource)(held) + b"\n") if held is not None else None


def _make_show(cache: KindCache, resource: Resource) -> Callable[[Held], bytes]:
    """What makes the text of an object as the resource shows it."""
    beginning = _beginning_of(resource) if is_as_stored(resource) else None

    def convert(text: bytes) -> bytes:
        return records.write(to_served(resource, orjson.loads(text)))

    def show(held: Held) -> bytes:
        if beginning is not None and held.text.startswith(beginning):
            return held.text
        return cache.places.show(resource.api_version, held, convert)

    return show


async def _list(cache: KindCache, wish: Wish, resource: Resource) -> Text | Stream | None:
    """The objects that are meant, where all of them go on one page."""
    try:
        selection = lists.select(resource, wish.address.namespace, "", wish.options)
        limit = max(wish.options.whole("limit") or 0, 0)
    except Refusal:
        return None
    held, version, found = cache.places.list(selection.namespace), cache.rv, list[bytes]()
    is_any = wish.options.get("resourceVersion") == "0"
    if selection.is_all and not is_any and 0 < limit < len(held):
        return None
    if not selection.is_all and sum(len(one.text) for one in held) > MOST_SELECTED_BYTES:
        return None
    show = _make_show(cache, resource)
    for number, one in enumerate(held):
        if number % _SHOWN_AT_ONCE == 0:
            await asyncio.sleep(0)
        found.append(show(one))
    if not selection.is_all:
        found = [text for text in found if selection.takes(orjson.loads(text))]
    if not is_any and 0 < limit < len(found):
        return None
    beginning = _beginning_of(resource)
    head = orjson.dumps(rendering.make_list(resource, Page([], str(version)))).removesuffix(b"]}")
    size = len(head) + sum(len(text) - len(beginning) + 2 for text in found) + 3 - bool(found)
    parts = _write(head, found, len(beginning))
    if size <= long_lists.WHOLE_BYTES:
        return _whole(b"".join(parts))

    async def respond() -> HttpResponseBase:
        headers = {"Cache-Control": "no-cache, private", "Content-Length": str(size)}
        return StreamingHttpResponse(_send(parts), content_type=content.JSON, headers=headers)

    return Stream(respond, size_bytes=min(size, long_lists.UNDER_WAY_BYTES))


def _whole(text: bytes) -> Text:
    return Text(text, content.JSON)


def _beginning_of(resource: Resource) -> bytes:
    """What the text of every object begins with, and is left out in a list."""
    return orjson.dumps({"kind": resource.kind, "apiVersion": resource.api_version})[:-1] + b","


def _write(head: bytes, found: Sequence[bytes], left_out: int) -> Iterator[bytes]:
    """A list's text, in parts of about as much as is answered whole."""
    parts, size = [head], 0
    for number, text in enumerate(found):
        parts += [b",{" if number else b"{", text[left_out:]]
        size += len(parts[-1])
        if size > long_lists.WHOLE_BYTES:
            yield b"".join(parts)
            parts, size = [], 0
    yield b"".join([*parts, b"]}\n"])


async def _send(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
