"""The cluster's page: look the cluster up, ask `readings`, render. Changes go through `answers`."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.asking import uploads
from dashboard.asking.answers import Answer, answer_problem
from dashboard.asking.forms import ControlForm, ForkForm, list_release_choices
from dashboard.asking.manifest_reports import MOST_SHOWN
from dashboard.asking.remarks import dismiss_remarks, read_remarks
from dashboard.asking.run_answers import Note, tell_end, tell_run
from dashboard.live.live_figures import tell_time
from dashboard.live.shared_parts import share_part
from dashboard.pages.autoscaler.readings import list_autoscalers
from dashboard.pages.budget.readings import list_budgets
from dashboard.pages.cluster.readings import list_missing, list_workloads
from dashboard.pages.cluster.trials import try_otherwise
from dashboard.pages.cluster.verdict import read_verdict
from dashboard.pages.compare.views import list_others
from dashboard.pages.examples import list_examples
from dashboard.pages.files.views import as_file
from dashboard.pages.node.readings import list_nodes
from dashboard.pages.parts import (
    UNPROCESSABLE,
    list_recent_events,
    messages_of,
    show_answers,
    show_live,
    signed_in,
    tell_clock,
)
from dashboard.pages.past import at_instant
from dashboard.pages.service.readings import list_served
from dashboard.pages.states import count_states
from dashboard.pages.stories import find_story_of
from dashboard.plots.queries import LONGEST
from dashboard.plots.theme import clock
from lifecycle.access import Verb, get_cluster_or_404, may
from lifecycle.input.problems import ManifestError
from lifecycle.models import Cluster
from lifecycle.reads import read_release
from lifecycle.recorded.images import list_assumed
from lifecycle.recorded.living import count_living
from lifecycle.recorded.requests import tell_lost_requests
from lifecycle.runs import forks, inbox
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.driving.run_requests import check_run


@signed_in
@at_instant
@as_file
def cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """The cluster's page: clock, timeline, manifest, workloads, events."""
    found = get_cluster_or_404(request.user, cluster)
    query = request.GET.get("q", "")[:LONGEST]
    # First, and so once for all parts of the page.
    count_living(found)
    context = show_live(request.user, found, "timeline", query=query) | {
        "states": count_states(found),
        "verdict": read_verdict(found, tell_time(found)["at_ms"]),
        "lost": tell_lost_requests(found, tell_time(found)["at_ms"]),
        "workloads": list_workloads(found),
        "autoscalers": list_autoscalers(found),
        "budgets": list_budgets(found),
        "services": list_served(found, tell_time(found)["at_ms"]),
        "nodes": list_nodes(found),
        "assumed": list_assumed(found),
        "missing": list_missing(found),
        "query": query,
        "story": None if found.is_look else find_story_of(found),
        "remarks": [] if found.is_look else read_remarks(request.session, found),
        "examples": list_examples(),
        "limits": uploads.LIMITS,
        "fork_name": forks.suggest_name(found, request.user),
        "release": read_release(found),
        "releases": list_release_choices(),
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
        count_living(found)
        context = {
            "cluster": found,
            "workloads": list_workloads(found),
            "autoscalers": list_autoscalers(found),
            "budgets": list_budgets(found),
            "services": list_served(found, tell_time(found)["at_ms"]),
            "nodes": list_nodes(found),
            "assumed": list_assumed(found),
            "missing": list_missing(found),
        }
        return render(request, "cluster/_workloads.html", context)

    return share_part("workloads", found, make)


@signed_in
def remarks(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the cluster's page with what was remarked of its manifests. POST: that is dismissed."""
    found = get_cluster_or_404(request.user, cluster)
    if request.method == "POST":
        dismiss_remarks(request.session, found)
    told = read_remarks(request.session, found)
    return render(request, "cluster/_remarks.html", {"cluster": found, "remarks": told})


@signed_in
@require_GET
def verdict(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the cluster's page that says what is wrong."""
    found = get_cluster_or_404(request.user, cluster)

    def make(found: Cluster) -> HttpResponse:
        now_ms = tell_time(found)["at_ms"]
        context = {
            "cluster": found,
            "verdict": read_verdict(found, now_ms),
            "lost": tell_lost_requests(found, now_ms),
        }
        return render(request, "cluster/_verdict.html", context)

    return share_part("verdict", found, make)


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
    return render(request, "_controls.html", context, status=UNPROCESSABLE if problem else 200)


@signed_in
@require_POST
def other_way(request: HttpRequest, cluster: str) -> HttpResponse:
    """Play the cluster's story with its images the other way round, and go to where that is seen."""
    found = get_cluster_or_404(request.user, cluster)
    try:
        made = try_otherwise(found, request.POST.get("way", ""), request.user)
    except ManifestError as error:
        return show_answers(request, [answer_problem(problem) for problem in error.problems[:MOST_SHOWN]])
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    except ValueError as error:
        return show_answers(request, [Answer(False, "", str(error))])
    return HttpResponseClientRedirect(reverse("cluster", args=[made.name]))


@signed_in
@require_POST
def fork(request: HttpRequest, cluster: str) -> HttpResponse:
    """Make a fork that is the asker's own, and go to it. Whoever may look at a cluster may fork it."""
    found = get_cluster_or_404(request.user, cluster)
    form = ForkForm(request.POST, found.epoch_ms)
    if form.is_valid():
        asked = form.cleaned_data
        try:
            made = forks.fork(found, asked["at"], request.user, asked["name"], kubernetes=asked["kubernetes"])
            return HttpResponseClientRedirect(reverse("cluster", args=[made.name]))
        except (ValueError, Unreadable) as problem:
            form.add_error("at", str(problem))
        except ValidationError as error:
            form.add_error("name", error.messages)
    return show_answers(request, [Answer(False, "", messages_of(form))])
