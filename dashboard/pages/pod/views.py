"""A pod's page: its lanes, containers and events, and its deletion."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.forms import DeletePodForm
from dashboard.live.live_figures import tell_time
from dashboard.pages.ages import AGE, count_on
from dashboard.pages.files.views import as_file
from dashboard.pages.parts import (
    find_or_404,
    list_recent_events,
    messages_of,
    show_answers,
    show_live,
    signed_in,
)
from dashboard.pages.past import at_instant
from dashboard.pages.pod.behaviors import list_conduct
from dashboard.pages.pod.configuration import list_configurations
from dashboard.pages.pod.readings import list_containers, list_owners
from dashboard.pages.states import tone_of
from dashboard.plots.phases import VALUES
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject
from lifecycle.pod_judge import judge_pod
from lifecycle.recorded.objects import event_uid_of
from lifecycle.recorded.seen import judge, see_pods


@signed_in
@at_instant
@as_file
def pod(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """One pod: lanes, containers, events, logs."""
    found = get_cluster_or_404(request.user, cluster)
    context = _pod(found, namespace, name)
    context |= show_live(request.user, found, f"pod:{namespace}/{name}", stored=context["pod"])
    uid = event_uid_of(context["pod"])
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


def _tell_verdict(cluster: Cluster, stored: StoredObject, now_ms: int) -> str:
    told = judge(cluster, stored, now_ms)
    if told is not None:
        return told.sentence
    (seen,) = see_pods(cluster, [stored], now_ms)
    return judge_pod(seen, now_ms, cluster.epoch_ms, stored.deleted_ms)


def _pod(cluster: Cluster, namespace: str, name: str) -> dict[str, Any]:
    stored = find_or_404(cluster, POD_KIND.id, namespace, name)
    now_ms = tell_time(cluster)["at_ms"]
    return {
        "verdict": _tell_verdict(cluster, stored, now_ms),
        "pod": stored,
        "tone": tone_of(stored),
        "status": stored.data.get("status") or {},
        "containers": list_containers(stored.data, cluster.epoch_ms),
        "configurations": list_configurations(stored.data),
        "conduct": list_conduct(cluster, stored),
        "facts": count_on({AGE: ""}, cluster, stored, now_ms),
        "owners": list_owners(cluster, stored),
    }
