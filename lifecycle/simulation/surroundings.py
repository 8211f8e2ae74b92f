"""The objects around workloads in the summary of a run: Services, budgets, autoscalers, namespaces; and pods
that were made to go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.addons import VERTICAL_POD_AUTOSCALER
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.names import FAILED_CREATE
from lifecycle.engine.objects.pods.pod import POD_KIND, RUNNING, Pod
from lifecycle.engine.rules.telling.autoscalers import tell_autoscaler, tell_vertical
from lifecycle.engine.rules.telling.disrupted import find_disrupted, tell_how
from lifecycle.engine.rules.telling.losses import WINDOW_MS
from lifecycle.engine.rules.telling.namespaces import find_holders, tell_stuck
from lifecycle.engine.rules.telling.noticed import Warned
from lifecycle.engine.rules.telling.surroundings import (
    find_target,
    is_silent,
    tell_budget,
    tell_scaler,
    tell_service,
)
from lifecycle.engine.rules.telling.verdicts import quote, tell_instant
from lifecycle.simulation.seen import Watch, map_pods

Json = Mapping[str, Any]
_MOST_TOLD = 10


def describe_surroundings(cluster: Cluster, watch: Watch) -> Iterator[str]:
    """A block for each autoscaler, and for each other object with which something is wrong."""
    pods: dict[str, list[Pod]] = {}
    for one in cluster.list(POD_KIND.id):
        pods.setdefault(one["metadata"]["namespace"], []).append(Pod.from_json(one, cluster.epoch_ms))
    for one in cluster.list(HORIZONTAL_POD_AUTOSCALER.kind.id):
        yield from _describe(one, _tell_autoscaler(one, cluster, watch))
    for one in cluster.list(VERTICAL_POD_AUTOSCALER.kind.id):
        yield from _describe(one, tell_vertical(one, _count_running(one, cluster)))
    for one in cluster.list("Service"):
        yield from _describe(one, tell_service(one, pods.get(one["metadata"]["namespace"], ())))
    for one in cluster.list(POD_DISRUPTION_BUDGET.kind.id):
        yield from _describe(one, tell_budget(one, pods.get(one["metadata"]["namespace"], ())))
    for one in cluster.list(NAMESPACE.kind.id):
        if one["metadata"].get("deletionTimestamp"):
            holders = find_holders(_list_all(cluster, one["metadata"]["name"]))
            yield from _describe(one, tell_stuck(one, cluster.now_ms, cluster.epoch_ms, holders))


def _count_running(autoscaler: Json, cluster: Cluster) -> int:
    """How many pods of a vertical autoscaler's target run."""
    target = cluster.get(*find_target(autoscaler, "targetRef"))
    found = map_pods(cluster).get(target["metadata"]["uid"], ()) if target is not None else ()
    return sum((one.get("status") or {}).get("phase") == RUNNING for one in found)


def describe_warned(cluster: Cluster, watch: Watch) -> Iterator[str]:
    """A block for each other object that is there and was warned of lately: claims, nodes, volumes."""
    told = {POD_KIND.id, HORIZONTAL_POD_AUTOSCALER.kind.id, *(entry.kind.id for entry in list_workloads())}
    for uid, noticed in watch.noticed.items():
        subject, warned = watch.subjects[uid], noticed.find_warning(cluster.now_ms - WINDOW_MS)
        kind = kind_id(subject.group, subject.kind)
        if warned is None or kind in told or warned.reason == FAILED_CREATE:
            continue
        if (found := cluster.get(kind, subject.namespace, subject.name)) is not None:
            yield from _describe(found, _tell_warned(warned))


def _tell_warned(warned: Warned) -> str:
    return f"lately: {warned.reason} at {tell_instant(warned.last_ms)}{quote(warned.message)}"


def _tell_autoscaler(autoscaler: Json, cluster: Cluster, watch: Watch) -> str:
    told = tell_autoscaler(autoscaler.get("spec") or {}, autoscaler.get("status") or {}).removesuffix(".")
    kind, namespace, name = find_target(autoscaler)
    noticed = watch.know(autoscaler)
    also = tell_scaler(autoscaler, cluster.get(kind, namespace, name) if kind else None, noticed)
    # What its condition says, its own sentence has told.
    words = [told] if is_silent(also) else [told, also]
    warned = noticed.find_warning(cluster.now_ms - WINDOW_MS)
    if warned is not None and warned.message not in told:
        words.append(_tell_warned(warned))
    return "; ".join(words)


def _describe(data: Json, told: str) -> Iterator[str]:
    if told:
        place = f"{data['metadata']['namespace']}/" if data["metadata"].get("namespace") else ""
        yield f"{data['kind']} {place}{data['metadata']['name']}"
        yield f"  verdict   {told[:1].upper()}{told[1:]}."


def _list_all(cluster: Cluster, namespace: str) -> Iterator[Json]:
    for kind in cluster.kinds():
        yield from cluster.list(kind, namespace)


def describe_disrupted(watch: Watch, names: Mapping[str, str]) -> Iterator[str]:
    """The pods that were made to go otherwise than by evictions that somebody asked for. `names`: by uid."""
    found = [
        (disrupted, names[uid])
        for uid, noticed in watch.noticed.items()
        if uid in names
        for disrupted in find_disrupted([noticed])
    ]
    if not found:
        return
    yield "Disruptions"
    for disrupted, name in sorted(found)[:_MOST_TOLD]:
        at = tell_instant(disrupted.at_ms)
        yield f"  {name} {tell_how(disrupted.reason)} at {at}{quote(disrupted.message)}"
    if len(found) > _MOST_TOLD:
        yield f"  and {len(found) - _MOST_TOLD} more"
