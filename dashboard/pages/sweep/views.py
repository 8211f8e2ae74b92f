"""Two fields of a Deployment set otherwise: a grid of what a rollout comes to; a click opens one of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.asking.answers import Answer
from dashboard.pages.parts import find_or_404, messages_of, show_answers, signed_in
from dashboard.pages.sweep.forms import SweepForm
from dashboard.plots.theme import duration
from lifecycle import limits
from lifecycle.access import get_cluster_or_404
from lifecycle.lost_requests import tell_worth
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import list_services_of
from lifecycle.runs import forks
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.comparisons.sweeps import FIELDS, KIND, Cell, Pair, open_pair, try_pair

MOST_CPU_SECONDS = 8.0


@signed_in
@require_GET
def sweep(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The form: which two fields, and their values."""
    found, stored = _find(request, cluster, namespace, name)
    return render(request, "sweep/sweep.html", {"cluster": found, "workload": stored, "form": SweepForm()})


@signed_in
@require_POST
def try_grid(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Try each pair on a copy of the cluster, as far as there is time."""
    found, stored = _find(request, cluster, namespace, name)
    form = SweepForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, f"{KIND} {namespace}/{name}", messages_of(form))])
    try:
        with limits.preview(request.user):
            rows = _try_all(found, stored, form.list_rows())
    except (ValueError, Unreadable) as problem:
        return show_answers(request, [Answer(False, found.shown_name, str(problem))])
    first, second = (FIELDS[form.cleaned_data[one]].title for one in ("first", "second"))
    context = {"cluster": found, "workload": stored, "rows": rows, "first": first, "second": second}
    return render(request, "sweep/_grid.html", context | {"columns": form.cleaned_data["second_values"]})


def _try_all(cluster: Cluster, stored: StoredObject, rows: list[list[Pair]]) -> list[dict[str, Any]]:
    saved = forks.restore_at(cluster, None).engine.save()
    services = [one.name for one in list_services_of(cluster, stored)]
    is_late, place = make_deadline(), (stored.namespace or "", stored.name)
    return [
        {
            "value": row[0][0][1],
            "cells": [_tell(try_pair(saved, place, pair, services, is_late), pair) for pair in row],
        }
        for row in rows
    ]


def make_deadline() -> Callable[[], bool]:
    """Says from some time of the processor on that it is late."""
    end = time.thread_time() + MOST_CPU_SECONDS
    return lambda: time.thread_time() > end


def _tell(cell: Cell, pair: Pair) -> dict[str, Any]:
    lost = "" if cell.lost_ms is None else f"{tell_worth(cell.lost_ms)} of requests lost"
    return {
        "problem": cell.problem,
        "took": "not done in 15 minutes" if cell.took_ms is None else duration(cell.took_ms),
        "fewest": f"{cell.fewest} available at the fewest",
        "lost": "no request lost" if cell.lost_ms == 0 else lost,
        "is_bad": bool(cell.lost_ms) or cell.took_ms is None,
        "pair": pair,
    }


@signed_in
@require_POST
def open_cell(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Make a fork that goes the way of one pair, and go to its Deployment."""
    found, _ = _find(request, cluster, namespace, name)
    form = SweepForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, f"{KIND} {namespace}/{name}", messages_of(form))])
    ((pair, *_), *_) = form.list_rows()
    try:
        made = open_pair(found, request.user, (namespace, name), pair, make_deadline())
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    except (ValueError, Unreadable) as problem:
        return show_answers(request, [Answer(False, "", str(problem))])
    path = reverse("cluster", args=[made.name])
    return HttpResponseClientRedirect(f"{path}deployments/{namespace}/{name}/")


def _find(request: HttpRequest, cluster: str, namespace: str, name: str) -> tuple[Cluster, StoredObject]:
    found = get_cluster_or_404(request.user, cluster)
    return found, find_or_404(found, KIND, namespace, name)
