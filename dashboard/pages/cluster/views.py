"""Pages of the dashboard: look the cluster up, ask `readings`, render. Changes go through `answers`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
    ValidationError,
)
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_POST
from django.views.defaults import bad_request as default_bad_request
from django_htmx.http import HttpResponseClientRedirect

from dashboard.asking import answers, uploads
from dashboard.asking.answers import Answer, answer_problem
from dashboard.asking.forms import BehaviorsForm, ControlForm, DeletePodForm, ForkForm, ManifestForm
from dashboard.asking.image_behaviors import AS_KNOWN, BEHAVIORS
from dashboard.asking.manifest_reports import MOST_SHOWN, Report, read_report
from dashboard.asking.previews import preview_manifests
from dashboard.asking.run_answers import Note, check_run, tell_end, tell_run
from dashboard.live.ghost import read_ghost
from dashboard.live.live_figures import tell_time
from dashboard.live.shared_parts import share_part
from dashboard.pages import readings
from dashboard.pages.addresses import kind_of_folder
from dashboard.pages.ages import AGE, count_on
from dashboard.pages.autoscaler.readings import list_autoscalers
from dashboard.pages.budget.readings import list_budgets
from dashboard.pages.causes import fold_alike, read_chain, tell_followed
from dashboard.pages.cluster.verdict import read_verdict
from dashboard.pages.compare.views import find_parent, list_others
from dashboard.pages.finding import LONGEST
from dashboard.pages.flags import find_command, list_followed
from dashboard.pages.holds import find_holds
from dashboard.pages.home.examples import list_examples
from dashboard.pages.node.readings import list_nodes
from dashboard.pages.parts import (
    UNPROCESSABLE,
    find_or_404,
    list_recent_events,
    messages_of,
    show_answers,
    show_live,
    signed_in,
    tell_clock,
)
from dashboard.pages.past import at_instant
from dashboard.pages.pod.behaviors import list_assumed, list_conduct
from dashboard.pages.pod.configuration import list_configurations
from dashboard.plots.phases import VALUES
from dashboard.plots.theme import REVISIONS, STATES, clock, css_rule, duration
from lifecycle import limits
from lifecycle.access import Verb, find_cluster, get_cluster_or_404, may
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster
from lifecycle.runs import forks, inbox
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.verdicts import tell_pod

TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
TOO_LARGE = "This is more than is read at once: give a part of it."


@signed_in
@at_instant
def cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """The cluster's page: clock, timeline, manifest, workloads, events."""
    found = get_cluster_or_404(request.user, cluster)
    states, query = readings.count_states(found), request.GET.get("q", "")[:LONGEST]
    context = show_live(found, "timeline") | {
        "states": states,
        "verdict": read_verdict(found, states, tell_time(found)["at_ms"]),
        "workloads": readings.list_workloads(found),
        "autoscalers": list_autoscalers(found),
        "budgets": list_budgets(found),
        "nodes": list_nodes(found),
        "assumed": list_assumed(found),
        "missing": readings.list_missing(found),
        "query": query,
        "examples": list_examples(),
        "limits": uploads.LIMITS,
        "fork_name": forks.suggest_name(found, request.user),
        "parent": find_parent(request.user, found),
        "forked_at": duration(found.forked_at_ms or 0),
        "others": list_others(request.user, found),
        "is_own": may(request.user, found, Verb.OWN),
    }
    context |= list_recent_events(found, query=query)
    return render(request, "cluster/cluster.html", context)


@signed_in
@require_GET
def workloads(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the cluster's page that lists workloads."""
    found = get_cluster_or_404(request.user, cluster)

    def make(found: Cluster) -> HttpResponse:
        context = {
            "cluster": found,
            "workloads": readings.list_workloads(found),
            "autoscalers": list_autoscalers(found),
            "budgets": list_budgets(found),
            "nodes": list_nodes(found),
            "assumed": list_assumed(found),
            "missing": readings.list_missing(found),
        }
        return render(request, "cluster/_workloads.html", context)

    return share_part("workloads", found, make)


@signed_in
@require_GET
def verdict(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the cluster's page that says what is wrong."""
    found = get_cluster_or_404(request.user, cluster)

    def make(found: Cluster) -> HttpResponse:
        told = read_verdict(found, readings.count_states(found), tell_time(found)["at_ms"])
        return render(request, "cluster/_verdict.html", {"cluster": found, "verdict": told})

    return share_part("verdict", found, make)


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
    """What comes next, for a timeline (`?figure=timeline:shop/Deployment/web`)."""
    found = get_cluster_or_404(request.user, cluster)
    try:
        with limits.preview(request.user):
            ghost = read_ghost(found, request.GET.get("figure", "").partition(":")[2])
    except Unreadable as problem:
        ghost = {"bars": [], "lanes": [], "note": str(problem)}
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
def control(request: HttpRequest, cluster: str) -> HttpResponse:
    """Pause, resume, step, another speed, or run until something holds. GET: the controls as they are."""
    if request.method != "POST":
        found = get_cluster_or_404(request.user, cluster)
        return _show_controls(request, found, note=tell_end(found))
    found = get_cluster_or_404(request.user, cluster, Verb.RUN)
    form, problem, note, before = ControlForm(request.POST), "", None, (found.instant_ms, found.seq)
    try:
        if not form.is_valid():
            raise ValidationError(messages_of(form))
        kind, payload = form.control(tell_time(found)["at_ms"])
        check_run(found, payload)
        asked = inbox.control(found, kind, payload, user=request.user)
        inbox.wait_for_control(asked)
        problem, note = asked.problem, tell_run(found, kind, payload, before)
    except ValidationError as error:
        problem = " ".join(error.messages)
    found.refresh_from_db()
    return _show_controls(request, found, problem, note)


def _show_controls(
    request: HttpRequest, cluster: Cluster, problem: str = "", note: Note | None = None
) -> HttpResponse:
    context = tell_clock(cluster) | {"problem": problem, "note": note}
    if note is not None and note.fork_at_ms is not None:
        context["way_back"] = {
            "at": clock(note.fork_at_ms),
            "name": forks.suggest_name(cluster, request.user),
        }
    return render(request, "cluster/_controls.html", context, status=UNPROCESSABLE if problem else 200)


@signed_in
@require_POST
def fork(request: HttpRequest, cluster: str) -> HttpResponse:
    """Make a fork that is the asker's own, and go to it. Whoever may look at a cluster may fork it."""
    found = get_cluster_or_404(request.user, cluster)
    form = ForkForm(request.POST, found.epoch_ms)
    if form.is_valid():
        asked = form.cleaned_data
        try:
            made = forks.fork(found, asked["at"], request.user, asked["name"])
            return HttpResponseClientRedirect(reverse("cluster", args=[made.name]))
        except (ValueError, Unreadable) as problem:
            form.add_error("at", str(problem))
        except ValidationError as error:
            form.add_error("name", error.messages)
    return show_answers(request, [Answer(False, "", messages_of(form))])


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


@signed_in
@at_instant
def pod(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One pod: lanes, containers, events, logs."""
    found = get_cluster_or_404(request.user, cluster)
    context = _pod(found, namespace, name)
    context |= show_live(found, f"pod:{namespace}/{name}", stored=context["pod"])
    uid = readings.event_uid_of(context["pod"])
    context |= {"event_uid": uid, "values": VALUES} | list_recent_events(found, uid)
    # As `kubectl logs` does: the first of the containers proper.
    context["talker"] = next((one["name"] for one in context["containers"] if not one["role"]), "")
    return render(request, "pod/pod.html", context)


@signed_in
@require_GET
def pod_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of a pod's page that change: facts and containers."""
    found = get_cluster_or_404(request.user, cluster)
    return render(
        request, "pod/_status.html", {"cluster": found, "is_part": True} | _pod(found, namespace, name)
    )


@signed_in
@require_GET
def object_yaml(request: HttpRequest, cluster: str, folder: str, namespace: str, name: str) -> HttpResponse:
    """The whole object, as `kubectl get -o yaml` prints it."""
    found = get_cluster_or_404(request.user, cluster)
    kind = POD_KIND.id if folder == POD_KIND.plural else kind_of_folder(folder).kind.id
    text = to_yaml(find_or_404(found, kind, namespace, name).data)
    return render(request, "_yaml_text.html", {"text": text})


@signed_in
@require_POST
def delete_pod(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Ask for a pod's graceful deletion."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    find_or_404(found, POD_KIND.id, namespace, name)
    form = DeletePodForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, f"Pod {namespace}/{name}", messages_of(form))])
    command = ("delete", form.payload(namespace, name), f"Pod {namespace}/{name}")
    return show_answers(request, answers.send(found, [command], request.user))


@require_GET
@cache_control(max_age=3600, public=True)
def palette(request: HttpRequest) -> HttpResponse:
    """The colours of pod states for the stylesheet, from the one place that knows them."""
    rules = [css_rule(tone) for tone in (*STATES, *VALUES)]
    rules += [f".tone-revision-{turn} {{ --tone: {colour}; }}" for turn, colour in enumerate(REVISIONS)]
    return HttpResponse("\n".join(rules) + "\n", content_type="text/css; charset=utf-8")


def not_found(request: HttpRequest, **_: str) -> HttpResponse:
    """An address at which there is nothing for anybody."""
    raise Http404


def nothing_here(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What there is not, in words where somebody gave some, and the way back to the cluster it names."""
    words = str(exception.args[0]) if exception.args and isinstance(exception.args[0], str) else ""
    parts = request.path.split("/")
    is_inside = parts[1] == "clusters" and len(parts) > 3
    seen = find_cluster(request.user, parts[2]) if is_inside else None
    return render(request, "404.html", {"exception": words, "cluster": seen}, status=404)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A form of which there is too much is answered as any other that is wrong."""
    if getattr(request, "htmx", False) and isinstance(exception, TOO_MUCH):
        return show_answers(request, [Answer(False, "", TOO_LARGE)])
    return default_bad_request(request, exception)


def _pod(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = find_or_404(cluster, POD_KIND.id, namespace, name)
    now_ms = tell_time(cluster)["at_ms"]
    hold = find_holds(cluster, [stored], now_ms).get(stored.uid)
    return {
        "verdict": tell_pod(stored.data, now_ms, cluster.epoch_ms, stored.deleted_ms, hold),
        "pod": stored,
        "tone": readings.tone_of(stored),
        "status": stored.data.get("status") or {},
        "containers": readings.list_containers(stored.data, cluster.epoch_ms),
        "configurations": list_configurations(stored.data),
        "conduct": list_conduct(cluster, stored),
        "facts": count_on({AGE: ""}, cluster, stored, now_ms),
        "owners": readings.list_owners(cluster, stored),
    }


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
