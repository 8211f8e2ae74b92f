"""What classes of priority and of runtimes give to new pods, and which pods name one that is not there.

Models the admission plugins Priority and RuntimeClass. Left out: a priority that is written in a pod without
a class is taken, where Kubernetes would refuse the pod.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..heart.errors import Forbidden
from ..kinds.plain import PRIORITY_CLASS, RUNTIME_CLASS
from ..objects.meta import ObjectMeta, StoredObject
from ..objects.pod import PodSpec
from ..store.store import Store

Json = dict[str, Any]


class PodClasses:
    """The classes of one cluster. `version` tells those who remember what a class gave."""

    __slots__ = ("_store", "version")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.version = 0
        store.listen(PRIORITY_CLASS.id, self._on_class)
        store.listen(RUNTIME_CLASS.id, self._on_class)

    def _on_class(self, old: StoredObject | None, new: StoredObject | None) -> None:
        self.version += 1

    def complete(self, raw: Json) -> Json:
        """A pod's spec with what its classes give; what they do not agree with is left for `require`."""
        priority = self._find_priority(raw)
        if priority is not None and not raw.get("priority"):
            given = priority.extra or {}
            policy = given.get("preemptionPolicy", "PreemptLowerPriority")
            named = {"priorityClassName": priority.meta.name, "preemptionPolicy": policy}
            raw = {**raw, **named, "priority": given.get("value", 0)}
        runtime = self._find(RUNTIME_CLASS.id, raw.get("runtimeClassName"))
        return raw if runtime is None else _with_runtime(raw, runtime.extra or {})

    def require(self, spec: PodSpec, meta: ObjectMeta) -> None:
        """Raise Forbidden when a class is missing, or gives what the pod has otherwise."""
        notes = spec.notes
        if notes.classes_at != self.version:
            notes.class_problem, notes.classes_at = self._find_problem(spec.raw), self.version
        if notes.class_problem:
            message = f'pods "{meta.name}" is forbidden: {notes.class_problem}'
            raise Forbidden(message, "pods", meta.name)

    def _find(self, kind: str, name: str | None) -> StoredObject | None:
        return self._store.get(kind, "", name) if name else None

    def _find_priority(self, raw: Json) -> StoredObject | None:
        """The class a pod names; without a name the lowest of those that are for all."""
        if raw.get("priorityClassName"):
            return self._find(PRIORITY_CLASS.id, raw["priorityClassName"])
        classes = self._store.list(PRIORITY_CLASS.id)
        defaults = (one for one in classes if (one.extra or {}).get("globalDefault"))
        return min(defaults, key=lambda one: (one.extra or {}).get("value", 0), default=None)

    def _find_problem(self, raw: Json) -> str:
        name, found = raw.get("priorityClassName"), self._find_priority(raw)
        if name and found is None:
            return f"no PriorityClass with name {name} was found"
        value = (found.extra or {}).get("value", 0) if found is not None else None
        if value is not None and raw.get("priority") != value:
            return (
                f"the integer value of priority ({raw.get('priority')}) must not be provided in pod spec;"
                f" priority admission controller computed {value} from the given PriorityClass name"
            )
        runtime = raw.get("runtimeClassName")
        found = self._find(RUNTIME_CLASS.id, runtime)
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
