"""What pods and nodes use: `metrics.k8s.io`, as a metrics server answers `kubectl top`.

Nobody records use. It is worked out by the engine from what was recorded last, for all who ask within the
same window. A real cluster has samples of everything that runs, so what nobody says is assumed here, and
marked by an annotation. Autoscalers never see what is assumed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lifecycle.engine.objects.names import ASSUMED
from lifecycle.engine.objects.times import format_time
from lifecycle.kube_api.asking import label_selectors
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.describing.built_in import USAGE
from lifecycle.kube_api.reading.assumed_use import WINDOW_MS, Sample, Samples, take_samples
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.status import not_found
from lifecycle.models import Cluster
from lifecycle.reads import virtual_now_ms
from lifecycle.runs.ahead import run_ahead

Json = dict[str, Any]


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


def _read(cluster: Cluster) -> Samples:
    window = virtual_now_ms(cluster) // WINDOW_MS
    return _work_out(cluster.pk, str(cluster.epoch_id), cluster.inbox_order, window)


@lru_cache(maxsize=8)
def _work_out(pk: int, epoch_id: str, commands: int, window: int) -> Samples:
    """Kept as long as nothing was asked of the cluster, and no longer than a window."""
    engine = run_ahead(Cluster.objects.get(pk=pk), span_ms=0).engine
    return take_samples(
        engine.list_uses(), engine.list("Pod"), engine.list("Node"), engine.now_ms, engine.epoch_ms
    )


def _list_pods(cluster: Cluster, namespace: str | None) -> list[Json]:
    return [
        _metrics("PodMetrics", cluster, one)
        | {"containers": [{"name": name, "usage": _amounts(*use)} for name, use in one.uses.items()]}
        for one in _read(cluster).pods
        if namespace in (None, one.meta["namespace"])
    ]


def _list_nodes(cluster: Cluster, namespace: str | None) -> list[Json]:
    return [
        _metrics("NodeMetrics", cluster, one) | {"usage": _amounts(*one.total)}
        for one in _read(cluster).nodes
    ]


def _metrics(kind: str, cluster: Cluster, sample: Sample) -> Json:
    at = format_time(sample.at_ms, cluster.epoch_ms)
    meta: Json = {name: sample.meta[name] for name in ("name", "namespace") if name in sample.meta}
    meta |= {"labels": sample.meta.get("labels") or {}, "creationTimestamp": at}
    if sample.assumed:
        meta["annotations"] = {ASSUMED: sample.assumed}
    head = {"kind": kind, "apiVersion": f"{USAGE}/v1beta1", "metadata": meta}
    return {**head, "timestamp": at, "window": f"{sample.window_ms / 1000:g}s"}


def _amounts(cpu_milli: int, memory_bytes: int) -> Json:
    return {"cpu": f"{cpu_milli}m", "memory": f"{-(-memory_bytes // 1024)}Ki"}
