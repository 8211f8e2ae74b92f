"""What is answered where nothing is found, or where there is too much of a form."""

from __future__ import annotations

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import bad_request as default_bad_request

from dashboard.asking.answers import Answer
from dashboard.pages.parts import show_answers
from lifecycle.access import find_cluster

TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
TOO_LARGE = "This is more than is read at once: give a part of it."


def not_found(request: HttpRequest, **_: str) -> HttpResponse:
    """An address at which there is nothing for anybody."""
    raise Http404


def nothing_here(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What there is not, in words where somebody gave some, and the way back to the cluster it names."""
    words = str(exception.args[0]) if exception.args and isinstance(exception.args[0], str) else ""
    parts = request.path.split("/")
    is_inside = parts[1] == "clusters" and len(parts) > 3
    seen = find_cluster(request.user, parts[2]) if is_inside else None
    return render(request, "404.html", {"exception": words, "cluster": seen}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A form of which there is too much is answered as any other that is wrong."""
    if getattr(request, "htmx", False) and isinstance(exception, TOO_MUCH):
        return show_answers(request, [Answer(False, "", TOO_LARGE)])
    return default_bad_request(request, exception)
