"""ResourceQuota: what a namespace may hold, asked at every create and told in the quota's status.

Models the quota plugin of admission and the quota controller's sums: a pod counts with its effective
requests and limits (INIT-30) until it has finished, every object by `count/<resource>`. Amounts: CPU in
milli, all else in whole units. Left out: the scopes CrossNamespacePodAffinity and VolumeAttributesClass,
which nothing is found to be of, and what volume claims and the types of Services use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..heart.errors import Forbidden
from ..objects.meta import StoredObject
from ..objects.pod import Pod, PodSpec
from ..objects.quantity import cpu_milli, whole
from ..rules.pod_resources import effective_limits, effective_requests
from ..rules.qos import BEST_EFFORT, decide_qos_class
from ..store.store import Store

QUOTA = "ResourceQuota"
_BARE_COUNTS = (
    "configmaps persistentvolumeclaims pods replicationcontrollers resourcequotas secrets services".split()
)
_BARE_REQUESTS = ("cpu", "memory", "ephemeral-storage")
_SUFFIXES = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))

Amounts = Mapping[str, int]


class _Sum:
    """One quota: its limits, and what is used of them."""

    __slots__ = ("hard", "quota", "used")

    def __init__(self, quota: StoredObject, used: dict[str, int]) -> None:
        self.quota = quota
        self.hard = read_hard(quota)
        self.used = used

    def add(self, obj: StoredObject, sign: int) -> bool:
        """Count an object in (1) or out (-1); whether that makes a difference."""
        usage = self.usage(obj)
        for name, amount in usage.items():
            self.used[name] += sign * amount
        return bool(usage)

    def usage(self, obj: StoredObject) -> dict[str, int]:
        """What an object takes of the quota."""
        return _only(count_usage(obj), self.hard) if is_in_scope(self.quota, obj) else {}


class QuotaSums:
    """What is used of each quota: counted when first asked for, then kept change by change."""

    __slots__ = ("_is_following", "_store", "_sums", "on_change")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_following = False
        # By namespace, then by the quota's uid.
        self._sums: dict[str, dict[str, _Sum]] = {}
        self.on_change: Callable[[str], None] = lambda _namespace: None

    def used(self, quota: StoredObject) -> Amounts:
        """What the namespace of a quota uses of each of its resources."""
        return self._sum(quota).used

    def _sum(self, quota: StoredObject) -> _Sum:
        sums = self._sums.setdefault(quota.meta.namespace or "", {})
        known = sums.get(quota.meta.uid)
        if known is None or known.quota.spec is not quota.spec:
            known = sums[quota.meta.uid] = _Sum(quota, count_used(self._store, quota))
            if not self._is_following:
                # Only from the first quota on: a cluster without any pays nothing.
                self._is_following = True
                self._store.listen_to_shape("", self._on_change)
        return known

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        sums = self._sums.get(some.meta.namespace or "")
        if not sums or (old is not None and new is not None and _counts_alike(old, new)):
            return
        if new is None:
            sums.pop(some.meta.uid, None)
        changed = False
        for one in sums.values():
            was_counted = old is not None and one.add(old, -1)
            is_counted = new is not None and one.add(new, 1)
            changed = changed or was_counted or is_counted
        if changed:
            self.on_change(some.meta.namespace or "")

    def require_room(self, new: StoredObject, old: StoredObject | None = None) -> None:
        """Raise Forbidden when an object does not fit into a quota of its namespace.

        A changed object needs room for what it takes more than the old one does.
        """
        name = new.meta.name
        for quota in self._store.list(QUOTA, new.meta.namespace):
            known = self._sum(quota)
            hard, used, wanted = known.hard, known.used, known.usage(new)
            if not wanted:
                continue
            missing = _unspecified(new, hard)
            if missing:
                _refuse(new, name, f"failed quota: {quota.meta.name}: must specify {missing}")
            has = known.usage(old) if old is not None else {}
            more = {one: amount - has.get(one, 0) for one, amount in wanted.items()}
            over = [one for one in sorted(more) if more[one] > 0 and used[one] + more[one] > hard[one]]
            if over:
                texts = [
                    f"{word}: {','.join(f'{one}={write_amount(one, amounts[one])}' for one in over)}"
                    for word, amounts in (("requested", more), ("used", used), ("limited", hard))
                ]
                _refuse(new, name, f"exceeded quota: {quota.meta.name}, {', '.join(texts)}")


def _counts_alike(old: StoredObject, new: StoredObject) -> bool:
    """Whether a change of an object cannot change what it takes: only pods ask for amounts, and finish."""
    if not isinstance(old, Pod) or not isinstance(new, Pod):
        return True
    return old.spec is new.spec and old.is_finished == new.is_finished


def _refuse(new: StoredObject, name: str, why: str) -> None:
    kind = new.kind
    raise Forbidden(f'{kind.resource} "{name}" is forbidden: {why}', kind.plural, name)


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
    resource = obj.kind.resource
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
        if name in _BARE_REQUESTS or name.startswith("hugepages-"):
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
            if kind != "Pod" and obj.kind.resource not in counted:
                break
            yield obj


# --- what a quota asks of pods --------------------------------------------------------------------------


def is_in_scope(quota: StoredObject, obj: StoredObject) -> bool:
    """Whether all scopes of a quota match: they are about pods alone."""
    spec = quota.spec or {}
    selectors = [{"scopeName": scope, "operator": "Exists"} for scope in spec.get("scopes") or ()]
    selectors += (spec.get("scopeSelector") or {}).get("matchExpressions") or ()
    if not selectors:
        return True
    return isinstance(obj, Pod) and all(_matches(selector, obj.spec) for selector in selectors)


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
    return False


def _matches_class(selector: Mapping[str, Any], name: str) -> bool:
    """Held against the name of a pod's class; a pod without one is in none of the values."""
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


def make_status(quota: StoredObject, used: Amounts) -> dict[str, Any]:
    """The status of a quota: its limits, and what is used of them."""
    shown = {name: write_amount(name, amount) for name, amount in used.items()}
    return {"hard": dict((quota.spec or {}).get("hard") or {}), "used": shown}
