"""The page of a disruption budget: what it allows now and allowed before, and who was refused."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.live.live_figures import tell_time
from dashboard.pages.budget.readings import KIND, list_evictions, read_budget
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import find_or_404, show_object, signed_in
from dashboard.pages.past import at_instant
from lifecycle.access import get_cluster_or_404
from lifecycle.models import Cluster


@signed_in
@at_instant
@as_file
def budget(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One budget, with its live figure."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, namespace, name)
    sums = f"budget:{namespace}/{name}"
    context |= {"sums": sums} | show_object(request.user, found, context["budget"], sums)
    return render(request, "budget/budget.html", context)


@signed_in
@require_GET
def budget_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of the page that change."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "budget/_status.html", _read(found, namespace, name))


def _read(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = find_or_404(cluster, KIND, namespace, name)
    at_ms = tell_time(cluster)["at_ms"]
    told = {"cluster": cluster, "evictions": list_evictions(cluster, stored, at_ms)}
    return told | read_budget(cluster, stored, at_ms)
