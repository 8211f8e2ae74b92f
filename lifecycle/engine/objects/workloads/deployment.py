"""Deployments."""

from __future__ import annotations

from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition
from ..int_or_percent import IntOrPercent, read_int_or_percent, resolve_fenceposts
from ..kinds import Kind
from ..pods.template import PodTemplate
from ..record import Reading
from ..selector import Selector
from .workload import OBSERVED_GENERATION, Workload, WorkloadStatus

DEPLOYMENT_KIND = Kind("apps/v1", "Deployment", "deployments", True, "deploy")
ROLLING_UPDATE, RECREATE = "RollingUpdate", "Recreate"
REVISION = "deployment.kubernetes.io/revision"
"""The annotation of a Deployment and of its ReplicaSets that numbers the template."""
NO_LIMIT = 2**31 - 1
"""A `progressDeadlineSeconds` or `revisionHistoryLimit` of this size means none."""


class DeploymentSpec(Reading):
    """What a Deployment asks for. `raw` is the stored JSON; what it leaves out is not defaulted here."""

    def __init__(self, raw: dict[str, Any], template: PodTemplate | None = None) -> None:
        strategy = raw.get("strategy") or {}
        rolling = strategy.get("rollingUpdate") or {}
        replicas = raw.get("replicas")
        self.raw = raw
        self.replicas: int = 1 if replicas is None else replicas
        self.selector = Selector(raw.get("selector"))
        self.template = template if template is not None else PodTemplate.from_json(raw.get("template"))
        self.strategy_type: str = strategy.get("type") or ""
        self.max_surge: IntOrPercent | None = read_int_or_percent(rolling.get("maxSurge"))
        self.max_unavailable: IntOrPercent | None = read_int_or_percent(rolling.get("maxUnavailable"))
        self.min_ready_seconds: int = raw.get("minReadySeconds") or 0
        self.progress_deadline_seconds: int | None = raw.get("progressDeadlineSeconds")
        self.revision_history_limit: int | None = raw.get("revisionHistoryLimit")
        self.paused: bool = bool(raw.get("paused"))
        self._surge_and_unavailable: tuple[int, int] | None = None

    @property
    def is_rolling_update(self) -> bool:
        """Whether pods are replaced step by step."""
        return self.strategy_type == ROLLING_UPDATE

    @property
    def has_progress_deadline(self) -> bool:
        """Whether a stalled rollout is ever reported."""
        return self.progress_deadline_seconds not in (None, NO_LIMIT)

    @property
    def surge_replicas(self) -> int:
        """How many pods there may be above `replicas`."""
        return self._resolved()[0] if self.is_rolling_update else 0

    @property
    def unavailable_replicas(self) -> int:
        """How many of `replicas` may be unavailable; never more than there are."""
        if not self.is_rolling_update or self.replicas == 0:
            return 0
        return min(self._resolved()[1], self.replicas)

    @property
    def min_available_replicas(self) -> int:
        """The floor a rolling update keeps; Recreate keeps none."""
        return self.replicas - self.unavailable_replicas if self.is_rolling_update else 0

    def _resolved(self) -> tuple[int, int]:
        if self._surge_and_unavailable is None:
            self._surge_and_unavailable = resolve_fenceposts(
                self.max_surge, self.max_unavailable, self.replicas
            )
        return self._surge_and_unavailable


@dataclass(slots=True, eq=False)
class DeploymentStatus(WorkloadStatus):
    """What is reported of a Deployment."""

    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    unavailable_replicas: int = 0
    terminating_replicas: int | None = None
    observed_generation: int = 0
    collision_count: int | None = None
    conditions: tuple[Condition, ...] = ()
    extra: dict[str, Any] | None = None
    INTEGERS = (
        ("replicas", "replicas"),
        ("updatedReplicas", "updated_replicas"),
        ("readyReplicas", "ready_replicas"),
        ("availableReplicas", "available_replicas"),
        ("unavailableReplicas", "unavailable_replicas"),
        ("terminatingReplicas", "terminating_replicas"),
        ("collisionCount", "collision_count"),
    )
    NUMBERS = (OBSERVED_GENERATION, *INTEGERS)
    TOLD_AT_ZERO = ("terminating_replicas", "collision_count")


class Deployment(Workload):
    """A Deployment, typed."""

    __slots__ = ()
    KIND = DEPLOYMENT_KIND.name
    SPEC, STATUS = DeploymentSpec, DeploymentStatus
    spec: DeploymentSpec
    status: DeploymentStatus
