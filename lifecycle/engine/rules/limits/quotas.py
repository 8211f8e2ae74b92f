"""ResourceQuotas: what an object takes of one, of which objects it speaks, and how its amounts are written.

A pod counts with its effective requests and limits (INIT-30) until it has finished, every object by
`count/<resource>`. Amounts: CPU in milli, all else in whole units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...objects.meta import StoredObject
from ...objects.names import CLASS_ONCE, PREFERRED, REQUIRED
from ...objects.pods.pod import Pod, PodSpec
from ...objects.quantity import canonical, cpu_milli, whole
from ..pods.qos import BEST_EFFORT, decide_qos_class
from ..pods.resources import effective_limits, effective_requests

BARE_COUNTS = (
    "configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services".split()
)
"""What is counted by its bare name too."""
_BARE_REQUESTS = ("cpu", "memory", "ephemeral-storage")
_SUFFIXES = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
_CLASS = ".storageclass.storage.k8s.io/"
OF_CLAIMS = ("requests.storage", "persistentvolumeclaims")
"""How the names of what claims take end."""
CLAIM, SERVICE = "PersistentVolumeClaim", "Service"

Json = Mapping[str, Any]
Amounts = Mapping[str, int]


# --- amounts --------------------------------------------------------------------------------------------


def read_hard(quota: StoredObject) -> dict[str, int]:
    """The limits of a quota by resource."""
    hard = (quota.spec or {}).get("hard") or {}
    return {name: cpu_milli(value) if _is_cpu(name) else whole(value) for name, value in hard.items()}


def _is_cpu(resource: str) -> bool:
    return resource.rpartition(".")[2] == "cpu"


def write_hard(quota: StoredObject) -> dict[str, str]:
    """The limits of a quota as they were given."""
    return {name: canonical(value) for name, value in ((quota.spec or {}).get("hard") or {}).items()}


def write_amount(resource: str, amount: int) -> str:
    """An amount as Kubernetes writes it: `1500m`, `2`, `1Gi`."""
    if _is_cpu(resource):
        return f"{amount}m" if amount % 1000 else str(amount // 1000)
    if resource.rpartition(".")[2] in ("memory", "ephemeral-storage", "storage") and amount:
        for suffix, bits in _SUFFIXES:
            if amount % (1 << bits) == 0:
                return f"{amount >> bits}{suffix}"
    return str(amount)


def count_usage(obj: StoredObject) -> dict[str, int]:
    """What one object takes of a quota. A finished pod takes no more than its place in storage."""
    resource = obj.kind.resource
    usage = {f"count/{resource}": 1}
    if isinstance(obj, Pod):
        if not obj.is_finished:
            usage["pods"] = 1
            usage |= _count_compute(obj.spec)
        return usage
    if resource in BARE_COUNTS:
        usage[resource] = 1
    if obj.kind.id == SERVICE:
        usage |= _count_ports(obj.spec or {})
    elif obj.kind.id == CLAIM:
        usage |= _count_storage(obj)
    return usage


def _count_ports(spec: Json) -> dict[str, int]:
    """Ports of nodes that a Service will be given, and load balancers."""
    ports = spec.get("ports") or ()
    is_balanced = spec.get("type") == "LoadBalancer"
    if is_balanced and spec.get("allocateLoadBalancerNodePorts") is False:
        count = sum(1 for port in ports if port.get("nodePort"))
    else:
        count = len(ports) if is_balanced or spec.get("type") == "NodePort" else 0
    return {"services.nodeports": count, "services.loadbalancers": int(is_balanced)}


def _count_storage(claim: StoredObject) -> dict[str, int]:
    """What a claim asks for, or has been given if that is more; once more under its class."""
    spec, status = claim.spec or {}, claim.status or {}
    sizes = [
        whole(given["storage"])
        for given in ((spec.get("resources") or {}).get("requests"), status.get("allocatedResources"))
        if given and "storage" in given
    ]
    usage = {"persistentvolumeclaims": 1}
    if sizes:
        usage["requests.storage"] = max(sizes)
    name = claim.meta.annotations.get(CLASS_ONCE) or spec.get("storageClassName")
    return usage | {f"{name}{_CLASS}{one}": amount for one, amount in usage.items()} if name else usage


def _count_compute(spec: PodSpec) -> dict[str, int]:
    usage: dict[str, int] = {}
    for name, amount in effective_requests(spec).items():
        usage[f"requests.{name}"] = amount
        if name in _BARE_REQUESTS or name.startswith("hugepages-"):
            usage[name] = amount
    for name, amount in effective_limits(spec).items():
        usage[f"limits.{name}"] = amount
    return usage


def only(usage: Amounts, hard: Amounts) -> dict[str, int]:
    """Of what is used what is limited."""
    return {name: amount for name, amount in usage.items() if name in hard}


# --- of what a quota speaks -----------------------------------------------------------------------------


def is_in_scope(quota: StoredObject, obj: StoredObject) -> bool:
    """Whether all scopes of a quota match: all but one are about pods alone."""
    spec = quota.spec or {}
    selectors = [{"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()]
    selectors += (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    return all(_is_of(selector, obj) for selector in selectors)


def _is_of(selector: Json, obj: StoredObject) -> bool:
    if isinstance(obj, Pod):
        return _matches(selector, obj.spec)
    if obj.kind.id != CLAIM or selector.get("scopeName") != "VolumeAttributesClass":
        return False
    spec, status = obj.spec or {}, obj.status or {}
    changing = status.get("modifyVolumeStatus") or {}
    names = (
        spec.get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        changing.get("targetVolumeAttributesClassName"),
    )
    found = [name for name in names if name] or [""]
    return any(_matches_class(selector, name) for name in found)


def _matches(selector: Mapping[str, Any], spec: PodSpec) -> bool:
    match selector.get("scopeName"):
        case "BestEffort":
            return decide_qos_class(spec) == BEST_EFFORT
        case "NotBestEffort":
            return decide_qos_class(spec) != BEST_EFFORT
        case "Terminating":
            return spec.active_deadline_seconds is not None
        case "NotTerminating":
            return spec.active_deadline_seconds is None
        case "PriorityClass":
            return _matches_class(selector, spec.raw.get("priorityClassName") or "")
        case "CrossNamespacePodAffinity":
            return any(
                term.get("namespaces") or term.get("namespaceSelector") is not None
                for term in _list_affinity_terms(spec.affinity)
            )
    return False


def _list_affinity_terms(affinity: Json) -> Iterator[Json]:
    """All terms of a pod's affinity to other pods, and of its aversion."""
    for group in ("podAffinity", "podAntiAffinity"):
        rules = affinity.get(group) or {}
        yield from rules.get(REQUIRED) or ()
        for weighted in rules.get(PREFERRED) or ():
            yield weighted.get("podAffinityTerm") or {}


def _matches_class(selector: Mapping[str, Any], name: str) -> bool:
    """Held against the name of a class; what has none is in none of the values."""
    match selector.get("operator"):
        case "Exists":
            return bool(name)
        case "DoesNotExist":
            return not name
        case "In":
            return name in (selector.get("values") or ())
        case "NotIn":
            return name not in (selector.get("values") or ())
    return False


def find_unspecified(new: StoredObject, hard: Amounts) -> str:
    """Where a quota limits CPU or memory, every container has to say how much it wants (`cpu for: app`).

    Unless the pod as a whole does.
    """
    if not isinstance(new, Pod) or new.spec.resources:
        return ""
    missing = []
    containers = (*new.spec.containers, *new.spec.init_containers)
    for resource in sorted(hard):
        part, _, name = resource.rpartition(".")
        if name not in ("cpu", "memory") or part not in ("", "requests", "limits"):
            continue
        names = [
            one.name for one in containers if name not in (one.limits if part == "limits" else one.requests)
        ]
        if names:
            missing.append(f"{resource} for: {','.join(sorted(names))}")
    return "; ".join(missing)


def make_status(quota: StoredObject, used: Amounts) -> dict[str, Any]:
    """The status of a quota: its limits, and what is used of them."""
    shown = {name: write_amount(name, amount) for name, amount in used.items()}
    return {"hard": dict((quota.spec or {}).get("hard") or {}), "used": shown}
