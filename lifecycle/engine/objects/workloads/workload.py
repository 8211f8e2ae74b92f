"""What Deployments and ReplicaSets have in common: a typed spec, and a status of numbers and conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Self

from ..condition import Condition, read_conditions
from ..meta import StoredObject
from ..record import Record

Numbers = tuple[tuple[str, str], ...]
"""(name in the API, slot) of each"""

OBSERVED_GENERATION = ("observedGeneration", "observed_generation")


class WorkloadStatus(Record):
    """Numbers (None: not counted), conditions, and in `extra` the fields that are not known."""

    __slots__ = ()
    INTEGERS: ClassVar[Numbers]
    """The numbers that the trace follows, in the API's order."""
    NUMBERS: ClassVar[Numbers]
    """All numbers, in the API's order."""
    TEXTS: ClassVar[Numbers] = ()
    """The texts that the trace follows."""
    FOLLOWED: ClassVar[Numbers]
    """All that the trace follows."""
    TOLD_AT_ZERO: ClassVar[Collection[str]]
    """Slots that are written although they are 0, or empty."""
    conditions: tuple[Condition, ...]
    extra: dict[str, Any] | None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.FOLLOWED = (*cls.INTEGERS, *cls.TEXTS)

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> Self:
        """Read `status`; what it leaves out is as in a new one."""
        rest = dict(data or {})
        conditions = read_conditions(rest.pop("conditions", None), epoch_ms)
        found = {slot: rest.pop(name, None) for name, slot in cls.NUMBERS}
        numbers = {slot: number for slot, number in found.items() if number is not None}
        return cls(**numbers, conditions=conditions, extra=rest or None)  # type: ignore[call-arg]

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form: most numbers that are 0 are left out."""
        data: dict[str, Any] = {}
        for name, slot in self.NUMBERS:
            number = getattr(self, slot)
            if number or (number is not None and slot in self.TOLD_AT_ZERO):
                data[name] = number
        if self.conditions:
            data["conditions"] = [condition.to_json(epoch_ms) for condition in self.conditions]
        return {**data, **(self.extra or {})}


class Workload(StoredObject):
    """An object whose spec and status are of the classes that it names."""

    __slots__ = ()
    SPEC: ClassVar[type[Any]]
    STATUS: ClassVar[type[WorkloadStatus]]

    @classmethod
    def _read_spec(cls, data: Mapping[str, Any], epoch_ms: int) -> Any:
        return cls.SPEC(dict(data.get("spec") or {}))

    @classmethod
    def _read_status(cls, data: Any, epoch_ms: int) -> WorkloadStatus:
        return cls.STATUS.from_json(data, epoch_ms)

    def spec_json(self, epoch_ms: int = 0) -> Any:
        """The API form of the spec."""
        return self.spec.raw

    def status_json(self, epoch_ms: int = 0) -> Any:
        """The API form of the status."""
        return self.status.to_json(epoch_ms)

    def with_status(self, status: WorkloadStatus) -> Self:
        """The object with another status: the hot path's `replace`."""
        return type(self)(self.kind, self.meta, self.spec, status, self.resource_version, self.extra)
