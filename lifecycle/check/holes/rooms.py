"""How much room there is on the nodes and in a namespace, and what takes it away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.check.settled import Settled, Workload
from lifecycle.engine.kinds.plain import PRIORITY_CLASS
from lifecycle.engine.objects.names import REQUIRED
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.objects.quantity import amount
from lifecycle.engine.rules.pods.resources import effective_requests

Json = Mapping[str, Any]
ByNode = Mapping[str, Mapping[str, int]]
CPU, MEMORY = "cpu", "memory"
_RESOURCES = (CPU, MEMORY)
_NAMESPACE = "kube-system"
_HIGHER, _HIGHEST = 1_000, 1_000_000_000
_INTRUDER = "podline-intruder"
_ENDED = ("Succeeded", "Failed")


def sum_requests(pods: Iterable[Json]) -> dict[str, int]:
    """CPU in milli and memory in bytes that pods ask for together; those that have ended ask for nothing."""
    total = dict.fromkeys(_RESOURCES, 0)
    for pod in pods:
        if (pod.get("status") or {}).get("phase") in _ENDED:
            continue
        asked = effective_requests(PodSpec(dict(pod["spec"])))
        for name in _RESOURCES:
            total[name] += asked.get(name, 0)
    return total


def map_free(settled: Settled) -> ByNode:
    """By node what no pod on it has asked for."""
    return {node["metadata"]["name"]: _find_free(settled, node) for node in settled.nodes}


def _find_free(settled: Settled, node: Json) -> dict[str, int]:
    name, given = node["metadata"]["name"], (node.get("status") or {}).get("allocatable") or {}
    asked = sum_requests(one for one in settled.pods if one["spec"].get("nodeName") == name)
    return {one: max(amount(one, given.get(one, 0)) - asked[one], 0) for one in _RESOURCES}


# --- a full cluster -----------------------------------------------------------------------------------------


def list_fillers(settled: Settled) -> list[dict[str, Any]]:
    """A pod for each node that asks for all that is free there, of the same priority as any other."""
    return [
        {"filler": _make_pod(f"filler-{name}", free, {"nodeName": name})}
        for name, free in map_free(settled).items()
    ]


def _make_pod(name: str, asks: Mapping[str, int], beside: Json) -> dict[str, Any]:
    requests = {CPU: f"{asks[CPU]}m", MEMORY: str(asks[MEMORY])}
    container = {"name": "pause", "image": "registry.k8s.io/pause:3.10", "resources": {"requests": requests}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": _NAMESPACE},
        "spec": {
            "containers": [container],
            "tolerations": [{"operator": "Exists"}],
            "terminationGracePeriodSeconds": 0,
            **beside,
        },
    }


# --- preemption ---------------------------------------------------------------------------------------------


def list_intruders(settled: Settled, workload: Workload, free: ByNode) -> list[dict[str, Any]]:
    """What takes a workload's place: on each of its nodes a pod that needs all that it has and what is free.

    None where it has asked for nothing, or nobody is of a higher class.
    """
    own = [one for one in settled.pods if one["metadata"]["uid"] in workload.pods]
    priority = max((one["spec"].get("priority") or 0 for one in own), default=0)
    if priority + _HIGHER > _HIGHEST or not any(sum_requests(own).values()):
        return []
    head = {"apiVersion": PRIORITY_CLASS.api_version, "kind": PRIORITY_CLASS.name}
    higher = {**head, "metadata": {"name": _INTRUDER}, "value": priority + _HIGHER}
    return [{"intruder": one} for one in (higher, *_list_pods(own, free))]


def _list_pods(own: Iterable[Json], free: ByNode) -> Iterator[dict[str, Any]]:
    for name in free:
        here = sum_requests(one for one in own if one["spec"].get("nodeName") == name)
        if any(here.values()):
            asks = {one: free[name][one] + here[one] for one in _RESOURCES}
            beside = {"priorityClassName": _INTRUDER, "affinity": _only_on(name)}
            yield _make_pod(f"intruder-{name}", asks, beside)


def _only_on(node: str) -> dict[str, Any]:
    wanted = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [wanted]}]}
    return {"nodeAffinity": {REQUIRED: terms}}


# --- a quota that is met ------------------------------------------------------------------------------------


def make_quota(settled: Settled, namespace: str) -> dict[str, Any]:
    """A ResourceQuota of exactly what a namespace uses.

    What some pod does not ask for is not limited: it would be refused for that alone.
    """
    pods = [one for one in settled.pods if one["metadata"]["namespace"] == namespace]
    living = [one for one in pods if (one.get("status") or {}).get("phase") not in _ENDED]
    used = sum_requests(living)
    hard = {"pods": str(len(living))}
    if all(_asks_for(one, CPU) for one in living):
        hard["requests.cpu"] = f"{used[CPU]}m"
    if all(_asks_for(one, MEMORY) for one in living):
        hard["requests.memory"] = str(used[MEMORY])
    meta = {"name": "met", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": {"hard": hard}}


def _asks_for(pod: Json, resource: str) -> bool:
    spec = pod["spec"]
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return all(resource in ((one.get("resources") or {}).get("requests") or {}) for one in containers)
