"""The quality-of-service class of a pod, from the CPU and memory its containers ask for."""

from __future__ import annotations

from ...objects.pods.container import read_resources
from ...objects.pods.pod import PodSpec

GUARANTEED, BURSTABLE, BEST_EFFORT = "Guaranteed", "Burstable", "BestEffort"

_COUNTED = ("cpu", "memory")


def decide_qos_class(spec: PodSpec, pod_level: bool = True) -> str:
    """The class of a pod, init containers and sidecars included; amounts of 0 count as not given.

    `pod_level`: the gate PodLevelResources; with it, resources given for the whole pod decide alone, be it
    that they name no CPU and no memory.
    """
    notes = spec.notes
    if pod_level:
        if notes.qos_class is None:
            notes.qos_class = _decide(spec, True)
        return notes.qos_class
    if notes.qos_class_of_containers is None:
        notes.qos_class_of_containers = _decide(spec, False)
    return notes.qos_class_of_containers


def _decide(spec: PodSpec, pod_level: bool) -> str:
    if pod_level and spec.raw.get("resources") is not None:
        asked = [
            (read_resources(spec.resources.get("requests")), read_resources(spec.resources.get("limits")))
        ]
    else:
        asked = [(one.requests, one.limits) for one in (*spec.containers, *spec.init_containers)]
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    all_limited = True
    for container_requests, container_limits in asked:
        _add(requests, container_requests)
        all_limited = _add(limits, container_limits) and all_limited
    if not requests and not limits:
        return BEST_EFFORT
    # Every container limits both, and in sum each request equals its limit.
    if all_limited and len(requests) == len(limits) and all(requests.get(n) == limits[n] for n in limits):
        return GUARANTEED
    return BURSTABLE


def _add(sums: dict[str, int], amounts: dict[str, int]) -> bool:
    # Says whether the container gave both.
    given = 0
    for name in _COUNTED:
        amount = amounts.get(name, 0)
        if amount > 0:
            sums[name] = sums.get(name, 0) + amount
            given += 1
    return given == len(_COUNTED)
