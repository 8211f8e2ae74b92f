"""Pages of the dashboard: look the cluster up, ask `readings`, render. Changes go through `answers`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
    ValidationError,
)
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_POST
from django.views.defaults import bad_request as default_bad_request
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from dashboard import answers, readings, uploads
from dashboard.answers import Answer, answer_problem
from dashboard.behaviors import list_assumed, list_conduct
from dashboard.configuration import list_configurations
from dashboard.examples import list_examples
from dashboard.forms import ChangeForm, ClusterForm, ControlForm, DeletePodForm, ForkForm, ManifestForm
from dashboard.live_figures import tell_time
from dashboard.manifest_reports import MOST_SHOWN, Report, read_report
from dashboard.plots.phases import VALUES
from dashboard.plots.theme import REVISIONS, STATES, duration
from lifecycle.access import Verb, clusters_for, get_cluster_or_404
from lifecycle.engine.objects.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.pod import POD_KIND
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.runs import container_logs, forks, inbox
from lifecycle.runs.checkpoints import Unreadable

SPEEDS = (0.1, 0.5, 1, 2, 5, 10, 60, 100, 600, 1000, 10_000)
WINDOWS = (("5m", 300_000), ("15m", 900_000), ("1h", 3_600_000), ("All", ""))
DEFAULT_WINDOW_MS = 900_000
RECENT_EVENTS = 60
UNPROCESSABLE = 422
TOO_MUCH = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
TOO_LARGE = "This is more than is read at once: give a part of it."


View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """Only for people who signed in; a part asked for by a page that was signed out sends the page away."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
        if htmx:
            return HttpResponseClientRedirect(redirect_to_login(htmx.current_url_abs_path or "/").url)
        return redirect_to_login(request.get_full_path())

    return checked


@signed_in
def clusters(request: HttpRequest, form: ClusterForm | None = None) -> HttpResponse:
    """Every cluster the user may see, and a form for another."""
    seen = [
        {
            "cluster": cluster,
            "states": readings.count_states(cluster),
            "clock": clock,
            "at": duration(clock["at_ms"]),
        }
        for cluster in clusters_for(request.user)
        for clock in [tell_time(cluster)]
    ]
    context = {"seen": seen, "form": form or ClusterForm()}
    return render(request, "clusters/list.html", context, status=UNPROCESSABLE if form else 200)


@signed_in
@require_POST
def create_cluster(request: HttpRequest) -> HttpResponse:
    """Make a cluster and go to it."""
    form = ClusterForm(request.POST)
    if form.is_valid():
        asked = form.cleaned_data
        try:
            made = inbox.create_cluster(request.user, asked["name"], asked["seed"], settings=form.settings())
            return redirect("cluster", made.name)
        except ValidationError as error:
            form.add_error("name", error.messages)
    return clusters(request, form)


@signed_in
def cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """The cluster's page: clock, timeline, manifest, workloads, events."""
    found = get_cluster_or_404(request.user, cluster)
    context = _live(found, "timeline") | {
        "states": readings.count_states(found),
        "workloads": readings.list_workloads(found),
        "assumed": list_assumed(found),
        "missing": readings.list_missing(found),
        "events": _recent_events(found),
        "examples": list_examples(),
        "limits": uploads.LIMITS,
        "fork_name": forks.suggest_name(found),
        "parent": clusters_for(request.user).filter(forks=found).first(),
        "forked_at": duration(found.forked_at_ms or 0),
    }
    return render(request, "clusters/cluster.html", context)


@signed_in
@require_GET
def workloads(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of the cluster's page that lists workloads."""
    found = get_cluster_or_404(request.user, cluster)
    context = {
        "cluster": found,
        "workloads": readings.list_workloads(found),
        "assumed": list_assumed(found),
        "missing": readings.list_missing(found),
        "states": readings.count_states(found),
    }
    return render(request, "clusters/_workloads.html", context)


@signed_in
def control(request: HttpRequest, cluster: str) -> HttpResponse:
    """Pause, resume, step, another speed, or run until something holds. GET: the controls as they are."""
    if request.method != "POST":
        return render(request, "clusters/_controls.html", _clock(get_cluster_or_404(request.user, cluster)))
    found = get_cluster_or_404(request.user, cluster, Verb.RUN)
    form, problem = ControlForm(request.POST), ""
    try:
        if not form.is_valid():
            raise ValidationError(_messages(form))
        asked = inbox.control(found, *form.control(tell_time(found)["at_ms"]), user=request.user)
        inbox.wait_for_control(asked)
        problem = asked.problem
    except ValidationError as error:
        problem = " ".join(error.messages)
    found.refresh_from_db()
    context = _clock(found) | {"problem": problem}
    return render(request, "clusters/_controls.html", context, status=UNPROCESSABLE if problem else 200)


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
    return _answer(request, [Answer(False, "", _messages(form))])


@signed_in
@require_POST
def apply_manifest(request: HttpRequest, cluster: str) -> HttpResponse:
    """Tell what became of the manifests that were brought, or apply what is right of them.

    Files are applied once their report was `seen`; a text that is right as a whole needs none.
    """
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    form = ManifestForm(request.POST, request.FILES)
    try:
        uploads.check_size(request.META.get("CONTENT_LENGTH"))
        if not form.is_valid():
            raise ValidationError(_messages(form))
        report = read_report(found, form.batches())
    except ValidationError as error:
        return _answer(request, [Answer(False, "", message) for message in error.messages])
    seen = form.cleaned_data["seen"]
    is_wanted = seen == report.digest or not (seen or form.has_files or report.refused)
    if report.documents and is_wanted:
        return _show_applied(request, report, answers.apply(found, report, request.user))
    context = {"report": report, "has_changed": bool(seen)}
    context["refused"] = [answer_problem(problem) for problem in report.refused[:MOST_SHOWN]]
    context["hidden"] = len(report.refused[MOST_SHOWN:])
    status = UNPROCESSABLE if report.refused else 200
    return render(request, "clusters/_report.html", context, status=status)


@signed_in
def pod(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One pod: lanes, containers, events, logs."""
    found = get_cluster_or_404(request.user, cluster)
    context = _live(found, f"pod:{namespace}/{name}") | _pod(found, namespace, name)
    uid = readings.event_uid_of(context["pod"])
    context |= {"event_uid": uid, "events": _recent_events(found, uid), "values": VALUES}
    # As `kubectl logs` does: the first of the containers proper.
    context["talker"] = next((one["name"] for one in context["containers"] if not one["role"]), "")
    return render(request, "pods/pod.html", context)


@signed_in
@require_GET
def pod_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of a pod's page that change: facts and containers."""
    found = get_cluster_or_404(request.user, cluster)
    return render(request, "pods/_status.html", {"cluster": found} | _pod(found, namespace, name))


@signed_in
@require_GET
def pod_log(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """What a container wrote, in its current run or the one before."""
    found = get_cluster_or_404(request.user, cluster)
    stored = _find(found, POD_KIND.id, namespace, name)
    container = request.GET.get("container", "")
    log = container_logs.find_run(found, stored.uid, container, "previous" in request.GET)
    return render(request, "pods/_log.html", {"log": log, "container": container})


@signed_in
@require_POST
def delete_pod(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Ask for a pod's graceful deletion."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    _find(found, POD_KIND.id, namespace, name)
    form = DeletePodForm(request.POST)
    if not form.is_valid():
        return _answer(request, [Answer(False, f"Pod {namespace}/{name}", _messages(form))])
    command = ("delete", form.payload(namespace, name), f"Pod {namespace}/{name}")
    return _answer(request, answers.send(found, [command], request.user))


@signed_in
def deployment(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One Deployment: its rollout, its pods, and what can be done to it."""
    found = get_cluster_or_404(request.user, cluster)
    subject = f"{namespace}/{name}"
    context = _live(found, f"rollout:{subject}") | _deployment(found, namespace, name)
    context |= {"timeline": f"timeline:{namespace}/Deployment/{name}"}
    context["figures"].append(context["timeline"])
    return render(request, "deployments/deployment.html", context)


@signed_in
@require_GET
def deployment_status(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """The parts of a Deployment's page that change: facts, conditions, revisions."""
    found = get_cluster_or_404(request.user, cluster)
    context = {"cluster": found} | _deployment(found, namespace, name)
    return render(request, "deployments/_status.html", context)


@signed_in
@require_POST
def change_deployment(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """Another image, more replicas, restart, pause, resume, undo, delete."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    _find(found, DEPLOYMENT_KIND.id, namespace, name)
    form, subject = ChangeForm(request.POST), f"Deployment {namespace}/{name}"
    if not form.is_valid():
        return _answer(request, [Answer(False, subject, _messages(form))])
    command = (*form.command(namespace, name), subject)
    return _answer(request, answers.send(found, [command], request.user))


@require_GET
@cache_control(max_age=3600, public=True)
def palette(request: HttpRequest) -> HttpResponse:
    """The colours of pod states for the stylesheet, from the one place that knows them."""
    rules = [f".tone-{tone.name} {{ --tone: {tone.colour}; }}" for tone in (*STATES, *VALUES)]
    rules += [f".revision-{turn} {{ --tone: {colour}; }}" for turn, colour in enumerate(REVISIONS)]
    return HttpResponse("\n".join(rules) + "\n", content_type="text/css; charset=utf-8")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A form of which there is too much is answered as any other that is wrong."""
    if getattr(request, "htmx", False) and isinstance(exception, TOO_MUCH):
        return _answer(request, [Answer(False, "", TOO_LARGE)])
    return default_bad_request(request, exception)


def _live(cluster: Cluster, *figures: str) -> dict[str, Any]:
    """What every live page needs: the socket's address, the clock, the windows of time."""
    return _clock(cluster) | {
        "figures": list(figures),
        "windows": WINDOWS,
        "window_ms": DEFAULT_WINDOW_MS,
        "base": reverse("cluster", args=[cluster.name]),
    }


def _clock(cluster: Cluster) -> dict[str, Any]:
    speeds = sorted({*SPEEDS, cluster.speed})
    return {"cluster": cluster, "clock": tell_time(cluster), "speeds": speeds}


def _recent_events(cluster: Cluster, uid: str = "") -> list[dict[str, Any]]:
    rows = Event.objects.filter(cluster=cluster, seq__lte=cluster.seq)
    rows = rows.filter(uid=uid) if uid else rows
    return [
        {"row": row, "at": f"+{duration(row.at_ms)}", "times": row.count if row.count > 1 else 0}
        for row in rows.order_by("-seq")[:RECENT_EVENTS]
    ]


def _find(cluster: Cluster, kind: str, namespace: str, name: str) -> StoredObject:
    stored = readings.find_object(cluster, kind, namespace, name)
    if stored is None:
        raise Http404(f"There is no {kind} {namespace}/{name} in the cluster {cluster.name}.")
    return stored


def _pod(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = _find(cluster, POD_KIND.id, namespace, name)
    end_ms = tell_time(cluster)["at_ms"] if stored.deleted_ms is None else stored.deleted_ms
    return {
        "pod": stored,
        "tone": readings.tone_of(stored),
        "status": stored.data.get("status") or {},
        "containers": readings.list_containers(stored.data),
        "configurations": list_configurations(stored.data),
        "conduct": list_conduct(cluster, stored),
        "age": duration(max(0, end_ms - stored.created_ms)),
    }


def _deployment(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = _find(cluster, DEPLOYMENT_KIND.id, namespace, name)
    template = (stored.data.get("spec") or {}).get("template") or {}
    return {
        "deployment": stored,
        "spec": stored.data.get("spec") or {},
        "status": stored.data.get("status") or {},
        "words": readings.rollout_words(stored.data),
        "containers": (template.get("spec") or {}).get("containers") or [],
        "revisions": readings.list_revisions(cluster, namespace, name),
    }


def _messages(form: Any) -> str:
    """A form's errors in one line, each with its field."""
    lines = []
    for name, errors in form.errors.items():
        lines += [error if name == "__all__" else f"{name}: {error}" for error in errors]
    return " ".join(lines)


def _answer(request: HttpRequest, given: list[Answer]) -> HttpResponse:
    is_good = all(answer.is_good for answer in given)
    return render(request, "_answers.html", {"answers": given}, status=200 if is_good else UNPROCESSABLE)


def _show_applied(request: HttpRequest, report: Report, given: list[Answer]) -> HttpResponse:
    """What came of each object: what went well in few words, what did not in full."""
    good = [answer for answer in given if answer.is_good]
    bad = [answer for answer in given if not answer.is_good]
    done = Counter(answer.message for answer in good if not answer.is_warning)
    context = {"good": good, "bad": bad[:MOST_SHOWN], "hidden": len(bad[MOST_SHOWN:])}
    context |= {"done": sorted(done.items()), "sections": report.sections}
    return render(request, "clusters/_applied.html", context, status=UNPROCESSABLE if bad else 200)
