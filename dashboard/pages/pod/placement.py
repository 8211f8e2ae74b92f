"""Where a pod would go now, for its page: the scheduler's own filters and scores on what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.pages.parts import find_or_404, signed_in
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.registry import read_object
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects import meta
from lifecycle.engine.objects.node import NODE_KIND, Node
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.releases.switches import BALANCE_SCORES_IMPROVEMENT
from lifecycle.engine.rules.volumes.claims import list_claims
from lifecycle.engine.scheduler.explanation import judge_nodes, tell_outcome
from lifecycle.models import Cluster, StoredObject
from lifecycle.stored_kinds import of_kind

MOST_PODS, MOST_SHOWN = 3000, 50
"""So many living pods are read, else a page would have to wait; so many nodes are listed."""


@signed_in
@require_GET
def placement(request: HttpRequest, cluster: str, namespace: str, name: str) -> HttpResponse:
    """What every node says to a pod."""
    found = get_cluster_or_404(request.user, cluster)
    stored = find_or_404(found, POD_KIND.id, namespace, name)
    return render(request, "pod/_placement.html", read_placement(found, stored))


def read_placement(cluster: Cluster, stored: StoredObject) -> dict[str, Any]:
    """The verdicts of the nodes of a cluster on a pod, as it is now."""
    alive = StoredObject.objects.filter(cluster=cluster, deleted_ms__isnull=True)
    pods = alive.filter(of_kind(POD_KIND.id))
    if stored.deleted_ms is not None:
        return {"outcome": "The pod is gone."}
    if pods.count() > MOST_PODS:
        return {"outcome": f"The cluster has more than {MOST_PODS} pods: too many to weigh here."}

    def read(rows: Any, one: Callable[[Any, int], Any]) -> list[Any]:
        return [one(data, cluster.epoch_ms) for data in rows.values_list("data", flat=True)]

    pod = Pod.from_json(stored.data, cluster.epoch_ms)
    nodes = read(alive.filter(of_kind(NODE_KIND.id)).order_by("created_ms", "pk"), Node.from_json)
    services = alive.filter(of_kind(SERVICE.kind.id), namespace=stored.namespace).order_by("pk")
    verdicts = judge_nodes(
        pod,
        nodes,
        read(pods.order_by("created_ms", "pk"), Pod.from_json),
        read(services, read_object),
        _find_owner(alive, pod, cluster),
        _labels_of(alive),
        Settings.from_saved(cluster.settings).switches[BALANCE_SCORES_IMPROVEMENT],
    )
    return {
        "outcome": tell_outcome(pod, verdicts),
        "verdicts": verdicts[:MOST_SHOWN],
        "hidden": max(0, len(verdicts) - MOST_SHOWN),
        "node": pod.node_name,
        "has_claims": bool(list(list_claims(pod))),
    }


def _find_owner(alive: Any, pod: Pod, cluster: Cluster) -> meta.StoredObject | None:
    owner = pod.meta.controller
    if owner is None:
        return None
    found = alive.filter(of_kind(owner.kind_id), namespace=pod.meta.namespace, name=owner.name).first()
    return read_object(found.data, cluster.epoch_ms) if found is not None else None


def _labels_of(alive: Any) -> Callable[[str], Mapping[str, str]]:
    rows = alive.filter(of_kind(NAMESPACE.kind.id)).values_list("name", "data")
    labels = {name: (data.get("metadata") or {}).get("labels") or {} for name, data in rows}
    return lambda namespace: labels.get(namespace, {})
