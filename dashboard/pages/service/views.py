"""The page of a Service: what became of the requests to it, and the pods that it selects."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.live.live_figures import tell_time
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import find_or_404, show_object, signed_in
from dashboard.pages.past import at_instant
from dashboard.pages.service.cures import answer_help
from dashboard.pages.service.readings import KIND, read_service
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.models import Cluster


@signed_in
@at_instant
@as_file
def service(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One Service, with its live figure."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, namespace, name)
    requests = f"requests:{namespace}/{name}"
    context |= {"requests": requests} | show_object(request.user, found, context["service"], requests)
    return render(request, "service/service.html", context)


@signed_in
@require_GET
def service_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of the page that change."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "service/_status.html", _read(found, namespace, name))


@signed_in
@require_POST
def change_service(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """What would have kept its requests, or one of these changes."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    return answer_help(request, found, find_or_404(found, KIND, namespace, name))


def _read(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = find_or_404(cluster, KIND, namespace, name)
    return {"cluster": cluster} | read_service(cluster, stored, tell_time(cluster)["at_ms"])
