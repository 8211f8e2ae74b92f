"""What a pod asks of a node as a whole: the amounts the scheduler, quota and cgroups count with.

Init containers run one after another beside the sidecars started before them, app containers run together
with all sidecars (SIDECAR-17): per resource, the larger of (apps + sidecars) and the highest init moment.
Amounts: CPU in milli, everything else in whole units.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.pods.container import Container, read_resources
from ...objects.pods.pod import Pod, PodSpec

UNLIMITED = -1
"""A limit no container sets counts as the highest one (INIT-27)."""

_LEAST_SHARES, _LEAST_QUOTA_US, _QUOTA_PERIOD_US = 2, 1_000, 100_000

_ASSUMED = {"cpu": 100, "memory": 200 << 20}
# Only these may be given for the pod as a whole.
_POD_LEVEL = ("cpu", "memory")


def effective_requests(spec: PodSpec) -> Mapping[str, int]:
    """The pod's effective requests, overhead included. Computed once per template; do not change it."""
    known = spec.notes.effective_requests
    if known is None:
        known = spec.notes.effective_requests = _requests(spec)
    return known


def assumed_requests(spec: PodSpec) -> tuple[int, int]:
    """CPU and memory that the scheduler counts a pod for where it compares how full nodes are.

    A container that asks for none of one is counted for 100m, or for 200Mi.
    """
    known = spec.notes.assumed_requests
    if known is None:
        total = {name: _peak(spec, name, "assumed") for name in _ASSUMED}
        _apply_pod_level(total, spec.resources.get("requests"))
        overhead = read_resources(spec.overhead)
        cpu, memory = (total[name] + overhead.get(name, 0) for name in _ASSUMED)
        known = spec.notes.assumed_requests = cpu, memory
    return known


def weighed_request(spec: PodSpec, name: str) -> int:
    """What a pod's usage is weighed against under node pressure (GetResourceRequestQuantity).

    Resources of the pod as a whole count alone, whichever they are; overhead counts for pods that ask for
    something.
    """
    own = spec.resources
    given = [resource for part in ("requests", "limits") for resource in own.get(part) or ()]
    if any(_is_pod_level(resource) for resource in given):
        amount = read_resources(own.get("requests")).get(name, 0) if _is_pod_level(name) else 0
    else:
        amount = _peak(spec, name, "requests")
    return amount + read_resources(spec.overhead).get(name, 0) if amount else 0


def effective_limits(spec: PodSpec) -> Mapping[str, int]:
    """The pod's effective limits: a resource that some container leaves unlimited is absent."""
    known = spec.notes.effective_limits
    if known is None:
        known = spec.notes.effective_limits = _limits(spec)
    return known


def decide_pod_cgroup(spec: PodSpec) -> dict[str, int]:
    """The amounts of the pod's own cgroup on Linux, from its effective requests and limits (INIT-31).

    `cpu.shares` are 1024 a CPU; without a limit on every container there is no quota and no memory limit.
    """
    milli = effective_requests(spec).get("cpu", 0)
    cgroup = {"cpu.shares": max(milli * 1024 // 1000, _LEAST_SHARES)}
    limits = effective_limits(spec)
    if limits.get("cpu"):
        cgroup["cpu.cfs_quota_us"] = max(limits["cpu"] * _QUOTA_PERIOD_US // 1000, _LEAST_QUOTA_US)
    if limits.get("memory"):
        cgroup["memory.limit_in_bytes"] = limits["memory"]
    return cgroup


def allotted_requests(pod: Pod) -> Mapping[str, int]:
    """The effective requests of what the containers' statuses say they have, whatever the spec asks for."""
    statuses = (*pod.status.init_containers, *pod.status.containers)
    has = {one.name: (one.extra or {}).get("resources") for one in statuses}
    raw = dict(pod.spec.raw)
    for part in ("containers", "initContainers"):
        raw[part] = [{**one, "resources": has.get(one["name"])} for one in raw.get(part) or ()]
    return effective_requests(PodSpec(raw))


def _requests(spec: PodSpec) -> dict[str, int]:
    names = {name for one in (*spec.containers, *spec.init_containers) for name in one.requests}
    total = {name: _peak(spec, name, "requests") for name in sorted(names)}
    _apply_pod_level(total, spec.resources.get("requests"))
    for name, amount in read_resources(spec.overhead).items():
        total[name] = total.get(name, 0) + amount
    return total


def _limits(spec: PodSpec) -> dict[str, int]:
    names = {name for one in (*spec.containers, *spec.init_containers) for name in one.limits}
    total = {name: _peak(spec, name, "limits") for name in sorted(names)}
    total = {name: amount for name, amount in total.items() if amount != UNLIMITED}
    _apply_pod_level(total, spec.resources.get("limits"))
    # Overhead raises a limit that exists; it never makes one.
    for name, amount in read_resources(spec.overhead).items():
        if name in total:
            total[name] += amount
    return total


def _apply_pod_level(total: dict[str, int], given: Mapping[str, Any] | None) -> None:
    for name, amount in read_resources(given).items():
        if _is_pod_level(name):
            total[name] = amount


def _is_pod_level(name: str) -> bool:
    return name in _POD_LEVEL or name.startswith("hugepages-")


def _peak(spec: PodSpec, name: str, part: str) -> int:
    # 100m sidecar, then init 300m, then app 150m: max(300 + 100, 150 + 100) = 400.
    sidecars = 0
    highest = 0
    for container in spec.init_containers:
        amount = _amount(container, name, part)
        if amount == UNLIMITED:
            return UNLIMITED
        if container.is_sidecar:
            sidecars += amount
            highest = max(highest, sidecars)
        else:
            highest = max(highest, sidecars + amount)
    apps = 0
    for container in spec.containers:
        amount = _amount(container, name, part)
        if amount == UNLIMITED:
            return UNLIMITED
        apps += amount
    return max(highest, sidecars + apps)


def _amount(container: Container, name: str, part: str) -> int:
    if part == "requests":
        return container.requests.get(name, 0)
    if part == "assumed":
        return container.requests.get(name, _ASSUMED[name])
    return container.limits.get(name, UNLIMITED)
