"""How Kubernetes decodes null: a field set to null is left out, a text of a map set to null is empty."""

from __future__ import annotations

from typing import Any

from lifecycle.input.schema.check import LIST_OF, MAP_OF, find_fields
from lifecycle.input.schema.tables import ANY_FIELD, load_tables


def drop_nulls(data: dict[str, Any]) -> dict[str, Any]:
    """An object without nulls; where no type is known (custom resources) they are kept."""
    return _drop_from_object(data, find_fields(data))


def _drop(value: Any, type_name: str) -> Any:
    if isinstance(value, list) and type_name.startswith(LIST_OF):
        inner = type_name.removeprefix(LIST_OF)
        return [_drop(item, inner) for item in value]
    if isinstance(value, dict) and type_name.startswith(MAP_OF):
        inner = type_name.removeprefix(MAP_OF)
        empty = {name: "" for name, item in value.items() if item is None and inner == "string"}
        return {name: _drop(item, inner) for name, item in value.items() if item is not None} | empty
    if isinstance(value, dict) and type_name in load_tables().types:
        return _drop_from_object(value, load_tables().types[type_name])
    return value


def _drop_from_object(data: dict[str, Any], fields: Any) -> dict[str, Any]:
    return {
        name: _drop(item, fields.get(name) or fields.get(ANY_FIELD) or "any")
        for name, item in data.items()
        if item is not None or name not in fields
    }
