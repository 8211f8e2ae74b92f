"""What is wrong with the objects around workloads: Services, budgets and autoscalers that do nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.endpoint_slice import ENDPOINT_SLICE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.rules.network.services import SERVICE_NAME_LABEL
from lifecycle.engine.rules.telling.noticed import NOTHING
from lifecycle.engine.rules.telling.surroundings import tell_budget, tell_scaler, tell_service
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.living import find_living, is_none
from lifecycle.recorded.objects import alive, name_owner
from lifecycle.recorded.seen import read_noticed
from lifecycle.recorded.troubles import MOST_TOLD, Part, Trouble

MOST_LOOKED_AT = 200
MOST_PODS = 500
"""Of so many pods the labels and ports are read; of a bigger cluster nothing is said of Services."""


def list_idle(cluster: Cluster) -> Part:
    """The Services and budgets that select no pod, and Services that name a port nobody has."""
    found: list[tuple[StoredObject, str]] = []
    chosen = [(SERVICE.kind.id, tell_service), (POD_DISRUPTION_BUDGET.kind.id, tell_budget)]
    living = alive(cluster, POD_KIND.id)
    if is_none(cluster, [kind for kind, _ in chosen]) or _count_pods(cluster) > MOST_PODS:
        return Part()
    used = _list_used(cluster)
    rows = [(one, tell) for kind, tell in chosen for one in _list(cluster, kind) if not _is_used(one, used)]
    if not rows:
        return Part()
    pods: dict[str | None, list[Pod]] = {}
    for one in living.filter(namespace__in={one.namespace for one, _ in rows}).order_by("created_ms", "name"):
        pods.setdefault(one.namespace, []).append(Pod.from_json(one.data, cluster.epoch_ms))
    for one, tell in rows:
        # Of a namespace without pods nobody expects that any is selected.
        if one.namespace in pods and (told := tell(one.data, pods[one.namespace])):
            found.append((one, told))
    return _make_part(found)


def _count_pods(cluster: Cluster) -> int:
    found = find_living(cluster, (POD_KIND.id,))
    return alive(cluster, POD_KIND.id).count() if found is None else sum(one.count for one in found)


def _list_used(cluster: Cluster) -> dict[tuple[str | None, str], int]:
    """The Services that have endpoints, and how many ports these have: their pods need not be looked at."""
    used: dict[tuple[str | None, str], int] = {}
    slices = alive(cluster, ENDPOINT_SLICE_KIND.id).order_by()
    for namespace, data in slices.values_list("namespace", "data"):
        name = (data["metadata"].get("labels") or {}).get(SERVICE_NAME_LABEL)
        if name and data.get("endpoints"):
            used[namespace, name] = len(data.get("ports") or ())
    return used


def _is_used(one: StoredObject, used: Mapping[tuple[str | None, str], int]) -> bool:
    """Whether its own controller has found pods for it, with each of its ports."""
    if one.kind == POD_DISRUPTION_BUDGET.kind.name:
        return bool((one.data.get("status") or {}).get("expectedPods"))
    ports = used.get((one.namespace, one.name))
    return ports is not None and ports >= len((one.data.get("spec") or {}).get("ports") or ())


def list_scalers(cluster: Cluster, now_ms: int) -> Part:
    """The autoscalers that do not scale, and those whose size somebody else sets."""
    scalers = _list(cluster, HORIZONTAL_POD_AUTOSCALER.kind.id)
    noticed = read_noticed(cluster, [one.uid for one in scalers], now_ms)
    told = [(one, tell_scaler(one.data, None, noticed.get(one.uid, NOTHING))) for one in scalers]
    return _make_part((one, words) for one, words in told if words)


def _list(cluster: Cluster, kind: str) -> list[StoredObject]:
    if is_none(cluster, (kind,)):
        return []
    return list(alive(cluster, kind).order_by("created_ms", "name")[:MOST_LOOKED_AT])


def _make_part(found: Iterable[tuple[StoredObject, str]]) -> Part:
    troubles = [
        Trouble("stuck", (one.namespace, name_owner(one)), f"{one.kind} {one.name}: {told}")
        for one, told in found
    ]
    return Part(troubles[:MOST_TOLD], len(troubles))
