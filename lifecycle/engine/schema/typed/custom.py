"""The shape of a custom resource by its structural schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.names import LIST_KEYS, LIST_TYPE, MAP_TYPE, PRESERVES
from ..fields import LIST, MAP
from .shapes import SCALAR, UNTYPED_SHAPE, Shape

_SCALARS = {"string": "string", "integer": "numeric", "number": "numeric", "boolean": "boolean"}


def shape_of_schema(schema: Mapping[str, Any]) -> Shape:
    """The shape of a schema: lists are owned as a whole unless it says otherwise, mappings by field."""
    kind = schema.get("type")
    if kind == "array":
        return _list_shape(schema)
    if kind != "object" and not schema.get("properties"):
        # A number or a text, and whatever has no type: its value says what it is.
        return Shape(SCALAR, scalar=_SCALARS[kind]) if kind in _SCALARS else UNTYPED_SHAPE
    further = schema.get("additionalProperties")
    inner = shape_of_schema(further) if isinstance(further, dict) else None
    if further is True or schema.get(PRESERVES):
        inner = UNTYPED_SHAPE
    known = schema.get("properties") or {}
    own = {name: shape_of_schema(one) for name, one in known.items()}
    return Shape(MAP, schema.get(MAP_TYPE) == "atomic", inner, own=own)


def _list_shape(schema: Mapping[str, Any]) -> Shape:
    items, kind = schema.get("items") or {}, schema.get(LIST_TYPE)
    keys = tuple(schema.get(LIST_KEYS) or ()) if kind == "map" else ()
    known = items.get("properties") or {}
    defaults = {key: known[key]["default"] for key in keys if "default" in known.get(key, {})}
    return Shape(LIST, kind not in ("map", "set"), shape_of_schema(items), keys=keys, key_defaults=defaults)
