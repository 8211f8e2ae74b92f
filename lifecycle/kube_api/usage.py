"""What pods and nodes use: `metrics.k8s.io`, as a metrics server answers `kubectl top`.

Nobody records use. It is worked out by the engine from what was recorded last, for all who ask within the
same window; a pod of whose use nothing is known has no metrics, as one that was not measured yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lifecycle.engine.objects.times import format_time
from lifecycle.kube_api import label_selectors
from lifecycle.kube_api.asked import Answer, Asked
from lifecycle.kube_api.built_in import USAGE
from lifecycle.kube_api.lists import Page
from lifecycle.kube_api.status import not_found
from lifecycle.models import Cluster
from lifecycle.reads import virtual_now_ms
from lifecycle.runs.ahead import run_ahead

Json = dict[str, Any]
# A metrics server asks the kubelets this often.
WINDOW_MS = 15_000


def answer(asked: Asked) -> Answer:
    """GET of one object's use, or of all. Raises Refusal."""
    address, resource = asked.address, asked.resource
    make = _list_pods if resource.namespaced else _list_nodes
    items = make(asked.cluster, address.namespace)
    if address.name:
        found = next((item for item in items if item["metadata"]["name"] == address.name), None)
        if found is None:
            raise not_found(resource, address.name)
        return Answer(found)
    selector = label_selectors.parse(asked.options.get("labelSelector", ""))
    chosen = [item for item in items if label_selectors.matches(selector, item["metadata"]["labels"])]
    return Answer(Page(chosen, str(asked.cluster.rv)))


def _read(cluster: Cluster) -> Sequence[Json]:
    window = virtual_now_ms(cluster) // WINDOW_MS
    return _work_out(cluster.pk, str(cluster.epoch_id), cluster.inbox_order, window)


@lru_cache(maxsize=8)
def _work_out(pk: int, epoch_id: str, commands: int, window: int) -> Sequence[Json]:
    """Kept as long as nothing was asked of the cluster, and no longer than a window."""
    return run_ahead(Cluster.objects.get(pk=pk), span_ms=0).engine.list_uses()


def _list_pods(cluster: Cluster, namespace: str | None) -> list[Json]:
    uses = (use for use in _read(cluster) if namespace in (None, use["pod"]["metadata"]["namespace"]))
    return [_pod_metrics(cluster, use) for use in uses]


def _pod_metrics(cluster: Cluster, use: Json) -> Json:
    containers = [
        {"name": name, "usage": _amounts(cpu, memory)} for name, (cpu, memory) in use["containers"].items()
    ]
    meta = use["pod"]["metadata"]
    shown = {"name": meta["name"], "namespace": meta["namespace"], "labels": meta.get("labels") or {}}
    return _metrics("PodMetrics", cluster, shown, use) | {"containers": containers}


def _list_nodes(cluster: Cluster, namespace: str | None) -> list[Json]:
    cpu: Counter[str] = Counter()
    memory: Counter[str] = Counter()
    latest: dict[str, Json] = {}
    for use in _read(cluster):
        node = use["pod"]["spec"].get("nodeName")
        if node:
            latest[node] = use
            for milli, amount in use["containers"].values():
                cpu[node] += milli
                memory[node] += amount
    return [
        _metrics("NodeMetrics", cluster, {"name": node, "labels": {}}, use)
        | {"usage": _amounts(cpu[node], memory[node])}
        for node, use in sorted(latest.items())
    ]


def _metrics(kind: str, cluster: Cluster, meta: Json, use: Json) -> Json:
    at = format_time(use["at_ms"], cluster.epoch_ms)
    window = f"{use['window_ms'] / 1000:g}s"
    head = {"kind": kind, "apiVersion": f"{USAGE}/v1beta1"}
    return {**head, "metadata": {**meta, "creationTimestamp": at}, "timestamp": at, "window": window}


def _amounts(cpu_milli: int, memory_bytes: int) -> Json:
    return {"cpu": f"{cpu_milli}m", "memory": f"{-(-memory_bytes // 1024)}Ki"}
