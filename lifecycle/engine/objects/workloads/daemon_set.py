"""DaemonSets."""

from __future__ import annotations

from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition
from ..int_or_percent import IntOrPercent, read_int_or_percent, resolve
from ..kinds import Kind
from ..pods.template import PodTemplate
from ..record import Reading
from ..selector import Selector
from .workload import OBSERVED_GENERATION, Workload, WorkloadStatus

DAEMON_SET_KIND = Kind("apps/v1", "DaemonSet", "daemonsets", True, "ds")
ROLLING_UPDATE = "RollingUpdate"
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation that counts the changes of the template, from 1; nobody but the API server sets it."""
GENERATION_LABEL = "pod-template-generation"
"""The label of a pod that says it."""


class DaemonSetSpec(Reading):
    """What a DaemonSet asks for. `raw` is the stored JSON; what it leaves out is not defaulted here."""

    def __init__(self, raw: dict[str, Any], template: PodTemplate | None = None) -> None:
        strategy = raw.get("updateStrategy") or {}
        rolling = strategy.get("rollingUpdate") or {}
        self.raw = raw
        self.selector = Selector(raw.get("selector"))
        self.template = template if template is not None else PodTemplate.from_json(raw.get("template"))
        self.is_rolling_update: bool = strategy.get("type") == ROLLING_UPDATE
        self.max_surge: IntOrPercent = read_int_or_percent(rolling.get("maxSurge")) or 0
        self.max_unavailable: IntOrPercent = read_int_or_percent(rolling.get("maxUnavailable")) or 0
        self.min_ready_seconds: int = raw.get("minReadySeconds") or 0
        self.revision_history_limit: int | None = raw.get("revisionHistoryLimit")

    @property
    def allows_surge(self) -> bool:
        """Whether a node may have a new pod beside an old one."""
        return self.is_rolling_update and resolve(self.max_surge, 1, round_up=True) > 0

    def resolve_room(self, desired: int) -> tuple[int, int]:
        """(surge, unavailable) of an update of so many nodes; percentages round up: 50 % of 3 is 2.

        Where both come out as 0 the update could not move: then one node may be without a pod. Raises
        ValueError for a text that is no percentage.
        """
        if not self.is_rolling_update:
            return 0, 1 if desired else 0
        surge = resolve(self.max_surge, desired, round_up=True)
        unavailable = resolve(self.max_unavailable, desired, round_up=True)
        return surge, 1 if desired and not surge and not unavailable else unavailable


@dataclass(slots=True, eq=False)
class DaemonSetStatus(WorkloadStatus):
    """What is reported of a DaemonSet; all but the last two are numbers of nodes."""

    current_number_scheduled: int = 0
    number_misscheduled: int = 0
    desired_number_scheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0
    number_unavailable: int = 0
    observed_generation: int = 0
    collision_count: int | None = None
    conditions: tuple[Condition, ...] = ()
    extra: dict[str, Any] | None = None
    INTEGERS = (
        ("currentNumberScheduled", "current_number_scheduled"),
        ("numberMisscheduled", "number_misscheduled"),
        ("desiredNumberScheduled", "desired_number_scheduled"),
        ("numberReady", "number_ready"),
        ("updatedNumberScheduled", "updated_number_scheduled"),
        ("numberAvailable", "number_available"),
        ("numberUnavailable", "number_unavailable"),
        ("collisionCount", "collision_count"),
    )
    NUMBERS = (*INTEGERS[:4], OBSERVED_GENERATION, *INTEGERS[4:])
    TOLD_AT_ZERO = (*(slot for _name, slot in INTEGERS[:4]), "collision_count")


class DaemonSet(Workload):
    """A DaemonSet, typed."""

    __slots__ = ()
    KIND = DAEMON_SET_KIND.name
    SPEC, STATUS = DaemonSetSpec, DaemonSetStatus
    spec: DaemonSetSpec
    status: DaemonSetStatus

    @property
    def template_generation(self) -> int | None:
        """How often the template was changed; None where nobody has counted, or nobody can read it."""
        text = self.meta.annotations.get(TEMPLATE_GENERATION, "")
        return int(text) if text.isascii() and text.isdigit() else None
