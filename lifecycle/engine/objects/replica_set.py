"""ReplicaSets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .condition import Condition, read_conditions
from .kinds import Kind
from .meta import StoredObject
from .pod_template import PodTemplate
from .record import Reading, Record
from .selector import Selector

REPLICA_SET_KIND = Kind("apps/v1", "ReplicaSet", "replicasets", True, "rs")
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
"""The annotation of a pod that its set reads on a scale-down: the lower cost goes first."""


class ReplicaSetSpec(Reading):
    """How many pods of which template. `raw` is the stored JSON."""

    __slots__ = ("min_ready_seconds", "raw", "replicas", "selector", "template")

    def __init__(
        self, raw: dict[str, Any], selector: Selector | None = None, template: PodTemplate | None = None
    ) -> None:
        replicas = raw.get("replicas")
        self.raw = raw
        self.replicas: int = 1 if replicas is None else replicas
        self.min_ready_seconds: int = raw.get("minReadySeconds") or 0
        self.selector = selector if selector is not None else Selector(raw.get("selector"))
        self.template = template if template is not None else PodTemplate.from_json(raw.get("template"))

    def with_numbers(self, **numbers: int) -> ReplicaSetSpec:
        """The spec with other `replicas` or `minReadySeconds`; selector and template are shared."""
        return ReplicaSetSpec({**self.raw, **numbers}, self.selector, self.template)

    @classmethod
    def made(
        cls, replicas: int, min_ready_seconds: int, selector: Selector, template: PodTemplate
    ) -> ReplicaSetSpec:
        """The spec of a ReplicaSet that a controller creates."""
        raw: dict[str, Any] = {"replicas": replicas, "selector": selector.raw, "template": template.raw}
        if min_ready_seconds:
            raw["minReadySeconds"] = min_ready_seconds
        return cls(raw, selector, template)


@dataclass(slots=True, eq=False)
class ReplicaSetStatus(Record):
    """What is reported of a ReplicaSet. `terminating_replicas` is None where it was never counted."""

    replicas: int = 0
    fully_labeled_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    terminating_replicas: int | None = None
    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()
    extra: dict[str, Any] | None = None
    INTEGERS = (
        ("replicas", "replicas"),
        ("fullyLabeledReplicas", "fully_labeled_replicas"),
        ("readyReplicas", "ready_replicas"),
        ("availableReplicas", "available_replicas"),
        ("terminatingReplicas", "terminating_replicas"),
    )
    """(name in the API, slot) of every number the trace follows, in the API's order."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> ReplicaSetStatus:
        """Read `status`; unknown fields are kept in `extra`."""
        data = data or {}
        return cls(
            data.get("replicas") or 0,
            data.get("fullyLabeledReplicas") or 0,
            data.get("readyReplicas") or 0,
            data.get("availableReplicas") or 0,
            data.get("terminatingReplicas"),
            data.get("observedGeneration") or 0,
            read_conditions(data.get("conditions"), epoch_ms),
            {name: value for name, value in data.items() if name not in _READ} or None,
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form: numbers that are 0 are left out, `replicas` aside."""
        data: dict[str, Any] = {"replicas": self.replicas}
        for name, slot in self.INTEGERS[1:4]:
            if value := getattr(self, slot):
                data[name] = value
        if self.terminating_replicas is not None:
            data["terminatingReplicas"] = self.terminating_replicas
        if self.observed_generation:
            data["observedGeneration"] = self.observed_generation
        if self.conditions:
            data["conditions"] = [condition.to_json(epoch_ms) for condition in self.conditions]
        if self.extra:
            data.update(self.extra)
        return data


_READ = frozenset((*dict(ReplicaSetStatus.INTEGERS), "observedGeneration", "conditions"))


class ReplicaSet(StoredObject):
    """A ReplicaSet, typed."""

    __slots__ = ()
    KIND = REPLICA_SET_KIND.name
    spec: ReplicaSetSpec
    status: ReplicaSetStatus

    @classmethod
    def _read_spec(cls, data: Mapping[str, Any], epoch_ms: int) -> ReplicaSetSpec:
        return ReplicaSetSpec(dict(data.get("spec") or {}))

    @classmethod
    def _read_status(cls, data: Any, epoch_ms: int) -> ReplicaSetStatus:
        return ReplicaSetStatus.from_json(data, epoch_ms)

    def spec_json(self, epoch_ms: int = 0) -> Any:
        return self.spec.raw

    def status_json(self, epoch_ms: int = 0) -> Any:
        return self.status.to_json(epoch_ms)

    def with_spec(self, spec: ReplicaSetSpec) -> ReplicaSet:
        """The ReplicaSet with another spec."""
        return ReplicaSet(self.kind, self.meta, spec, self.status, self.resource_version, self.extra)

    def with_status(self, status: ReplicaSetStatus) -> ReplicaSet:
        """The ReplicaSet with another status: the hot path's `replace`."""
        return ReplicaSet(self.kind, self.meta, self.spec, status, self.resource_version, self.extra)
