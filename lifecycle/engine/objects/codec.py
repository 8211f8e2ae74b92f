"""Typed records as plain data and back, exact to the millisecond: what checkpoints hold.

API JSON cuts times to seconds, so it cannot serve. Pod specs are written once and named by number, so that
pods of one template share one reading again; a spec that lies over another is written as what it differs in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .condition import Condition
from .kinds import Kind, kind_for
from .meta import ObjectMeta, OwnerReference, PlainObject
from .pods.overlay import overlay_spec
from .pods.pod import PodSpec
from .record import Record

# What all kinds share; the registry of kinds adds what is particular to each.
_classes: dict[str, type[Record]] = {
    one.__name__: one for one in (Condition, ObjectMeta, OwnerReference, PlainObject)
}
_read_from_json: dict[str, Any] = {}


def register_classes(records: Iterable[type[Record]], spec: type[Record] | None = None) -> None:
    """Have records of these classes kept field by field, and a `spec` by the JSON it was read from."""
    _classes.update((one.__name__, one) for one in records)
    if spec is not None:
        _read_from_json[spec.__name__] = spec


class PodSpecs:
    """Encodes objects, gathering their pod specs."""

    def __init__(self) -> None:
        self.raws: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[PodSpec] = []

    def encode(self, value: Any) -> Any:
        """Plain data of a value: scalars as they are, JSON maps as maps, the rest as tagged lists."""
        if isinstance(value, Record):
            return self._encode_record(value)
        if isinstance(value, tuple):
            return ["T", *[self.encode(entry) for entry in value]]
        if isinstance(value, list | dict):
            # Lists and maps inside records are JSON already.
            return ["J", value]
        return value

    def _encode_record(self, value: Record) -> Any:
        if isinstance(value, PodSpec):
            if value.base is None:
                return ["P", self._number(value)]
            return ["O", self._number(value.base), value.overlay]
        if isinstance(value, Kind):
            return ["K", value.api_version, value.name]
        name = type(value).__name__
        if name in _read_from_json:
            return ["S", name, value.raw]  # type: ignore[attr-defined]
        return ["R", name, *[self.encode(getattr(value, field)) for field in value._fields]]

    def _number(self, spec: PodSpec) -> int:
        number = self._numbers.get(id(spec))
        if number is None:
            number = self._numbers[id(spec)] = len(self.raws)
            self.raws.append(spec.raw)
            self._kept.append(spec)
        return number


def encode(value: Any) -> Any:
    """Plain data of a value that holds no pod spec."""
    return PodSpecs().encode(value)


def decode(data: Any, specs: list[PodSpec] | None = None) -> Any:
    """The value that `encode` described."""
    if not isinstance(data, list):
        return data
    match data[0]:
        case "V":
            # It was read ahead: see share_readings.
            return data[1]
        case "T":
            return tuple(decode(entry, specs) for entry in data[1:])
        case "J":
            return data[1]
        case "P":
            assert specs is not None, "pod specs are given with the objects"
            return specs[data[1]]
        case "O":
            assert specs is not None, "pod specs are given with the objects"
            return overlay_spec(specs[data[1]], data[2])
        case "K":
            return kind_for(data[1], data[2])
        case "S":
            return _read_from_json[data[1]](data[2])
    kind = _classes[data[1]]
    record = object.__new__(kind)
    for name, value in zip(kind._fields, data[2:], strict=True):
        setattr(record, name, decode(value, specs))
    if isinstance(record, ObjectMeta):
        record.derive()
    return record


def share_readings(saved: Mapping[str, Any]) -> dict[str, Any]:
    """A checkpoint that is loaded often in this process: what many clusters can share is read here, once.

    Records are never written to. Objects themselves are told their versions, and what is worked out of a pod
    spec is noted in its reading: these are made anew for every cluster.
    """
    return {**saved, "objects": [[*one[:2], *map(_share, one[2:])] for one in saved["objects"]]}


def _share(data: Any) -> Any:
    if not isinstance(data, list) or _has_pod_spec(data):
        return data
    return ["V", decode(data)]


def _has_pod_spec(data: Any) -> bool:
    """Whether a description is of a pod spec, or of what may hold one."""
    if not isinstance(data, list) or data[0] == "J":
        return False
    return data[0] in ("P", "O", "S") or any(map(_has_pod_spec, data[1:]))
