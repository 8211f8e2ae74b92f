"""ResourceQuota: what a namespace may hold, asked at every create and told in the quota's status.

Models the quota plugin of admission and the quota controller's sums: a pod counts with its effective
requests and limits (INIT-30) until it has finished, every object by `count/<resource>`. Amounts: CPU in
milli, all else in whole units. Left out: the scopes of priority classes and volume classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .errors import Forbidden
from .kubelet.pod_resources import effective_limits, effective_requests
from .kubelet.qos import BEST_EFFORT, decide_qos_class
from .objects.meta import StoredObject
from .objects.pod import Pod, PodSpec
from .objects.quantity import cpu_milli, whole
from .store.store import Store

QUOTA = "ResourceQuota"
_BARE_COUNTS = (
    "configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services".split()
)
_BARE_REQUESTS = ("cpu", "memory", "ephemeral-storage")
_SUFFIXES = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))

Amounts = Mapping[str, int]


def require_room(store: Store, new: StoredObject, shown_name: str = "") -> None:
    """Raise Forbidden when a new object does not fit into a quota of its namespace."""
    name = shown_name or new.meta.name
    for quota in store.list(QUOTA, new.meta.namespace):
        hard = read_hard(quota)
        wanted = _only(count_usage(new), hard) if is_in_scope(quota, new) else {}
        if not wanted:
            continue
        missing = _unspecified(new, hard)
        if missing:
            _refuse(new, name, f"failed quota: {quota.meta.name}: must specify {missing}")
        used = count_used(store, quota)
        over = [one for one in sorted(wanted) if wanted[one] and used[one] + wanted[one] > hard[one]]
        if over:
            texts = [
                f"{word}: {','.join(f'{one}={write_amount(one, amounts[one])}' for one in over)}"
                for word, amounts in (("requested", wanted), ("used", used), ("limited", hard))
            ]
            _refuse(new, name, f"exceeded quota: {quota.meta.name}, {', '.join(texts)}")


def _refuse(new: StoredObject, name: str, why: str) -> None:
    plural, _, group = _resource_of(new).partition(".")
    shown = f"{plural}.{group}" if group else plural
    raise Forbidden(f'{shown} "{name}" is forbidden: {why}', plural, name)


def _resource_of(obj: StoredObject) -> str:
    group = obj.kind.api_version.rpartition("/")[0]
    return f"{obj.kind.plural}.{group}" if group else obj.kind.plural


# --- amounts --------------------------------------------------------------------------------------------


def read_hard(quota: StoredObject) -> dict[str, int]:
    """The limits of a quota by resource."""
    hard = (quota.spec or {}).get("hard") or {}
    return {name: cpu_milli(value) if _is_cpu(name) else whole(value) for name, value in hard.items()}


def _is_cpu(resource: str) -> bool:
    return resource.rpartition(".")[2] == "cpu"


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
    resource = _resource_of(obj)
    usage = {f"count/{resource}": 1}
    if isinstance(obj, Pod):
        if not obj.is_finished:
            usage["pods"] = 1
            usage |= _count_compute(obj.spec)
    elif resource in _BARE_COUNTS:
        usage[resource] = 1
    return usage


def _count_compute(spec: PodSpec) -> dict[str, int]:
    usage: dict[str, int] = {}
    for name, amount in effective_requests(spec).items():
        usage[f"requests.{name}"] = amount
        if name in _BARE_REQUESTS:
            usage[name] = amount
    for name, amount in effective_limits(spec).items():
        usage[f"limits.{name}"] = amount
    return usage


def _only(usage: Amounts, hard: Amounts) -> dict[str, int]:
    return {name: amount for name, amount in usage.items() if name in hard}


def count_used(store: Store, quota: StoredObject) -> dict[str, int]:
    """What the namespace of a quota uses of each of its resources."""
    hard = read_hard(quota)
    used = dict.fromkeys(hard, 0)
    for obj in _objects(store, quota.meta.namespace, hard):
        if is_in_scope(quota, obj):
            for name, amount in _only(count_usage(obj), hard).items():
                used[name] += amount
    return used


def _objects(store: Store, namespace: str | None, hard: Amounts) -> Iterable[StoredObject]:
    counted = {
        name.removeprefix("count/") for name in hard if name.startswith("count/") or name in _BARE_COUNTS
    }
    for kind in store.kinds():
        found = store.list(kind, namespace)
        for obj in found:
            # All objects of a kind are of one resource: the first tells whether any of them counts.
            if kind != "Pod" and _resource_of(obj) not in counted:
                break
            yield obj


# --- what a quota asks of pods --------------------------------------------------------------------------


def is_in_scope(quota: StoredObject, obj: StoredObject) -> bool:
    """Whether all scopes of a quota match: they are about pods alone."""
    scopes = (quota.spec or {}).get("scopes") or ()
    if not scopes:
        return True
    if not isinstance(obj, Pod):
        return False
    is_best_effort = decide_qos_class(obj.spec) == BEST_EFFORT
    is_ending = obj.spec.active_deadline_seconds is not None
    matches = {
        "BestEffort": is_best_effort,
        "NotBestEffort": not is_best_effort,
        "Terminating": is_ending,
        "NotTerminating": not is_ending,
    }
    return all(matches.get(scope, True) for scope in scopes)


def _unspecified(new: StoredObject, hard: Amounts) -> str:
    """Where a quota limits CPU or memory, every container has to say how much it wants (`cpu for: app`)."""
    if not isinstance(new, Pod):
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


def make_status(store: Store, quota: StoredObject) -> dict[str, Any]:
    """The status of a quota: its limits, and what is used of them."""
    used = {name: write_amount(name, amount) for name, amount in count_used(store, quota).items()}
    return {"hard": dict((quota.spec or {}).get("hard") or {}), "used": used}
