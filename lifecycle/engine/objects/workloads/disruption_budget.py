"""PodDisruptionBudgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from lifecycle.lean_dataclasses import dataclass, field

from ..condition import Condition
from ..int_or_percent import IntOrPercent, read_int_or_percent
from ..kinds import Kind
from ..record import Reading
from ..selector import Selector
from ..times import format_time, parse_time
from .workload import OBSERVED_GENERATION, Workload, WorkloadStatus

DISRUPTION_BUDGET_KIND = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True, "pdb")
ALWAYS_ALLOW = "AlwaysAllow"
_DISRUPTED = "disruptedPods"


class DisruptionBudgetSpec(Reading):
    """What must stay (`min_available`) or may go (`max_unavailable`), of the pods that are selected."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.selector = Selector(raw.get("selector"))
        self.min_available: IntOrPercent | None = read_int_or_percent(raw.get("minAvailable"))
        self.max_unavailable: IntOrPercent | None = read_int_or_percent(raw.get("maxUnavailable"))
        self.always_allows_unhealthy: bool = raw.get("unhealthyPodEvictionPolicy") == ALWAYS_ALLOW


@dataclass(slots=True, eq=False)
class DisruptionBudgetStatus(WorkloadStatus):
    """How many evictions it allows now, and from what; `disrupted_pods`: names of pods whose eviction was
    accepted, each with its instant, until their deletion is seen."""

    observed_generation: int = 0
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    conditions: tuple[Condition, ...] = ()
    disrupted_pods: dict[str, int] = field(default_factory=dict)
    extra: dict[str, Any] | None = None
    INTEGERS = (
        ("disruptionsAllowed", "disruptions_allowed"),
        ("currentHealthy", "current_healthy"),
        ("desiredHealthy", "desired_healthy"),
        ("expectedPods", "expected_pods"),
    )
    NUMBERS = (OBSERVED_GENERATION, *INTEGERS)
    TOLD_AT_ZERO = tuple(slot for _name, slot in INTEGERS)

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> Self:
        """Read `status`; what it leaves out is as in a new one."""
        rest = dict(data or {})
        disrupted = rest.pop(_DISRUPTED, None) or {}
        # A class with slots is made twice: `super()` would mean the first one.
        found = super(DisruptionBudgetStatus, cls).from_json(rest, epoch_ms)  # noqa: UP008
        return found.replace(
            disrupted_pods={name: parse_time(at, epoch_ms) for name, at in disrupted.items()}
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form. Unlike those of pods its conditions tell an empty message too."""
        data = super(DisruptionBudgetStatus, self).to_json(epoch_ms)  # noqa: UP008
        for told, condition in zip(data.get("conditions") or (), self.conditions, strict=True):
            told["message"] = condition.message
        names = sorted(self.disrupted_pods)
        disrupted = {name: format_time(self.disrupted_pods[name], epoch_ms) for name in names}
        return {**data, _DISRUPTED: disrupted} if disrupted else data


class DisruptionBudget(Workload):
    """A PodDisruptionBudget, typed."""

    __slots__ = ()
    KIND = DISRUPTION_BUDGET_KIND.name
    SPEC, STATUS = DisruptionBudgetSpec, DisruptionBudgetStatus
    spec: DisruptionBudgetSpec
    status: DisruptionBudgetStatus
