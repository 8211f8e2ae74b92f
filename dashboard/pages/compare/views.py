"""The page that lays two clusters side by side: a fork and its parent, two forks, or any two."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import signed_in
from dashboard.plots.theme import clock, duration
from lifecycle import limits
from lifecycle.access import User, address_for, clusters_for, get_cluster_or_404, give_address
from lifecycle.models import Cluster

MOST_OTHERS = 100


def list_others(user: User, cluster: Cluster) -> list[str]:
    """The addresses of what a cluster can be compared with: of its family first."""
    others = clusters_for(user).exclude(pk=cluster.pk)
    is_family = Q(parent=cluster)
    if cluster.parent_id is not None:
        is_family |= Q(pk=cluster.parent_id) | Q(parent=cluster.parent_id)
    others = others.select_related("owner")
    family, rest = others.filter(is_family)[:MOST_OTHERS], others.exclude(is_family)[:MOST_OTHERS]
    return [address_for(user, other) for other in (*family, *rest)]


def find_parent(user: User, cluster: Cluster) -> Cluster | None:
    """What a cluster was forked from, where that may be seen."""
    parent = clusters_for(user).filter(forks=cluster).select_related("owner").first()
    return parent and give_address(user, parent)


@signed_in
@require_GET
def choose_other(request: HttpRequest, cluster: str) -> HttpResponse:
    """To the comparison with the cluster that was chosen (`?with=`)."""
    found = get_cluster_or_404(request.user, cluster)
    other = get_cluster_or_404(request.user, request.GET.get("with", ""))
    return redirect("compare", found.address, other.address)


@signed_in
@require_GET
@as_file
def compare_clusters(request: HttpRequest, cluster: str, other: str) -> HttpResponse:
    """What two clusters share, where they part, and how their workloads fared."""
    left, right = (get_cluster_or_404(request.user, name) for name in (cluster, other))
    with limits.preview(request.user):
        told = compare(left, right)
    context = {
        "told": told,
        "first": list(zip((told.left.address, told.right.address), told.reasons, strict=True)),
        "since": clock(told.since_ms),
        "until": clock(told.until_ms),
        "span": duration(told.until_ms - told.since_ms),
        "markdown": write_markdown(told),
        "others": list_others(request.user, left),
    }
    return render(request, "compare/compare.html", context)
