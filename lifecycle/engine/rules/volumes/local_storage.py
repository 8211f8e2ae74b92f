"""Local storage with a limit of its own: who is beyond it, and what is said of that. Pure.

Models the kubelet's local storage eviction: an emptyDir on disk that outgrows its `sizeLimit`, a pod or a
container that outgrows `limits.ephemeral-storage`. An emptyDir in memory cannot outgrow its own: it is full.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.pods.pod import PodSpec
from ...objects.quantity import canonical, canonical_sum, parse_quantity, whole
from ..pods.resources import effective_limits

STORAGE = "ephemeral-storage"


def has_storage_limits(spec: PodSpec) -> bool:
    """Whether a pod may be beyond a limit. Found out once per template."""
    known = spec.notes.has_storage_limits
    if known is None:
        known = any(_is_limited(volume) for volume in spec.volumes) or any(
            one.limits.get(STORAGE) for one in spec.all_containers
        )
        spec.notes.has_storage_limits = known
    return known


def is_in_memory(volume: Mapping[str, Any]) -> bool:
    """Whether a volume, given as JSON, is an emptyDir in memory."""
    return (volume.get("emptyDir") or {}).get("medium") == "Memory"


def _is_limited(volume: Mapping[str, Any]) -> bool:
    limit = (volume.get("emptyDir") or {}).get("sizeLimit")
    return limit is not None and not is_in_memory(volume) and parse_quantity(limit) > 0


def decide_memory_volume_size(volume: Mapping[str, Any], spec: PodSpec, node_bytes: int) -> int:
    """How much an emptyDir in memory holds: never more than its pod could have at all."""
    limit = volume["emptyDir"].get("sizeLimit")
    amounts = (whole(limit) if limit is not None else 0, effective_limits(spec).get("memory", 0), node_bytes)
    return min((amount for amount in amounts if amount > 0), default=0)


def decide_overflow(spec: PodSpec, in_volumes: Mapping[str, int], in_containers: Mapping[str, int]) -> str:
    """Why a pod is to be evicted; "" when it is within its limits.

    `in_volumes`: bytes in each emptyDir on disk; `in_containers`: bytes each container has written besides.
    """
    for volume in spec.volumes:
        name = volume.get("name", "")
        if _is_limited(volume) and in_volumes.get(name, 0) > whole(volume["emptyDir"]["sizeLimit"]):
            limit = canonical(volume["emptyDir"]["sizeLimit"])
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{limit}". '
    total = _total_limit(spec)
    if total and sum(in_volumes.values()) + sum(in_containers.values()) > whole(total):
        return f"Pod ephemeral local storage usage exceeds the total limit of containers {total}. "
    for container in spec.containers:
        if 0 < container.limits.get(STORAGE, 0) < in_containers.get(container.name, 0):
            limit = canonical(container.raw["resources"]["limits"][STORAGE])
            return f'Container {container.name} exceeded its local ephemeral storage limit "{limit}". '
    return ""


def _total_limit(spec: PodSpec) -> str:
    """What all containers may use together, "" when none has a limit. One without adds nothing.

    100Mi sidecar, then init 300Mi, then app 150Mi: max(300 + 100, 150 + 100) = 400Mi.
    """
    limited = [one for one in (*spec.containers, *spec.init_containers) if STORAGE in one.limits]
    if not limited:
        return ""
    sidecars = highest = 0
    for container in spec.init_containers:
        amount = container.limits.get(STORAGE, 0)
        sidecars += amount if container.is_sidecar else 0
        highest = max(highest, sidecars if container.is_sidecar else sidecars + amount)
    apps = sum(one.limits.get(STORAGE, 0) for one in spec.containers)
    first = limited[0].raw["resources"]["limits"][STORAGE]
    return canonical_sum(parse_quantity(max(highest, sidecars + apps)), first)
