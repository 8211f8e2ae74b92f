"""What a structural schema makes of an object before it is checked: unknown fields and nulls that may not
stand go, defaults come."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.names import EMBEDS, PRESERVES
from ..limits.sizes import Room

Json = Mapping[str, Any]
_OF_EVERY_OBJECT = ("apiVersion", "kind", "metadata")


def prune(value: Any, schema: Json, path: str = "", is_object: bool = True) -> tuple[Any, list[str]]:
    """The value without fields that the schema does not know, and the paths of those.

    `is_object`: whether it has a type and metadata of its own, which stay.
    """
    dropped: list[str] = []
    return _prune(value, schema, path, is_object, dropped), dropped


def _prune(value: Any, schema: Json, path: str, is_object: bool, dropped: list[str]) -> Any:
    if isinstance(value, list):
        items = schema.get("items") or {}
        is_kept = not items and schema.get(PRESERVES)
        return [
            one if is_kept else _prune(one, items, f"{path}[{index}]", bool(items.get(EMBEDS)), dropped)
            for index, one in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    known, further = schema.get("properties") or {}, schema.get("additionalProperties")
    kept = {}
    for name, inner in value.items():
        below = f"{path}.{name}" if path else name
        if is_object and name in _OF_EVERY_OBJECT:
            kept[name] = inner
        elif name in known:
            kept[name] = _prune(inner, known[name], below, bool(known[name].get(EMBEDS)), dropped)
        elif isinstance(further, dict):
            kept[name] = _prune(inner, further, below, bool(further.get(EMBEDS)), dropped)
        elif further is True or schema.get(PRESERVES):
            kept[name] = inner
        else:
            dropped.append(below)
    return kept


def list_known_fields(schema: Json, path: Sequence[str | int]) -> list[str]:
    """The names of the fields that a schema has at a path."""
    found: Json | None = schema
    for part in path:
        if found is None:
            break
        found = _schema_or_none(found.get("items")) if isinstance(part, int) else _find_field(part, found)
    return list((found or {}).get("properties") or ())


def without_nulls(value: Any, schema: Json | None) -> Any:
    """The value without nulls of fields that may not be null and have no default.

    Those of lists stay, and those of fields that no schema knows (schema/defaulting/prunenulls.go).
    """
    if schema is None:
        return value
    if isinstance(value, list):
        items = _schema_or_none(schema.get("items"))
        return [without_nulls(one, items) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {name: _find_field(name, schema) for name in value}
    return {
        name: without_nulls(one, inner[name])
        for name, one in value.items()
        if not _is_forbidden_null(one, inner[name]) or _default_of(inner[name]) is not None
    }


def with_defaults(value: Any, schema: Json | None) -> Any:
    """The value with defaults where nothing stands, or a null that may not (defaulting/algorithm.go).

    Raises Unknown as soon as the defaults alone are more than can be stored: a list of many small entries
    takes them once an entry.
    """
    return _complete(value, schema, Room())


def _complete(value: Any, schema: Json | None, room: Room) -> Any:
    if schema is None:
        return value
    if isinstance(value, list):
        items = _schema_or_none(schema.get("items"))
        return [_fill("", one, items, room) for one in value]
    if not isinstance(value, dict):
        return value
    filled = {name: _fill(name, one, _find_field(name, schema), room) for name, one in value.items()}
    for name, inner in (schema.get("properties") or {}).items():
        if name not in value and _default_of(inner) is not None:
            filled[name] = _complete(_take_default(name, inner, room), inner, room)
    return filled


def _fill(name: str, value: Any, schema: Json | None, room: Room) -> Any:
    if _is_forbidden_null(value, schema):
        value = _take_default(name, schema, room)
    return _complete(value, schema, room)


def _take_default(name: str, schema: Json | None, room: Room) -> Any:
    room.take(name, _default_of(schema))
    return copy.deepcopy(_default_of(schema))


def _find_field(name: str, schema: Json) -> Json | None:
    known = schema.get("properties") or {}
    return _schema_or_none(known.get(name, schema.get("additionalProperties")))


def _schema_or_none(found: Any) -> Json | None:
    return found if isinstance(found, dict) else None


def _is_forbidden_null(value: Any, schema: Json | None) -> bool:
    return value is None and schema is not None and not schema.get("nullable")


def _default_of(schema: Json | None) -> Any:
    return (schema or {}).get("default")
