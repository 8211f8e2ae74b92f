"""What becomes of manifests that are brought to a cluster's page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from dashboard.asking import answers, uploads
from dashboard.asking.answers import Answer, answer_problem
from dashboard.asking.forms import BehaviorsForm, ManifestForm
from dashboard.asking.image_behaviors import AS_KNOWN, BEHAVIORS
from dashboard.asking.manifest_reports import MOST_SHOWN, Report, read_report
from dashboard.asking.previews import preview_manifests
from dashboard.asking.remarks import OF_FILES, keep_remarks
from dashboard.pages.parts import UNPROCESSABLE, messages_of, show_answers, signed_in
from lifecycle import limits
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.models import Cluster


@signed_in
@require_POST
def apply_manifest(request: HttpRequest, cluster: str) -> HttpResponse:
    """Tell what became of the manifests that were brought, or apply what is right of them.

    Files are applied once their report was `seen`; a text that is right as a whole needs none.
    """
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    form, behaviors = ManifestForm(request.POST, request.FILES), BehaviorsForm(request.POST)
    try:
        uploads.check_size(request.META.get("CONTENT_LENGTH"))
        if not (form.is_valid() and behaviors.is_valid()):
            raise ValidationError(f"{messages_of(form)} {messages_of(behaviors)}".strip())
        report = read_report(found, form.batches())
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    seen, is_preview = form.cleaned_data["seen"], form.cleaned_data["preview"]
    is_wanted = seen == report.digest or not (seen or form.has_files or report.refused or is_preview)
    profiles, chosen = behaviors.profiles(), behaviors.cleaned_data["chosen"]
    images = [(image, chosen.get(image, AS_KNOWN)) for image in report.images]
    if report.documents and is_wanted:
        given = answers.apply(found, report, request.user, profiles)
        unsaid = [pair for pair in images if pair[1] == AS_KNOWN]
        keep_remarks(request.session, found, [one for one in report.sections if one.title in OF_FILES])
        return _show_applied(request, found, report, given, unsaid)
    context = {"report": report, "has_changed": bool(seen), "images": images, "behaviors": BEHAVIORS}
    if is_preview:
        with limits.preview(request.user):
            context["previews"] = preview_manifests(found, report, profiles)
    context["refused"] = [answer_problem(problem) for problem in report.refused[:MOST_SHOWN]]
    context["hidden"] = len(report.refused[MOST_SHOWN:])
    status = UNPROCESSABLE if report.refused else 200
    return render(request, "cluster/_report.html", context, status=status)


@signed_in
@require_POST
def say_behaviors(request: HttpRequest, cluster: str) -> HttpResponse:
    """Say how images behave that nobody knows."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    form = BehaviorsForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, "", messages_of(form))])
    commands = [
        ("apply", {"object": profile}, f"Containers of {profile['spec']['match']['image']}")
        for profile in form.profiles()
    ]
    given = answers.send(found, commands, request.user)
    told = [replace(one, message="behave so when they start next") if one.is_good else one for one in given]
    return show_answers(request, told or [Answer(True, "", "As assumed: nothing is changed.")])


def _show_applied(
    request: HttpRequest, cluster: Cluster, report: Report, given: list[Answer], images: list[tuple[str, str]]
) -> HttpResponse:
    """What came of each object: what went well in few words, what did not in full."""
    good = [answer for answer in given if answer.is_good]
    bad = [answer for answer in given if not answer.is_good]
    done = Counter(answer.message for answer in good if not answer.is_warning)
    context = {"good": good, "bad": bad[:MOST_SHOWN], "hidden": len(bad[MOST_SHOWN:])}
    context |= {"done": sorted(done.items()), "sections": report.sections}
    context |= {"cluster": cluster, "images": images, "behaviors": BEHAVIORS}
    return render(request, "cluster/_applied.html", context, status=UNPROCESSABLE if bad else 200)
