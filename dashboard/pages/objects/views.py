"""Parts of a cluster's page: the tree of all its objects, and what a change of one of them came to."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from dashboard.live.shared_parts import share_part
from dashboard.pages.objects.readings import list_kinds, tell_change
from dashboard.pages.parts import signed_in
from dashboard.plots.theme import duration
from lifecycle.access import get_cluster_or_404
from lifecycle.models import Cluster


@signed_in
@require_GET
def objects(request: HttpRequest, cluster: str) -> HttpResponse:
    """Which objects there are, to open lanes of them; `?part=tree`: without the place for these."""
    found = get_cluster_or_404(request.user, cluster)
    is_tree = request.GET.get("part") == "tree"

    def make(found: Cluster) -> HttpResponse:
        kinds, hidden = list_kinds(found)
        context = {
            "cluster": found,
            "base": reverse("cluster", args=[found.address]),
            "kinds": kinds,
            "hidden": hidden,
            "kept": duration(found.watch_ms),
        }
        return render(request, f"objects/{'_tree' if is_tree else '_objects'}.html", context)

    return share_part("objects-tree" if is_tree else "objects", found, make)


@signed_in
@require_GET
def why_change(request: HttpRequest, cluster: str, rv: int) -> HttpResponse:
    """What was changed of an object's spec, as a part of any live page."""
    found = get_cluster_or_404(request.user, cluster)
    told = tell_change(found, min(rv, found.rv + 1))
    return render(request, "objects/_change.html", {"cluster": found, "change": told})
