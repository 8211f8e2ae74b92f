"""The API server's one entry: who asks, for what, and in which form the answer goes out."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from lifecycle.kube_api import content, serving
from lifecycle.kube_api.authentication import authenticate, find_cluster
from lifecycle.kube_api.requests import Options
from lifecycle.kube_api.serving import Answer, Asked, Stream
from lifecycle.kube_api.status import NoSuchPath, Refusal


@csrf_exempt  # A session's unsafe requests are held to their token in `authenticate`; a bearer has none.
async def serve(request: HttpRequest, cluster: str, path: str) -> HttpResponseBase:
    """Any request below a cluster's address. A refusal is a Status, never a page."""
    try:
        answer = await sync_to_async(_answer)(request, cluster, path)
        if isinstance(answer, Stream):
            return await answer.respond()
        return answer
    except NoSuchPath:
        return HttpResponse("404 page not found\n", status=404, content_type="text/plain; charset=utf-8")
    except Refusal as refusal:
        return _refuse(request, refusal)


def _answer(request: HttpRequest, cluster_name: str, path: str) -> Any:
    """In a thread of the request's own: everything that asks the database."""
    user = authenticate(request, cluster_name)
    cluster = find_cluster(user, cluster_name)
    asked = Asked(request, cluster, user, path, Options.read(request.GET))
    answer = serving.answer(asked)
    return answer.respond() if isinstance(answer, Answer) else answer


def _refuse(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    try:
        form = content.negotiate(request.headers.get("Accept", "")).as_object
    except Refusal:
        form = content.Form()
    body = content.encode(refusal.to_status(), form)
    return HttpResponse(body, status=refusal.code, content_type=form.media_type, headers=refusal.headers)
