"""What a structural schema makes of an object before it is checked: unknown fields go, defaults come."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ..sizes import Room

Json = Mapping[str, Any]
PRESERVES, EMBEDS = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"
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


def with_defaults(value: Any, schema: Json) -> Any:
    """The value with defaults where nothing stands, or a null that may not.

    Raises Unknown as soon as the defaults alone are more than can be stored: a list of many small entries
    takes them once an entry.
    """
    return _complete(value, schema, Room())


def _complete(value: Any, schema: Json, room: Room) -> Any:
    if isinstance(value, list):
        items = schema.get("items")
        return [_complete(one, items, room) for one in value] if items else value
    if not isinstance(value, dict):
        return value
    known, further = schema.get("properties") or {}, schema.get("additionalProperties")
    filled = {
        name: one for name, one in value.items() if one is not None or not _is_dropped_null(name, schema)
    }
    for name, inner in known.items():
        if name not in filled and "default" in inner:
            room.take(name, inner["default"])
            filled[name] = copy.deepcopy(inner["default"])
    return {name: _fill(one, known.get(name, further), room) for name, one in filled.items()}


def _fill(value: Any, schema: Any, room: Room) -> Any:
    return _complete(value, schema, room) if isinstance(schema, dict) else value


def _is_dropped_null(name: str, schema: Json) -> bool:
    """A null where none may stand goes before defaults come, if there is a default."""
    found = (schema.get("properties") or {}).get(name)
    return found is not None and not found.get("nullable") and "default" in found
