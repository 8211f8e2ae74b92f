"""The page of checks: asked for here, followed while they run, their counter-examples opened as forks."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.asking.answers import Answer
from dashboard.pages.check.forms import CheckForm
from dashboard.pages.check.readings import find_last, list_choices, read_check
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import UNPROCESSABLE, messages_of, show_answers, signed_in
from lifecycle.access import Verb, get_cluster_or_404, may
from lifecycle.limits import Exceeded
from lifecycle.models import Check, Cluster
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.checks.asking import MOST_SEEDS, ask, cancel
from lifecycle.runs.checks.opening import open_counterexample


@signed_in
@require_GET
@as_file
def check(request: HttpRequest, cluster: str) -> HttpResponse:
    """The form that asks for a check, and the newest one."""
    found = get_cluster_or_404(request.user, cluster)
    context = {"choices": list_choices(), "most_seeds": MOST_SEEDS} | _read(request, found)
    return render(request, "check/check.html", context)


@signed_in
@require_GET
def check_status(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the page that changes while a check runs."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "check/_status.html", _read(request, found))


@signed_in
@require_GET
def check_findings(request: HttpRequest, cluster: str, check: UUID) -> HttpResponse:
    """The findings of one cell (`?ordeal=`, `?workload=`), or all."""
    found = _find(get_cluster_or_404(request.user, cluster), check)
    cell = request.GET.get("ordeal", ""), request.GET.get("workload", "")
    context = {"cluster": found.cluster} | read_check(found, *cell)
    return render(request, "check/_findings.html", context)


def _read(request: HttpRequest, cluster: Cluster) -> dict[str, Any]:
    last = find_last(cluster)
    told = {"cluster": cluster, "may_run": may(request.user, cluster, Verb.RUN)}
    return told | (read_check(last) if last is not None else {})


def _find(cluster: Cluster, check: UUID) -> Check:
    found = cluster.checks.defer("base").filter(pk=check).first()
    if found is None:
        raise Http404(f"There is no check {check} of the cluster {cluster.shown_name}.")
    found.cluster = cluster
    return found


@signed_in
@require_POST
def start_check(request: HttpRequest, cluster: str) -> HttpResponse:
    """Ask for a check of the cluster as it is now."""
    found = get_cluster_or_404(request.user, cluster, Verb.RUN)
    form, problem = CheckForm(request.POST), ""
    try:
        if form.is_valid():
            ask(found, request.user, form.cleaned_data["ordeals"], form.cleaned_data["seeds"])
        else:
            problem = messages_of(form)
    except ValidationError as error:
        problem = " ".join(error.messages)
    except Exceeded as excess:
        problem = str(excess)
    status = UNPROCESSABLE if problem else 200
    return render(request, "check/_status.html", _read(request, found) | {"problem": problem}, status=status)


@signed_in
@require_POST
def cancel_check(request: HttpRequest, cluster: str, check: UUID) -> HttpResponse:
    """Stop a check; one that has ended is as it was."""
    found = get_cluster_or_404(request.user, cluster, Verb.RUN)
    cancel(_find(found, check))
    return render(request, "check/_status.html", _read(request, found))


@signed_in
@require_POST
def open_finding(request: HttpRequest, cluster: str, check: UUID) -> HttpResponse:
    """Make a fork that goes the way of a finding's counter-example, and go to it."""
    found = _find(get_cluster_or_404(request.user, cluster), check)
    try:
        made = open_counterexample(found, request.POST.get("finding", ""), request.user)
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    except (ValueError, Unreadable) as problem:
        return show_answers(request, [Answer(False, "", str(problem))])
    return HttpResponseClientRedirect(reverse("cluster", args=[made.name]))
