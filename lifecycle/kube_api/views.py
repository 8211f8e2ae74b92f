"""The API server's one entry: who asks, for what, and in which form the answer goes out."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from lifecycle import limits
from lifecycle.kube_api import content, serving
from lifecycle.kube_api.access.authentication import authenticate
from lifecycle.kube_api.asking.asked import Answer, Asked, Stream, Text
from lifecycle.kube_api.content import Form
from lifecycle.kube_api.reading import from_memory
from lifecycle.kube_api.rendering import render
from lifecycle.kube_api.status import NoSuchPath, Refusal, bad_request, exceeded, internal_error
from lifecycle.kube_api.warnings import list_noted, make_headers
from lifecycle.threads import answering

log = logging.getLogger(__name__)

_FAILED = "Internal error occurred: the request could not be carried out; the log of the server says why"


# A session's unsafe requests are held to their token in `authenticate`; a bearer has none.
@csrf_exempt
async def serve(request: HttpRequest, cluster: str, path: str) -> HttpResponseBase:
    """Any request below a cluster's address. A refusal is a Status, never a page."""
    return await _finish(await sync_to_async(_answer)(request, cluster, path))


async def serve_bearer(request: HttpRequest, cluster: str, path: str) -> HttpResponseBase:
    """A request that shows a token, and so needs nothing of what pages are kept by. No 500 is a page."""
    try:
        found = await from_memory.answer(request, cluster, path)
        if found is not None:
            return await _finish(_hand_out(*found))
        return await _finish(await answering(_answer)(request, cluster, path))
    except limits.Exceeded as excess:
        return _refuse(request, exceeded(excess))
    except SuspiciousOperation as problem:
        return _refuse(request, bad_request(str(problem)))
    except Exception:
        log.exception("request failed", extra={"method": request.method, "path": request.path})
        return _refuse(request, internal_error(_FAILED))


async def _finish(outcome: HttpResponse | Stream) -> HttpResponseBase:
    if not isinstance(outcome, Stream):
        return outcome
    response = await outcome.respond()
    # The response holds its place as long as it is there, however it ends.
    response._resource_closers.append(lambda: outcome.leave())  # type: ignore[attr-defined]
    return response


def _answer(request: HttpRequest, address: str, path: str) -> HttpResponse | Stream:
    """In a thread of the request's own: everything that asks the database."""
    try:
        caller = authenticate(request, address)
        asked, outcome = serving.respond(request, caller, path)
        if not isinstance(outcome, Answer):
            return _hand_out(caller.user, outcome)
        value, form = _shown(request, asked, outcome.value, outcome.form)
        warnings = list_noted(request)
        made = _respond(content.encode(value, form), outcome.code, form.content_type, warnings)
        return _count(caller.user, made)
    except NoSuchPath:
        return _respond(b"404 page not found\n", 404, "text/plain; charset=utf-8")
    except Refusal as refusal:
        return _refuse(request, refusal)
    except limits.Exceeded as excess:
        return _refuse(request, exceeded(excess))


def _hand_out(user: Any, outcome: Text | Stream) -> HttpResponse | Stream:
    if isinstance(outcome, Stream):
        outcome.leave = _take(user, outcome)
        return outcome
    made = _respond(outcome.text, outcome.code, outcome.content_type, (), outcome.headers)
    return _count(user, made)


def _count(user: Any, made: HttpResponse) -> HttpResponse:
    made._resource_closers.append(limits.take_answer(user, made, len(made.content)))  # type: ignore[attr-defined]
    return made


def _take(user: Any, stream: Stream) -> Callable[[], object]:
    if stream.size_bytes:
        return limits.take_answer(user, stream, stream.size_bytes)
    return limits.take_socket(user, stream)


def _shown(request: HttpRequest, asked: Asked | None, value: Any, form: Form | None) -> tuple[Any, Form]:
    if asked is not None:
        return render(asked, value), asked.form
    return value, form or content.negotiate(request.headers.get("Accept", "")).as_object


def _refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    try:
        form = content.negotiate(request.headers.get("Accept", "")).as_object
    except Refusal:
        form = content.PLAIN
    body = content.encode(refusal.to_status(), form)
    warnings = [*list_noted(request), *refusal.warnings]
    return _respond(body, refusal.code, form.media_type, warnings, refusal.headers)


def _respond(
    body: bytes,
    code: int,
    content_type: str,
    warnings: Sequence[str] = (),
    headers: dict[str, str] | None = None,
) -> HttpResponse:
    response = _Response(body, status=code, content_type=content_type, headers=headers)
    response.warnings = make_headers(warnings)
    response["Cache-Control"] = "no-cache, private"
    if code < 500:
        # Clients ask for what is not there all day: Django need not warn of each.
        response._has_been_logged = True  # type: ignore[attr-defined]
    return response


class _Response(HttpResponse):
    """A response with a header for each warning: Django keeps one of a name."""

    warnings: Sequence[str] = ()

    def items(self) -> Iterable[tuple[str, str]]:
        """All headers, as the server sends them."""
        return [*super().items(), *(("Warning", text) for text in self.warnings)]
