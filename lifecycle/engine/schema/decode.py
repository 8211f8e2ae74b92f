"""An object's JSON as the API server decodes it: what a cluster does with every object it is sent.

A field set to null is left out; a text of a map set to null is empty; an amount is kept as it is written
shortest (`0.5` CPUs are `500m`), one of a list of resources in whole thousandths (`1.0001` are `1001m`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..objects.kinds import group_of
from ..objects.quantity import canonical, canonical_milli
from ..releases.known import DEFAULT_RELEASE
from ..releases.release import Release
from .check import find_wrong_types
from .fields import ANY, LIST, MAP, Field
from .left_out import is_left_out
from .paths import format_path
from .tables import ANY_FIELD, Fields, find_fields, load_tables

Json = dict[str, Any]
_RESET = "managedFields"
"""What says something where it is empty: that managers are to be forgotten."""
_STORED_AS_JSON = ("apiextensions.k8s.io", "apiregistration.k8s.io")


def decode(data: Json, release: Release = DEFAULT_RELEASE) -> Json:
    """The object without nulls. Raises ValueError naming the first field that is not of its type."""
    problems = find_wrong_types(data, release)
    if problems:
        problem = problems[0]
        remedy = f"; {problem.remedy}" if problem.remedy else ""
        raise ValueError(f"{format_path(problem.path)}: {problem.message}{remedy}")
    return drop_nulls(data, release)


def drop_nulls(data: Json, release: Release = DEFAULT_RELEASE) -> Json:
    """An object without nulls; where no type is known (custom resources) they are kept."""
    return _drop_from_object(data, find_fields(data, release), load_tables(release).types)


def as_stored_form(data: Json, release: Release = DEFAULT_RELEASE) -> Json:
    """An object as it is left once it is stored: without the fields that nobody knows, and what says nothing.

    Protobuf has no empty lists and maps, nor zeros that are no pointers. Definitions and API services are
    stored as JSON and keep them; so are kinds without a table, which stay as they are.
    """
    keeps_empty = group_of(data["apiVersion"] or "") in _STORED_AS_JSON
    tables = load_tables(release)
    type_name = tables.kinds.get((data["apiVersion"], data["kind"]))
    return data if type_name is None else _stored(data, type_name, tables.types, keeps_empty)


def _stored(data: Json, type_name: str, types: Mapping[str, Fields], keeps_empty: bool) -> Json:
    fields = types[type_name]
    if ANY_FIELD in fields:
        return data
    return {
        name: _stored_in(item, fields[name], types, keeps_empty)
        for name, item in data.items()
        if name in fields
        and (keeps_empty or name == _RESET or not is_left_out(type_name, name, item, fields[name]))
    }


def _stored_in(value: Any, field: Field, types: Mapping[str, Fields], keeps_empty: bool) -> Any:
    inner = field.inner
    if isinstance(value, list) and field.shape == LIST and inner is not None:
        return [_stored_in(item, inner, types, keeps_empty) for item in value]
    if isinstance(value, dict) and field.shape == MAP and inner is not None:
        return {name: _stored_in(item, inner, types, keeps_empty) for name, item in value.items()}
    if isinstance(value, dict) and field.type_name in types:
        return _stored(value, field.type_name, types, keeps_empty)
    return value


def _drop(value: Any, field: Field, types: Mapping[str, Fields]) -> Any:
    inner = field.inner
    if isinstance(value, list) and field.shape == LIST and inner is not None:
        return [_drop(item, inner, types) for item in value]
    if isinstance(value, dict) and field.shape == MAP and inner is not None:
        empty = {name: "" for name, item in value.items() if item is None and inner.type_name == "string"}
        take = _round_up if inner.type_name == "quantity" else _drop
        return {name: take(item, inner, types) for name, item in value.items() if item is not None} | empty
    if isinstance(value, dict) and field.type_name in types:
        return _drop_from_object(value, types[field.type_name], types)
    if field.type_name == "quantity" and isinstance(value, str | int | float):
        return _shorten_amount(value, is_resource=False)
    return value


def _round_up(value: Any, _field: Field, _types: Mapping[str, Fields]) -> Any:
    """The amount of a resource."""
    return _shorten_amount(value, is_resource=True) if isinstance(value, str | int | float) else value


@lru_cache(maxsize=4096, typed=True)
def _shorten_amount(value: str | float, is_resource: bool) -> str | float:
    try:
        return canonical_milli(value) if is_resource else canonical(value)
    except ValueError:
        # What cannot be read is refused, as it was written, by who looks at values.
        return value


def _drop_from_object(data: Json, fields: Fields, types: Mapping[str, Fields]) -> Json:
    return {
        name: _drop(item, fields.get(name) or fields.get(ANY_FIELD) or ANY, types)
        for name, item in data.items()
        if item is not None or name not in fields
    }
