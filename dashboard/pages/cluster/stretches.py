"""The figures of a stretch of time that somebody has chosen: fewest ready, created, ended, restarts, lost."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.pages.finding import find_pods
from dashboard.pages.parts import UNPROCESSABLE, find_or_404, signed_in
from dashboard.plots.queries import read_query
from dashboard.plots.theme import clock, duration
from lifecycle import limits
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.kinds import registry
from lifecycle.input.instants import parse_instant
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import Served, list_services, list_services_of, read_served
from lifecycle.recorded.stretches import Stretch, read_stretch

LONGEST_INSTANT = 40
LONGEST_SUBJECT = 600


@signed_in
@require_GET
def stretch(request: HttpRequest, cluster: str) -> HttpResponse:
    """What was recorded from `?from=` until `?to=`, two instants in any of their forms, as a part of a page.

    Of the pods that `?q=` asks for, or those of one workload (`?of=shop/Deployment/web`). 422 says what is
    wrong.
    """
    found = get_cluster_or_404(request.user, cluster)
    subject, query = request.GET.get("of", "")[:LONGEST_SUBJECT], read_query(request.GET.get("q", ""))
    try:
        from_ms, to_ms = sorted(_read_end(request.GET.get(name, ""), found) for name in ("from", "to"))
        with limits.preview(request.user):
            uids = find_pods(found, query, subject) if query or subject else None
            told = read_stretch(found, from_ms, to_ms, uids)
    except ValueError as problem:
        return render(request, "cluster/_stretch.html", {"problem": problem}, status=UNPROCESSABLE)
    served = [] if query else _list_served(found, subject)
    lost = [line for one in served for line in one.tell(told.to_ms, told.from_ms)]
    context = {
        "told": told,
        "words": ", ".join([*tell(told), *(["no request lost"] if served and not lost else [])]),
        "lost": lost,
        "span": duration(told.to_ms - told.from_ms),
        "ends": [clock(at_ms) for at_ms in (from_ms, to_ms)],
        "fewest_at": clock(told.fewest_ms),
    }
    return render(request, "cluster/_stretch.html", context)


def tell(told: Stretch) -> Iterator[str]:
    """`fewest ready 3 of 4`, `4 created`, `4 ended`, `2 restarts`."""
    if told.fewest_ready is None:
        yield "no pod"
    else:
        yield f"fewest ready {told.fewest_ready:,} of {told.wanted:,}"
    yield f"{told.created:,} created"
    yield f"{told.ended:,} ended"
    yield f"{told.restarts:,} restart{'' if told.restarts == 1 else 's'}"


def _read_end(text: str, cluster: Cluster) -> int:
    """One end of the stretch, in virtual milliseconds; ValueError where it is none that was recorded."""
    at_ms = parse_instant(text[:LONGEST_INSTANT].strip(), cluster.epoch_ms)
    if at_ms < 0:
        raise ValueError(f"{text[:LONGEST_INSTANT]!r} is before the beginning; the first instant is 0s")
    # What is to come is not recorded yet.
    return min(at_ms, cluster.instant_ms + 1)


def _find_workload(cluster: Cluster, subject: str) -> StoredObject:
    namespace, kind, name = (*subject.split("/", 2), "", "")[:3]
    if all(kind != entry.kind.id for entry in registry.list_workloads()):
        raise Http404(f"{subject!r} is no workload: say shop/Deployment/web.")
    return find_or_404(cluster, kind, namespace, name)


def _list_served(cluster: Cluster, subject: str) -> list[Served]:
    """The Services of the workload, or all there are, to which requests were sent."""
    workload = _find_workload(cluster, subject) if subject else None
    services = list_services_of(cluster, workload) if workload else list_services(cluster)
    return read_served(cluster, services)
