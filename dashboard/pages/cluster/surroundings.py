"""What is wrong with the objects around workloads: Services, budgets and autoscalers that do nothing."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.addresses import find_page
from dashboard.pages.cluster.troubles import MOST_TOLD, Part, Trouble
from dashboard.pages.seen import read_noticed
from dashboard.plots.theme import TONES
from dashboard.reading.objects import alive
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.rules.telling.noticed import NOTHING
from lifecycle.engine.rules.telling.surroundings import tell_budget, tell_scaler, tell_service
from lifecycle.models import Cluster, StoredObject

MOST_LOOKED_AT = 200
MOST_PODS = 500
"""Of so many pods the labels and ports are read; of a bigger cluster nothing is said of Services."""


def list_idle(cluster: Cluster) -> Part:
    """The Services and budgets that select no pod, and Services that name a port nobody has."""
    found: list[tuple[StoredObject, str]] = []
    chosen = [(SERVICE.kind.id, tell_service), (POD_DISRUPTION_BUDGET.kind.id, tell_budget)]
    rows = [(one, tell) for kind, tell in chosen for one in _list(cluster, kind)]
    living = alive(cluster, POD_KIND.id)
    if not rows or living.count() > MOST_PODS:
        return Part()
    pods: dict[str | None, list[Pod]] = {}
    for one in living.order_by("created_ms", "name"):
        pods.setdefault(one.namespace, []).append(Pod.from_json(one.data, cluster.epoch_ms))
    for one, tell in rows:
        # Of a namespace without pods nobody expects that any is selected.
        if one.namespace in pods and (told := tell(one.data, pods[one.namespace])):
            found.append((one, told))
    return _make_part(found)


def list_scalers(cluster: Cluster, now_ms: int) -> Part:
    """The autoscalers that do not scale, and those whose size somebody else sets."""
    scalers = _list(cluster, HORIZONTAL_POD_AUTOSCALER.kind.id)
    noticed = read_noticed(cluster, [one.uid for one in scalers], now_ms)
    told = [(one, tell_scaler(one.data, None, noticed.get(one.uid, NOTHING))) for one in scalers]
    return _make_part((one, words) for one, words in told if words)


def _list(cluster: Cluster, kind: str) -> list[StoredObject]:
    return list(alive(cluster, kind).order_by("created_ms", "name")[:MOST_LOOKED_AT])


def _make_part(found: Iterable[tuple[StoredObject, str]]) -> Part:
    troubles = [
        Trouble(
            TONES["stuck"],
            one.name,
            find_page(one.kind, one.namespace or "", one.name),
            f"{one.kind} {one.name}: {told}",
        )
        for one, told in found
    ]
    return Part(troubles[:MOST_TOLD], len(troubles))
