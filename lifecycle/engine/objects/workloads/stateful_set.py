"""StatefulSets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition
from ..int_or_percent import IntOrPercent, read_int_or_percent
from ..kinds import Kind
from ..pods.template import PodTemplate
from ..record import Reading
from ..selector import Selector
from .workload import OBSERVED_GENERATION, Workload, WorkloadStatus

STATEFUL_SET_KIND = Kind("apps/v1", "StatefulSet", "statefulsets", True, "sts")
ROLLING_UPDATE, ON_DELETE = "RollingUpdate", "OnDelete"
PARALLEL = "Parallel"
RETAIN, DELETE = "Retain", "Delete"


class StatefulSetSpec(Reading):
    """What a StatefulSet asks for. `raw` is the stored JSON; what it leaves out is not defaulted here.

    `partition` is None where no rolling update is described. Ordinals go from `start` to `end`, both there.
    """

    def __init__(self, raw: dict[str, Any]) -> None:
        strategy = raw.get("updateStrategy") or {}
        rolling = strategy.get("rollingUpdate")
        retention = raw.get("persistentVolumeClaimRetentionPolicy") or {}
        replicas = raw.get("replicas")
        self.raw = raw
        self.replicas: int = 1 if replicas is None else replicas
        self.selector = Selector(raw.get("selector"))
        self.template = PodTemplate.from_json(raw.get("template"))
        self.service_name: str = raw.get("serviceName") or ""
        self.start: int = (raw.get("ordinals") or {}).get("start") or 0
        self.end = self.start + self.replicas - 1
        self.is_parallel: bool = raw.get("podManagementPolicy") == PARALLEL
        self.strategy_type: str = strategy.get("type") or ""
        self.partition: int | None = None if rolling is None else rolling.get("partition") or 0
        self.max_unavailable: IntOrPercent | None = read_int_or_percent((rolling or {}).get("maxUnavailable"))
        self.min_ready_seconds: int = raw.get("minReadySeconds") or 0
        limit = raw.get("revisionHistoryLimit")
        self.revision_history_limit: int = 10 if limit is None else limit
        self.when_deleted: str = retention.get("whenDeleted") or RETAIN
        self.when_scaled: str = retention.get("whenScaled") or RETAIN
        self.claim_templates: tuple[Mapping[str, Any], ...] = tuple(raw.get("volumeClaimTemplates") or ())
        self.claim_names: tuple[str, ...] = tuple(
            (one.get("metadata") or {}).get("name") or "" for one in self.claim_templates
        )

    def is_in_range(self, ordinal: int) -> bool:
        """Whether a pod of this ordinal is to be there; one that is there and is not to be is condemned."""
        return self.start <= ordinal <= self.end


@dataclass(slots=True, eq=False)
class StatefulSetStatus(WorkloadStatus):
    """What is reported of a StatefulSet. Revisions by the names of their ControllerRevisions."""

    replicas: int = 0
    ready_replicas: int = 0
    current_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    collision_count: int | None = None
    observed_generation: int = 0
    current_revision: str = ""
    update_revision: str = ""
    conditions: tuple[Condition, ...] = ()
    extra: dict[str, Any] | None = None
    INTEGERS = (
        ("replicas", "replicas"),
        ("readyReplicas", "ready_replicas"),
        ("currentReplicas", "current_replicas"),
        ("updatedReplicas", "updated_replicas"),
        ("availableReplicas", "available_replicas"),
        ("collisionCount", "collision_count"),
    )
    NUMBERS = (
        OBSERVED_GENERATION,
        *INTEGERS,
        ("currentRevision", "current_revision"),
        ("updateRevision", "update_revision"),
    )
    TOLD_AT_ZERO = ("replicas", "available_replicas", "collision_count")


class StatefulSet(Workload):
    """A StatefulSet, typed."""

    __slots__ = ()
    KIND = STATEFUL_SET_KIND.name
    SPEC: ClassVar[type[Any]] = StatefulSetSpec
    STATUS = StatefulSetStatus
    spec: StatefulSetSpec
    status: StatefulSetStatus
