"""Which value the API server fills into a field: found out by having it fill in objects without a value.

Such an object has everything that its type can have in objects and lists of objects. What depends on another
value is so not told; nor is what kinds fill in differently, nor lists and maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.fields import LIST, Field
from lifecycle.engine.schema.tables import Tables, load_tables

Json = dict[str, Any]
Key = tuple[str, str]
_BESIDE = frozenset({"apiVersion", "kind", "metadata", "status"})
_DEPENDENT: frozenset[Key] = frozenset(
    {
        ("Container", "imagePullPolicy"),
        ("EphemeralContainer", "imagePullPolicy"),
        ("JobSpec", "completions"),
        ("ServicePort", "targetPort"),
        # Of one of the two directions only.
        ("HPAScalingRules", "stabilizationWindowSeconds"),
        # A zero that is written out, and no default.
        ("PriorityClass", "value"),
    }
)
"""By type and field: what is filled in by another value, or where another one is missing as well."""


@cache
def list_defaults(release: Release) -> Mapping[Key, str | int | bool]:
    """What is filled in where nothing is given, by type and field."""
    tables, found = load_tables(release), dict[Key, set[str | int | bool]]()
    for entry in list_entries():
        type_name = tables.kinds.get((entry.kind.api_version, entry.kind.name))
        if type_name is None:
            continue
        head = {"apiVersion": entry.kind.api_version, "kind": entry.kind.name, "metadata": {"name": "any"}}
        bare = _make(type_name, tables, frozenset()) | head
        for key, value in _compare(type_name, bare, apply_defaults(bare), tables):
            found.setdefault(key, set()).add(value)
    return {
        key: next(iter(values)) for key, values in found.items() if len(values) == 1 and key not in _DEPENDENT
    }


def _make(type_name: str, tables: Tables, outer: frozenset[str]) -> Json:
    """An object of a type, without a value. `outer`: the types that it stands in: some hold themselves."""
    made = {}
    for name, field in tables.types[type_name].items():
        inner = field.inner if field.shape == LIST else field
        if (
            name in _BESIDE
            or inner is None
            or inner.type_name not in tables.types
            or inner.type_name in outer
        ):
            continue
        one = _make(inner.type_name, tables, outer | {inner.type_name})
        made[name] = [one] if field.shape == LIST else one
    return made


def _compare(
    type_name: str, before: Json, after: Mapping[str, Any], tables: Tables
) -> Iterator[tuple[Key, str | int | bool]]:
    for name, field in tables.types[type_name].items():
        value = after.get(name)
        if name in _BESIDE or value is None:
            continue
        if name not in before:
            if isinstance(value, str | int):
                yield (type_name, name), value
        elif (inner := inner_type(field)) in tables.types:
            for one, filled in _pair(before[name], value):
                yield from _compare(inner, one, filled, tables)


def inner_type(field: Field) -> str:
    """The type of a field, of a list or map that of its entries."""
    return field.inner.type_name if field.inner is not None else field.type_name


def _pair(before: Any, after: Any) -> Iterator[tuple[Json, Mapping[str, Any]]]:
    if isinstance(before, list):
        yield from zip(before, after, strict=True)
    else:
        yield before, after
