"""The admission plugins Priority and RuntimeClass: they complete new pods, and refuse an unknown class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kinds.plain import PRIORITY_CLASS, RUNTIME_CLASS
from ...objects.meta import StoredObject
from ...rules.defaults.pods import fill
from ...store.store import Store

Json = dict[str, Any]
GIVEN = ("priority", "preemptionPolicy")
"""What a PriorityClass gives to a pod."""
PREEMPTS = "PreemptLowerPriority"


def complete_classes(store: Store, raw: Mapping[str, Any]) -> Json:
    """A pod's spec with what its classes give; what they do not agree with is left for `find_problem`."""
    value, policy = 0, PREEMPTS
    found = _find_priority(store, raw)
    new = dict(raw)
    if found is not None:
        value, policy = _read(found)
        new["priorityClassName"] = found.meta.name
    fill(new, priority=value, preemptionPolicy=policy)
    runtime = _find(store, RUNTIME_CLASS.id, new.get("runtimeClassName"))
    return new if runtime is None else _with_runtime(new, runtime.extra or {})


def find_default(store: Store) -> StoredObject | None:
    """The PriorityClass of pods that name none: the lowest of those that are for all."""
    classes = (one for one in store.list(PRIORITY_CLASS.id) if (one.extra or {}).get("globalDefault"))
    return min(classes, key=lambda one: (one.extra or {}).get("value") or 0, default=None)


def _find(store: Store, kind: str, name: str | None) -> StoredObject | None:
    return store.get(kind, "", name) if name else None


def _read(priority_class: StoredObject) -> tuple[int, str]:
    given = priority_class.extra or {}
    return given.get("value") or 0, given.get("preemptionPolicy") or PREEMPTS


def _find_priority(store: Store, raw: Mapping[str, Any]) -> StoredObject | None:
    name = raw.get("priorityClassName")
    return _find(store, PRIORITY_CLASS.id, name) if name else find_default(store)


def find_problem(store: Store, raw: Json) -> str:
    """What the classes have against a pod's spec: one is missing, or gives what the pod has otherwise."""
    name, found = raw.get("priorityClassName"), _find_priority(store, raw)
    if name and found is None:
        return f"no PriorityClass with name {name} was found"
    value, policy = _read(found) if found is not None else (0, PREEMPTS)
    computed = "must not be provided in pod spec; priority admission controller computed"
    if raw.get("priority") not in (None, value):
        what = f"the integer value of priority ({raw['priority']})"
        return f"{what} {computed} {value} from the given PriorityClass name"
    if raw.get("preemptionPolicy") not in (None, policy):
        what = f"the string value of PreemptionPolicy ({raw['preemptionPolicy']})"
        return f"{what} {computed} {policy} from the given PriorityClass name"
    runtime = raw.get("runtimeClassName")
    found = _find(store, RUNTIME_CLASS.id, runtime)
    if runtime and found is None:
        return f'pod rejected: RuntimeClass "{runtime}" not found'
    return _find_conflict(raw, (found.extra or {}) if found is not None else {})


def _with_runtime(raw: Json, given: Mapping[str, Any]) -> Json:
    """What a runtime costs beside the containers, and the nodes that have it."""
    overhead, scheduling = (given.get("overhead") or {}).get("podFixed"), given.get("scheduling") or {}
    found = dict(raw)
    if overhead and not raw.get("overhead"):
        found["overhead"] = overhead
    if scheduling.get("nodeSelector"):
        found["nodeSelector"] = {**scheduling["nodeSelector"], **(raw.get("nodeSelector") or {})}
    own = list(raw.get("tolerations") or ())
    more = [one for one in scheduling.get("tolerations") or () if one not in own]
    if more:
        found["tolerations"] = own + more
    return found


def _find_conflict(raw: Json, given: Mapping[str, Any]) -> str:
    overhead = (given.get("overhead") or {}).get("podFixed")
    if raw.get("overhead") and not overhead:
        return "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
    if overhead and raw.get("overhead") != overhead:
        return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
    has = raw.get("nodeSelector") or {}
    for key, value in ((given.get("scheduling") or {}).get("nodeSelector") or {}).items():
        if has.get(key, value) != value:
            scheduling = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
            return f"conflict: {scheduling}; pod.spec.nodeSelector[{key}] = {has[key]}"
    return ""
