"""All tables together: types by name, kinds by apiVersion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..releases.known import DEFAULT_RELEASE
from ..releases.release import Release
from .fields import ANY_TYPE, Field, read_field
from .own_kinds import OWN_KINDS

ANY_FIELD = "*"
"""In a type: all further fields."""
Fields = Mapping[str, Field]
OBJECT_FIELDS: Fields = {
    "apiVersion": read_field("string"),
    "kind": read_field("string"),
    "metadata": read_field("ObjectMeta"),
}
CUSTOM_FIELDS: Fields = {**OBJECT_FIELDS, ANY_FIELD: read_field(ANY_TYPE)}


@dataclass(frozen=True, slots=True)
class Tables:
    """`types`: fields by name, by type name. `kinds`: type names by (apiVersion, kind)."""

    types: Mapping[str, Fields]
    kinds: Mapping[tuple[str, str], str]
    versions: frozenset[str]

    def versions_of(self, kind: str) -> list[str]:
        """The apiVersions that have a kind of this name."""
        return [version for version, name in self.kinds if name == kind]


@cache
def load_tables(release: Release = DEFAULT_RELEASE) -> Tables:
    """A release's tables, read once. What is odd in them is a bug of the program, and raises."""
    sources = (*release.tables.fields, OWN_KINDS)
    written = [one for source in sources for one in source.types.items()]
    assert len(dict(written)) == len(written), "a type has one table"
    kinds = {pair: name for source in sources for pair, name in _read_kinds(source.kinds)}
    objects = {*kinds.values()}
    types = {
        name: {
            **(OBJECT_FIELDS if name in objects else {}),
            **{field: read_field(text) for field, text in fields.items()},
        }
        for name, fields in written
    }
    return Tables(types, kinds, frozenset(version for version, _kind in kinds))


def _read_kinds(table: Mapping[str, Sequence[str]]) -> Iterator[tuple[tuple[str, str], str]]:
    for version, names in table.items():
        # `core.v1.Event` is the type of the kind Event.
        yield from (((version, name.rpartition(".")[2]), name) for name in names)


def is_known_kind(api_version: str, kind: str) -> bool:
    """Has this kind a table? Others are somebody's custom resources."""
    return (api_version, kind) in load_tables().kinds


def find_fields(data: Mapping[str, Any]) -> Fields:
    """The fields of an object by its kind; of a custom resource, whose table nobody has, the metadata."""
    tables = load_tables()
    type_name = tables.kinds.get((data["apiVersion"], data["kind"]))
    return CUSTOM_FIELDS if type_name is None else tables.types[type_name]


def fields_within(field: Field) -> Fields:
    """The fields of the mapping in a field: of a map, one for all; where nothing is known, none."""
    if field.inner is not None:
        return {ANY_FIELD: field.inner}
    return load_tables().types.get(field.type_name, {})
