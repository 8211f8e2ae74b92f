"""The page of an autoscaler: what it goes by, what it made of that, and what limited it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.addresses import find_page
from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.forms import BoundsForm
from dashboard.live.live_figures import tell_time
from dashboard.pages.ages import count_on
from dashboard.pages.autoscaler.readings import KIND
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import find_or_404, messages_of, show_answers, show_object, signed_in
from dashboard.pages.past import at_instant
from dashboard.plots.theme import clock
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.kinds import id_for
from lifecycle.engine.rules.telling.autoscalers import list_measured, tell_autoscaler
from lifecycle.models import Cluster

Json = dict[str, Any]


@signed_in
@at_instant
@as_file
def autoscaler(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One autoscaler, with its live figures."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, namespace, name)
    figures = {
        "replicas": f"autoscaler:{namespace}/{name}",
        "measured_figure": f"measured:{namespace}/{name}",
    }
    context |= figures | show_object(request.user, found, context["autoscaler"], *figures.values())
    return render(request, "autoscaler/autoscaler.html", context)


@signed_in
@require_GET
def autoscaler_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of the page that change."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "autoscaler/_status.html", _read(found, namespace, name) | {"is_part": True})


@signed_in
@require_POST
def change_autoscaler(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Other bounds, or none of it any more."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    find_or_404(found, KIND, namespace, name)
    form, subject = BoundsForm(request.POST), f"{KIND} {namespace}/{name}"
    if not form.is_valid():
        return show_answers(request, [Answer(False, subject, messages_of(form))])
    command = (*form.command(KIND, namespace, name), subject)
    return show_answers(request, answers.send(found, [command], request.user))


def _read(cluster: Cluster, namespace: str, name: str) -> Json:
    stored = find_or_404(cluster, KIND, namespace, name)
    spec, status = stored.data.get("spec") or {}, stored.data.get("status") or {}
    at_ms = tell_time(cluster)["at_ms"]
    columns = decide_columns(stored.data, at_ms, epoch_ms=cluster.epoch_ms)
    target = spec.get("scaleTargetRef") or {}
    kind_id = id_for(str(target.get("apiVersion") or ""), str(target.get("kind") or ""))
    is_gone = stored.deleted_ms is not None
    facts = {title: value for title, value in columns.items() if title not in ("NAME", "REFERENCE")}
    told = f"Deleted at {clock(stored.deleted_ms)}." if stored.deleted_ms is not None else ""
    return {
        "cluster": cluster,
        "autoscaler": stored,
        "verdict": told if is_gone else tell_autoscaler(spec, status),
        "facts": count_on(facts, cluster, stored, at_ms),
        "target": columns["REFERENCE"],
        "target_page": find_page(kind_id, namespace, str(target.get("name") or "")),
        "measured": list_measured(spec, status),
        "behavior": spec.get("behavior") or {},
        "status": status,
        "least": spec.get("minReplicas", 1),
        "most": spec.get("maxReplicas", 1),
    }
