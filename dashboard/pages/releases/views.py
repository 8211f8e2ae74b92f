"""The page of releases side by side: of a cluster's story, or of manifests that are given there."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.asking import uploads
from dashboard.pages.examples import list_examples
from dashboard.pages.parts import UNPROCESSABLE, messages_of, signed_in
from dashboard.pages.releases.forms import GivenForm, ReleasesForm
from dashboard.pages.releases.readings import find_last, list_choices, read_comparison
from lifecycle.access import Verb, get_cluster_or_404, may
from lifecycle.input.problems import ManifestError
from lifecycle.limits import Exceeded
from lifecycle.models import Cluster, Comparison
from lifecycle.runs.comparisons.asking import ask_of_cluster, ask_of_manifests, cancel


@signed_in
@require_GET
def releases(request: HttpRequest) -> HttpResponse:
    """The form for manifests, and what came of the last ones."""
    context = {"examples": list_examples(), "limits": uploads.LIMITS} | _read(request, None)
    return render(request, "releases/releases.html", context)


@signed_in
@require_GET
def cluster_releases(request: HttpRequest, cluster: str) -> HttpResponse:
    """The same of a cluster."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "releases/releases.html", _read(request, found))


def _read(request: HttpRequest, cluster: Cluster | None) -> dict[str, Any]:
    last = find_last(request.user, cluster)
    told = {
        "cluster": cluster,
        "choices": list_choices(cluster, last),
        "may_run": cluster is None or may(request.user, cluster, Verb.RUN),
    }
    return told | (read_comparison(last) if last is not None else {})


@signed_in
@require_POST
def compare_manifests(request: HttpRequest) -> HttpResponse:
    """Ask for a comparison of what is given."""
    form = GivenForm(request.POST, request.FILES)
    try:
        uploads.check_size(request.META.get("CONTENT_LENGTH"))
        if not form.is_valid():
            raise ValidationError(messages_of(form))
        made = ask_of_manifests(form.batches(), request.user, form.cleaned_data["releases"])
    except ManifestError as error:
        return _refuse(request, [str(one) for one in error.problems])
    except (ValidationError, Exceeded) as error:
        return _refuse(request, _list_messages(error))
    return render(request, "releases/_status.html", read_comparison(made))


@signed_in
@require_POST
def compare_cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """Ask for a comparison of the cluster's story so far."""
    found = get_cluster_or_404(request.user, cluster, Verb.RUN)
    form = ReleasesForm(request.POST)
    try:
        if not form.is_valid():
            raise ValidationError(messages_of(form))
        made = ask_of_cluster(found, request.user, form.cleaned_data["releases"])
    except (ValidationError, Exceeded) as error:
        return _refuse(request, _list_messages(error))
    return render(request, "releases/_status.html", read_comparison(made))


def _list_messages(error: ValidationError | Exceeded) -> list[str]:
    return error.messages if isinstance(error, ValidationError) else [str(error)]


def _refuse(request: HttpRequest, problems: list[str]) -> HttpResponse:
    return render(request, "releases/_status.html", {"problems": problems}, status=UNPROCESSABLE)


@signed_in
@require_GET
def comparison_status(request: HttpRequest, comparison: UUID) -> HttpResponse:
    """How far it is, and what came of it: for who asked for it."""
    return render(request, "releases/_status.html", read_comparison(_find(request, comparison)))


@signed_in
@require_POST
def cancel_comparison(request: HttpRequest, comparison: UUID) -> HttpResponse:
    """Stop it; one that has ended is as it was."""
    found = _find(request, comparison)
    cancel(found)
    return render(request, "releases/_status.html", read_comparison(found))


def _find(request: HttpRequest, comparison: UUID) -> Comparison:
    found = Comparison.objects.filter(pk=comparison, user=request.user.pk).defer("files").first()
    if found is None:
        raise Http404(f"You have asked for no comparison {comparison}.")
    return found
