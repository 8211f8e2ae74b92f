"""The page of a node: what it has, its pods, its conditions over time, and what can be done to it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.forms import NodeForm
from dashboard.asking.presets import CHOICES
from dashboard.live.live_figures import tell_time
from dashboard.pages.files.views import as_file
from dashboard.pages.node.drain_previews import DrainPreview, preview_drain
from dashboard.pages.node.readings import read_node
from dashboard.pages.parts import (
    UNPROCESSABLE,
    find_or_404,
    messages_of,
    show_answers,
    show_object,
    signed_in,
)
from dashboard.pages.past import at_instant
from lifecycle import limits
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.models import Cluster
from lifecycle.runs.checkpoints import Unreadable


@signed_in
@at_instant
@as_file
def node(request: HttpRequest, cluster: str, name: str) -> HttpResponse:
    """One node, with its live figure."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, name)
    lanes = f"node:{name}"
    context |= {"lanes": lanes, "faults": CHOICES} | show_object(request.user, found, context["node"], lanes)
    return render(request, "node/node.html", context)


@signed_in
@require_GET
def node_status(request: HttpRequest, cluster: str, name: str) -> HttpResponse:
    """The parts of the page that change."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "node/_status.html", _read(found, name) | {"is_part": True})


@signed_in
@require_POST
def change_node(request: HttpRequest, cluster: str, name: str) -> HttpResponse:
    """Cordon, uncordon, drain, or trouble; with `preview` only what a drain would do."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    find_or_404(found, NODE_KIND.id, "", name)
    form, subject = NodeForm(request.POST), f"Node {name}"
    if not form.is_valid():
        return show_answers(request, [Answer(False, subject, messages_of(form))])
    kind, payload = form.command(name)
    if "preview" in request.POST:
        return _show_preview(request, found, payload)
    return show_answers(request, answers.send(found, [(kind, payload, subject)], request.user))


def _show_preview(request: HttpRequest, cluster: Cluster, payload: dict[str, Any]) -> HttpResponse:
    try:
        with limits.preview(request.user):
            told = preview_drain(cluster, payload)
    except Unreadable as problem:
        told = DrainPreview(refusals=(str(problem),), is_good=False)
    context = {"cluster": cluster, "preview": told}
    status = UNPROCESSABLE if told.refusals else 200
    return render(request, "node/_preview.html", context, status=status)


def _read(cluster: Cluster, name: str) -> dict[str, Any]:
    stored = find_or_404(cluster, NODE_KIND.id, "", name)
    return {"cluster": cluster} | read_node(cluster, stored, tell_time(cluster)["at_ms"])
