"""What the API server writes of its own: structs that are no pointers always, empty lists and maps never.

Who changes a field within such a struct does not come to own the struct. The tables do not know which ones
these are, so they stand here by their names.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...releases.release import Release
from ..fields import LIST, MAP
from ..left_out import is_left_out
from ..tables import load_tables
from .shapes import Shape

_ALWAYS_THERE = frozenset(
    (
        "metadata spec status template jobTemplate strategy updateStrategy resources loadBalancer names"
        " acceptedNames scaleTargetRef roleRef involvedObject source regarding nodeInfo daemonEndpoints"
        " kubeletEndpoint"
    ).split()
)
_NULL_LISTS = frozenset(("containers", "rules", "versions", "endpoints"))


def with_zeros(value: Any, shape: Shape) -> Any:
    """A value as the API server compares it; it must be of its shape."""
    if shape.form == LIST and isinstance(value, list) and not shape.is_atomic and shape.inner is not None:
        return [with_zeros(entry, shape.inner) for entry in value]
    if shape.form != MAP or not isinstance(value, dict) or shape.is_atomic:
        return value
    filled = {name: _fill(name, inner, shape) for name, inner in value.items()}
    if shape.type_name:
        for name in _list_written(shape.type_name, shape.release):
            if name not in filled:
                filled[name] = _zero_of(name, shape)
    return filled


@cache
def _list_written(type_name: str, release: Release) -> list[str]:
    """The fields of a type that are always written."""
    shape = Shape(MAP, type_name=type_name, release=release)
    return [name for name in shape.names if _zero_of(name, shape) is not ...]


def without_empties(value: Any, shape: Shape) -> Any:
    """A value without what is never written: nulls, and of Kubernetes' own kinds what says nothing."""
    if isinstance(value, list) and shape.form == LIST and shape.inner is not None:
        return [without_empties(one, shape.inner) for one in value]
    if not isinstance(value, dict) or shape.form != MAP:
        return value
    kept, types = {}, load_tables(shape.release).types
    for name, one in value.items():
        field = shape.find(name)
        found = one if field is None else without_empties(one, field)
        told = types[shape.type_name].get(name) if shape.type_name else None
        if found is not None and (told is None or not is_left_out(shape.type_name, name, found, told)):
            kept[name] = found
    return kept


def _fill(name: str, value: Any, shape: Shape) -> Any:
    field = shape.find(name)
    return value if field is None else with_zeros(value, field)


def _zero_of(name: str, shape: Shape) -> Any:
    field = shape.declared(name)
    if field is None:
        return ...
    if name in _ALWAYS_THERE and field.form == MAP and field.type_name:
        return with_zeros({}, field)
    return None if name in _NULL_LISTS and field.form == LIST else ...
