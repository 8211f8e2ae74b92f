"""Parts that pages of several kinds show: events, what comes next, why something happened, YAML."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.addresses import kind_of_folder
from dashboard.live.feeds import MOST_FIGURES
from dashboard.live.ghost import read_ghost
from dashboard.pages.parts import find_or_404, list_recent_events, signed_in
from dashboard.reading.causes import find_command, fold_alike, list_followed, read_chain, tell_followed
from lifecycle import limits
from lifecycle.access import get_cluster_or_404
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.runs.checkpoints import Unreadable


@signed_in
@require_GET
def events(request: HttpRequest, cluster: str) -> HttpResponse:
    """The latest events, of the whole cluster or about one object (`?uid=`), or found (`?q=`, `?before=`)."""
    found = get_cluster_or_404(request.user, cluster)
    uid = request.GET.get("uid", "")
    query = request.GET.get("q", "")
    before = request.GET.get("before", "")
    is_number = before.isascii() and before.isdigit() and len(before) < 19
    told = list_recent_events(found, uid, query, int(before) if is_number else None)
    context = {"cluster": found, "event_uid": uid, "query": query} | told
    return render(request, "_events.html", context)


@signed_in
@require_GET
def ahead(request: HttpRequest, cluster: str) -> HttpResponse:
    """What comes next, for the figures of a page (`?figure=timeline:shop/Deployment/web&figure=…`)."""
    found = get_cluster_or_404(request.user, cluster)
    try:
        with limits.preview(request.user):
            ghost = read_ghost(found, request.GET.getlist("figure")[:MOST_FIGURES])
    except Unreadable as problem:
        ghost = {"figures": {}, "note": str(problem)}
    return JsonResponse(ghost)


@signed_in
@require_GET
def why(request: HttpRequest, cluster: str, seq: int) -> HttpResponse:
    """What led to a row of the history, as a part of any live page."""
    found = get_cluster_or_404(request.user, cluster)
    chain = read_chain(found, min(seq, found.seq + 1))
    return render(request, "_why.html", {"cluster": found, "chain": fold_alike(chain)})


@signed_in
@require_GET
def why_command(request: HttpRequest, cluster: str, command: UUID) -> HttpResponse:
    """What somebody asked for and what that did, as a part of any live page."""
    found = get_cluster_or_404(request.user, cluster)
    asked = find_command(found, command)
    chain = tell_followed(asked, list_followed(found, asked)) if asked is not None else []
    return render(request, "_why.html", {"cluster": found, "chain": chain})


@signed_in
@require_GET
def object_yaml(request: HttpRequest, cluster: str, folder: str, namespace: str, name: str) -> HttpResponse:
    """The whole object, as `kubectl get -o yaml` prints it."""
    found = get_cluster_or_404(request.user, cluster)
    kind = POD_KIND.id if folder == POD_KIND.plural else kind_of_folder(folder).kind.id
    text = to_yaml(find_or_404(found, kind, namespace, name).data)
    return render(request, "_yaml_text.html", {"text": text})
