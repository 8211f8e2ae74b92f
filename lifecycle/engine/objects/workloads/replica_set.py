"""ReplicaSets."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition
from ..kinds import Kind
from ..pods.template import PodTemplate
from ..record import Reading
from ..selector import Selector
from .workload import OBSERVED_GENERATION, Workload, WorkloadStatus

REPLICA_SET_KIND = Kind("apps/v1", "ReplicaSet", "replicasets", True, "rs")


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
class ReplicaSetStatus(WorkloadStatus):
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
    NUMBERS = (*INTEGERS, OBSERVED_GENERATION)
    TOLD_AT_ZERO = ("replicas", "terminating_replicas")


class ReplicaSet(Workload):
    """A ReplicaSet, typed."""

    __slots__ = ()
    KIND = REPLICA_SET_KIND.name
    SPEC: ClassVar[type[Any]] = ReplicaSetSpec
    STATUS = ReplicaSetStatus
    spec: ReplicaSetSpec
    status: ReplicaSetStatus

    def with_spec(self, spec: ReplicaSetSpec) -> Self:
        """The ReplicaSet with another spec."""
        return type(self)(self.kind, self.meta, spec, self.status, self.resource_version, self.extra)
