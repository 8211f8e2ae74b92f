"""The page that lays two clusters side by side: a fork and its parent, two forks, or any two."""

from __future__ import annotations

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from dashboard.asking.answers import Answer
from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare
from dashboard.pages.compare.running import find_restart, list_runnable, read_restart, run_on
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import show_answers, signed_in
from dashboard.plots.theme import clock, duration
from lifecycle import limits
from lifecycle.access import User, address_for, clusters_for, find_cluster, get_cluster_or_404
from lifecycle.models import Cluster

MOST_OTHERS, MOST_OF_NAME = 100, 200
NO_RESTART = (
    "To restart it in both, it has to be a Deployment, a StatefulSet or a DaemonSet that is in both, and both"
    " have to be yours to run"
)


def list_others(user: User, cluster: Cluster) -> list[str]:
    """The addresses of what a cluster can be compared with: of its family first."""
    others = clusters_for(user).exclude(pk=cluster.pk)
    is_family = Q(parent=cluster)
    if cluster.parent_id is not None:
        is_family |= Q(pk=cluster.parent_id) | Q(parent=cluster.parent_id)
    others = others.select_related("owner").only("name", "owner__username")
    family, rest = others.filter(is_family)[:MOST_OTHERS], others.exclude(is_family)[:MOST_OTHERS]
    return [address_for(user, other) for other in (*family, *rest)]


@signed_in
@require_GET
def choose_other(request: HttpRequest, cluster: str) -> HttpResponse:
    """To the comparison with the cluster that was chosen (`?with=`)."""
    found = get_cluster_or_404(request.user, cluster)
    other = get_cluster_or_404(request.user, request.GET.get("with", ""))
    return redirect("compare", found.address, other.address)


@signed_in
@require_POST
def run_both(request: HttpRequest, cluster: str, other: str) -> HttpResponse:
    """Let those of two clusters run on that the user may run, and show them again."""
    both = {get_cluster_or_404(request.user, address).pk for address in (cluster, other)}
    # Another's is run only by its whole name.
    exact = [find_cluster(request.user, address, is_exact=True) for address in (cluster, other)]
    found = list_runnable(request.user, filter(None, exact))
    if not found:
        raise PermissionDenied(f"You may look at {cluster!r} and {other!r}, but not run them.")
    wanted = request.POST.get("restart", "")
    restart = read_restart(wanted, found) if wanted else None
    if wanted and (restart is None or len(found) < len(both)):
        return show_answers(request, [Answer(False, wanted[:MOST_OF_NAME], NO_RESTART)])
    try:
        with limits.preview(request.user):
            problems = run_on(request.user, found, restart)
    except ObjectDoesNotExist:
        raise Http404("One of the two was deleted meanwhile.") from None
    return show_answers(request, problems) if problems else HttpResponseClientRefresh()


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
        "runnable": list_runnable(request.user, (left, right)),
        "restart": find_restart(told),
    }
    return render(request, "compare/compare.html", context)
