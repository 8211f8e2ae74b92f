"""The page of one workload, whatever its kind: how far it is, its pods, and what can be done to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.addresses import kind_of_folder
from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.done_words import UNCHANGED
from dashboard.asking.forms import ChangeForm
from dashboard.asking.image_behaviors import BEHAVIORS, find_silence
from dashboard.asking.previews import Subject, preview
from dashboard.live.live_figures import tell_time
from dashboard.pages.ages import count_on, find_finish_ms
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import (
    UNPROCESSABLE,
    find_or_404,
    list_recent_events,
    messages_of,
    show_answers,
    show_live,
    signed_in,
)
from dashboard.pages.past import at_instant
from dashboard.pages.service.cures import HELP, REMEDY
from dashboard.pages.workload import readings as workload_readings
from dashboard.pages.workload.remedies import answer_help
from lifecycle import limits
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.objects.workloads.stateful_set import ON_DELETE
from lifecycle.models import Cluster, StoredObject
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.verdicts import make_manual_job

RUN_NOW = "runNow"
ROLLING = ("setImage", "restart", "undo")
"""What changes a template."""
MOST_OF_NAME = 40


@signed_in
@at_instant
@as_file
def workload(request: HttpRequest, cluster: str, folder: str, namespace: str, name: str) -> HttpResponse:
    """One workload, with its live figures."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, folder, namespace, name)
    subject = f"{namespace}/{context['kind']}/{name}"
    context |= {"rollout": f"rollout:{subject}", "timeline": f"timeline:{subject}", "stretch_of": subject}
    figures = [context["rollout"]] if context["has_chart"] else []
    context |= show_live(request.user, found, *figures, context["timeline"], stored=context["workload"])
    if context["finished_ms"] is not None:
        # All of a Job that is over, however long ago.
        context["window_ms"] = ""
    uid = context["workload"].uid
    context |= {"event_uid": uid, "behaviors": BEHAVIORS} | list_recent_events(found, uid)
    return render(request, "workload/workload.html", context)


@signed_in
@require_GET
def workload_status(
    request: HttpRequest, cluster: str, folder: str, namespace: str, name: str
) -> HttpResponse:
    """The parts of the page that change: facts, revisions, what is particular to the kind, conditions."""
    found = get_cluster_or_404(request.user, cluster)
    context = _read(found, folder, namespace, name) | {"is_part": True}
    return render(request, "workload/_status.html", context)


@signed_in
@require_POST
def change_workload(
    request: HttpRequest, cluster: str, folder: str, namespace: str, name: str
) -> HttpResponse:
    """What the kind can: another image, more replicas, restart, pause, resume, undo, delete."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    entry = kind_of_folder(folder)
    stored = find_or_404(found, entry.kind.id, namespace, name)
    if request.POST.get("action") == RUN_NOW and entry is CRON_JOB and stored.deleted_ms is None:
        return show_answers(request, answers.send(found, [_make_run(found, stored)], request.user))
    if request.POST.get("action") in (HELP, REMEDY) and stored.deleted_ms is None:
        return answer_help(request, found, entry, stored)
    form, subject = ChangeForm(request.POST), f"{entry.kind.name} {namespace}/{name}"
    if not form.is_valid():
        return show_answers(request, [Answer(False, subject, messages_of(form))])
    commands = form.commands(entry.kind.id, namespace, name)
    silence = _tell_silence(entry, stored, form)
    if "preview" in request.POST:
        with limits.preview(request.user):
            previewed = _preview(found, commands, Subject(entry.kind.id, namespace, name))
        # That it would go wrong is no refusal.
        return render(request, "_answers.html", {"answers": [*previewed, *silence]})
    asked = [(*command, subject) for command in commands]
    coming = workload_readings.find_next_revision(found, stored, entry)
    # Of the profile that goes before a new image only a refusal is told.
    *before, told = answers.send(found, asked, request.user)
    told = _tell_rollout(told, form.cleaned_data["action"], stored, coming)
    context = {"answers": [*(one for one in before if not one.is_good or one.is_warning), told, *silence]}
    if form.cleaned_data["action"] == "undo" and told.is_good:
        # What the field offers is what there is now.
        context |= _read(found, folder, namespace, name) | {"is_part": True}
    status = 200 if all(one.is_good for one in context["answers"]) else UNPROCESSABLE
    return render(request, "workload/_changed.html", context, status=status)


@signed_in
@require_GET
def compare_revision(
    request: HttpRequest, cluster: str, folder: str, namespace: str, name: str, number: int
) -> HttpResponse:
    """What differs between the template as it is now and that of a revision."""
    found, entry = get_cluster_or_404(request.user, cluster), kind_of_folder(folder)
    stored = find_or_404(found, entry.kind.id, namespace, name)
    lines = workload_readings.tell_difference(found, stored, entry, number)
    if lines is None:
        text = f"Revision {number} is not kept any more"
        return show_answers(request, [Answer(False, f"{entry.kind.name} {namespace}/{name}", text)])
    return render(request, "workload/_difference.html", {"lines": lines, "number": number})


def _tell_rollout(told: Answer, action: str, stored: StoredObject, coming: int | None) -> Answer:
    """With the revision that rolls out now, where a template was changed."""
    spec = stored.data.get("spec") or {}
    is_held = spec.get("paused") or (spec.get("updateStrategy") or {}).get("type") == ON_DELETE
    is_rolling = action in ROLLING and told.is_good and not told.is_warning and told.message != UNCHANGED
    if not is_rolling or coming is None:
        return told
    return replace(
        told, message=f"{told.message}: {'revision' if is_held else 'rolling out revision'} {coming}"
    )


def _tell_silence(entry: KindEntry, stored: StoredObject, form: ChangeForm) -> list[Answer]:
    """That a chosen behaviour shows nowhere, or a change not yet, if so."""
    subject = f"{entry.kind.name} {stored.namespace}/{stored.name}"
    action, spec = form.cleaned_data["action"], stored.data.get("spec") or {}
    if spec.get("paused") and action in ROLLING:
        return [
            Answer(True, subject, "Its rollout is paused: pods stay until it is resumed", is_warning=True)
        ]
    if action != "setImage":
        return []
    containers = (find_pod_spec(stored.data) or {}).get("containers") or ()
    named = (one for one in containers if one.get("name") == form.cleaned_data["container"])
    silences = [find_silence(form.cleaned_data["behavior"], one) for one in named]
    return [Answer(True, subject, silence, is_warning=True) for silence in silences if silence]


def _preview(cluster: Cluster, commands: list[tuple[str, dict[str, Any]]], subject: Subject) -> list[Answer]:
    try:
        return preview(cluster, commands, subject)
    except Unreadable as problem:
        return [Answer(False, cluster.shown_name, str(problem))]


def _make_run(cluster: Cluster, stored: StoredObject) -> tuple[str, dict[str, Any], str]:
    """The command that runs a CronJob now; the name of its Job tells of the instant, and is new."""
    name = f"{stored.name[:MOST_OF_NAME].rstrip('-.')}-manual-{cluster.inbox_head + 1}"
    job = make_manual_job(stored.data, name)
    return "create", {"object": job}, f"Job {stored.namespace}/{name}"


def _read(cluster: Cluster, folder: str, namespace: str, name: str) -> dict[str, Any]:
    entry = kind_of_folder(folder)
    stored = find_or_404(cluster, entry.kind.id, namespace, name)
    told = workload_readings.read_workload(cluster, stored, entry)
    told["facts"] = count_on(told["facts"], cluster, stored, tell_time(cluster)["at_ms"])
    told["finished_ms"] = find_finish_ms(cluster, stored)
    return {"cluster": cluster, "folder": folder, "past": cluster.is_look} | told
