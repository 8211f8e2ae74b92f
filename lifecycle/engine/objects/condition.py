"""Conditions as every Kubernetes object reports them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from .record import Record
from .times import format_time, parse_time_or_none

ALIASES = {"AllContainersRestarting": "PodRestartInPlace"}
"""Condition types that go by another name in the released API than in the newest documentation (RALL-13)."""


@dataclass(slots=True, eq=False)
class Condition(Record):
    """One condition. Instants in ms; `last_update_ms` is set by Deployments only.

    `last_transition_ms` moves only when `status` changes, which the makers of conditions see to.
    """

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_ms: int | None = None
    last_update_ms: int | None = None
    last_probe_ms: int | None = None
    observed_generation: int | None = None

    def dated(self, last_transition_ms: int | None) -> Condition:
        """The same since another instant: the hot path's `replace`."""
        new: Condition = object.__new__(Condition)
        new.type = self.type
        new.status = self.status
        new.reason = self.reason
        new.message = self.message
        new.last_transition_ms = last_transition_ms
        new.last_update_ms = self.last_update_ms
        new.last_probe_ms = self.last_probe_ms
        new.observed_generation = self.observed_generation
        return new

    @classmethod
    def from_json(cls, data: Mapping[str, Any], epoch_ms: int = 0) -> Condition:
        """Read one entry of `status.conditions`."""
        return cls(
            data.get("type", ""),
            data.get("status", ""),
            data.get("reason") or "",
            data.get("message") or "",
            parse_time_or_none(data.get("lastTransitionTime"), epoch_ms),
            parse_time_or_none(data.get("lastUpdateTime"), epoch_ms),
            parse_time_or_none(data.get("lastProbeTime"), epoch_ms),
            data.get("observedGeneration"),
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form; absent parts are left out."""
        data: dict[str, Any] = {"type": self.type, "status": self.status}
        if self.observed_generation is not None:
            data["observedGeneration"] = self.observed_generation
        if self.last_probe_ms is not None:
            data["lastProbeTime"] = format_time(self.last_probe_ms, epoch_ms)
        if self.last_update_ms is not None:
            data["lastUpdateTime"] = format_time(self.last_update_ms, epoch_ms)
        if self.last_transition_ms is not None:
            data["lastTransitionTime"] = format_time(self.last_transition_ms, epoch_ms)
        if self.reason:
            data["reason"] = self.reason
        if self.message:
            data["message"] = self.message
        return data


def read_conditions(data: Any, epoch_ms: int = 0) -> tuple[Condition, ...]:
    """All entries of a `conditions` list."""
    return tuple(Condition.from_json(entry, epoch_ms) for entry in data or ())


def find_condition(conditions: Iterable[Condition], type: str) -> Condition | None:
    """The condition of that type, if there is one."""
    for condition in conditions:
        if condition.type == type:
            return condition
    return None


def is_true(conditions: Iterable[Condition], type: str) -> bool:
    """Whether a condition of that type has status True."""
    condition = find_condition(conditions, type)
    return condition is not None and condition.status == "True"


def with_condition(conditions: tuple[Condition, ...], new: Condition) -> tuple[Condition, ...]:
    """The conditions with `new` in the place of its type, or at the end."""
    if any(old.type == new.type for old in conditions):
        return tuple(new if old.type == new.type else old for old in conditions)
    return (*conditions, new)
