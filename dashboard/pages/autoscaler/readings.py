"""Autoscalers as lists show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.addresses import find_page
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.rules.telling.autoscalers import tell_autoscaler
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.living import is_none
from lifecycle.recorded.objects import alive
from lifecycle.recorded.seen import list_scalers_of

Json = dict[str, Any]
KIND = HORIZONTAL_POD_AUTOSCALER.kind.id


@dataclass(frozen=True, slots=True)
class Listed:
    """An autoscaler as lists show it."""

    name: str
    namespace: str
    page: str
    target: str
    told: str


def list_autoscalers(cluster: Cluster, scaled: StoredObject | None = None) -> list[Listed]:
    """Every autoscaler there is, or those of one workload, by namespace and name."""
    if scaled is not None:
        rows = sorted(list_scalers_of(cluster, scaled), key=lambda row: row.name)
    elif is_none(cluster, (KIND,)):
        rows = []
    else:
        rows = list(alive(cluster, KIND).order_by("namespace", "name"))
    found = []
    for row in rows:
        spec, status = row.data.get("spec") or {}, row.data.get("status") or {}
        target, namespace = spec.get("scaleTargetRef") or {}, row.namespace or ""
        whom = f"{target.get('kind', '')}/{target.get('name', '')}"
        page = find_page(KIND, namespace, row.name)
        found.append(Listed(row.name, namespace, page, whom, tell_autoscaler(spec, status)))
    return found
