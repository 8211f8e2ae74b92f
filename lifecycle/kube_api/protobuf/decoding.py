"""Reads an object from its protobuf, as the API server's JSON would have it.

Which number is which field stands in a file of the release. No type holds itself: nothing nests for ever. An
empty message takes two bytes, so that fields are counted, as values of JSON are. A
message begins with four bytes that say what it is, then comes an envelope: apiVersion, kind and the object.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import orjson

from lifecycle.engine.objects.wire import Malformed, split_message
from lifecycle.engine.releases.differences import merge_rows
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.limits.json_bounds import MOST_VALUES, find_excess

Json = dict[str, Any]
MEDIA_TYPE = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Kinds that every group version has.
_EVERYWHERE = {"DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "Status"}
Value = int | bytes


class Field(NamedTuple):
    """One field of a type."""

    name: str
    type: str
    flags: str


@cache
def _read_types(release: Release) -> Mapping[str, dict[int, Field]]:
    tables = release.tables
    table = merge_rows(json.loads(tables.protobuf.read_text()), tables.protobuf_changes)
    return {name: dict(map(_read_field, text.split("; "))) for name, text in table.items()}


def _read_field(text: str) -> tuple[int, Field]:
    number, name, type, *flags = text.split(" ")
    return int(number), Field(name, type, flags[0] if flags else "")


@dataclass(slots=True)
class _Reading:
    """By which types a message is read, and how many fields have been."""

    types: Mapping[str, dict[int, Field]]
    used: int = 0

    def take(self, count: int = 1) -> None:
        """Count some. Raises Malformed where they are too many."""
        self.used += count
        if self.used > MOST_VALUES:
            raise Malformed(f"more than {MOST_VALUES:,} values are too many to be read at once")


def decode(text: bytes, release: Release = DEFAULT_RELEASE) -> Json:
    """The object, by the fields of a release. Raises Malformed."""
    if text[:4] != MAGIC:
        raise Malformed(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    envelope = dict(split_message(text[4:]))
    header = dict(split_message(_bytes_of(envelope.get(1, b""))))
    api_version, kind = (_bytes_of(header.get(number, b"")).decode("utf-8", "replace") for number in (1, 2))
    type = _type_of(api_version, kind)
    reading = _Reading(_read_types(release))
    if type not in reading.types:
        raise Malformed(f'no kind "{kind}" is registered for version "{api_version}" as protobuf')
    return {
        "kind": kind,
        "apiVersion": api_version,
        **_read_message(type, _bytes_of(envelope.get(2, b"")), reading),
    }


def _type_of(api_version: str, kind: str) -> str:
    if kind in _EVERYWHERE:
        return f"meta/v1.{kind}"
    group, _, version = api_version.rpartition("/")
    return f"{group.partition('.')[0] or 'core'}/{version}.{kind}"


def _read_message(type: str, text: bytes, reading: _Reading) -> Json:
    fields, found = reading.types.get(type, {}), Json()
    for number, value in split_message(text):
        reading.take()
        field = fields.get(number)
        if field is not None:
            _take(found, field, value, reading)
    return {name: value for name, value in found.items() if value is not None}


def _take(found: Json, field: Field, value: Value, reading: _Reading) -> None:
    if "m" in field.flags:
        key, entry = _read_entry(field.type, _bytes_of(value), reading)
        found.setdefault(field.name, {})[key] = entry
        return
    read = _read_value(field.type, value, reading)
    if field.name == ".":
        found.update(read)
    elif "r" in field.flags:
        found.setdefault(field.name, []).append(read)
    elif "p" in field.flags or "o" not in field.flags or read not in ("", 0, False):
        found[field.name] = read


def _read_entry(type: str, text: bytes, reading: _Reading) -> tuple[str, Any]:
    entry = dict(split_message(text))
    # What is empty may not be there.
    empty = b"" if type not in ("int32", "int64", "bool") else 0
    key = _bytes_of(entry.get(1, b"")).decode("utf-8", "replace")
    return key, _read_value(type, entry.get(2, empty), reading)


def _read_value(type: str, value: Value, reading: _Reading) -> Any:
    scalar = _SCALARS.get(type)
    if scalar is not None:
        return scalar(value)
    text = _bytes_of(value)
    if type.startswith("list-of-"):
        inner = type.removeprefix("list-of-")
        found = []
        for number, one in split_message(text):
            reading.take()
            if number == 1:
                found.append(_read_value(inner, one, reading))
        return found
    if type == "raw":
        return _read_raw(dict(split_message(text)))
    return _read_message(type, text, reading)


# --- what has a form of its own ---------------------------------------------------------------------------


def _signed(value: Value) -> int:
    if not isinstance(value, int):
        raise Malformed("a number was expected")
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _bytes_of(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise Malformed("a text or a message was expected")
    return value


def _read_double(value: Value) -> float:
    if isinstance(value, bytes):
        raise Malformed("a number was expected")
    return float(struct.unpack("<d", struct.pack("<Q", value))[0])


def _read_text(value: Value) -> str:
    return _bytes_of(value).decode("utf-8", "replace")


def _read_quantity(value: Value) -> str:
    return _read_text(dict(split_message(_bytes_of(value))).get(1, b"")) or "0"


def _read_int_or_string(value: Value) -> int | str:
    parts = dict(split_message(_bytes_of(value)))
    is_text = bool(parts.get(1))
    return _read_text(parts.get(3, b"")) if is_text else _signed(parts.get(2, 0))


def _read_moment(value: Value) -> datetime | None:
    """None for Go's zero time, which is sent as nothing."""
    parts = dict(split_message(_bytes_of(value)))
    if not parts:
        return None
    try:
        micro = _signed(parts.get(2, 0)) // 1000
        return _EPOCH + timedelta(seconds=_signed(parts.get(1, 0)), microseconds=micro)
    except OverflowError:
        raise Malformed("a time out of range") from None


def _read_time(value: Value) -> str | None:
    found = _read_moment(value)
    return None if found is None else f"{found:%Y-%m-%dT%H:%M:%S}Z"


def _read_micro_time(value: Value) -> str | None:
    found = _read_moment(value)
    return None if found is None else f"{found:%Y-%m-%dT%H:%M:%S.%f}Z"


def _read_duration(value: Value) -> str:
    nanoseconds = _signed(dict(split_message(_bytes_of(value))).get(1, 0))
    return f"{nanoseconds / 1e9:g}s"


def _read_fields(value: Value) -> Any:
    return _read_json(_bytes_of(dict(split_message(_bytes_of(value))).get(1, b"")))


def _read_raw(parts: dict[int, Value]) -> Any:
    return _read_json(_bytes_of(parts.get(1, b"")))


def _read_json(text: bytes) -> Any:
    if excess := find_excess(text.decode("utf-8", "replace")):
        raise Malformed(excess)
    try:
        # Neither half signs nor numbers beyond 64 bits.
        return orjson.loads(text) if text else None
    except ValueError as problem:
        raise Malformed(str(problem)) from None


_SCALARS: Mapping[str, Callable[[Value], Any]] = {
    "string": _read_text,
    "bytes": lambda value: base64.b64encode(_bytes_of(value)).decode(),
    "bool": lambda value: bool(_signed(value)),
    **dict.fromkeys(("int32", "int64", "uint32", "uint64"), _signed),
    "float64": _read_double,
    "quantity": _read_quantity,
    "intOrString": _read_int_or_string,
    "time": _read_time,
    "microTime": _read_micro_time,
    "duration": _read_duration,
    "fieldsV1": _read_fields,
}
