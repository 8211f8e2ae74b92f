"""All tables together: types by name, kinds by apiVersion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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


class _Types(Mapping[str, Fields]):
    """Fields by name, by type name: of some hundreds of types, those are read that somebody asks for."""

    def __init__(self, written: Mapping[str, Mapping[str, str]], objects: Collection[str]) -> None:
        self._written, self._objects = written, objects
        self._read: dict[str, Fields] = {}

    def __getitem__(self, name: str) -> Fields:
        found = self._read.get(name)
        if found is None:
            fields = {field: read_field(text) for field, text in self._written[name].items()}
            found = self._read[name] = {**OBJECT_FIELDS, **fields} if name in self._objects else fields
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._written

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


def load_tables(release: Release = DEFAULT_RELEASE) -> Tables:
    """A release's tables. What is odd in them is a bug of the program, and raises where it is read."""
    return _load_tables(release)


@cache
def _load_tables(release: Release) -> Tables:
    sources = (*release.tables.fields, OWN_KINDS)
    written = [one for source in sources for one in source.types.items()]
    by_name = dict(written)
    assert len(by_name) == len(written), "a type has one table"
    kinds = {pair: name for source in sources for pair, name in _read_kinds(source.kinds)}
    types = _Types(by_name, {*kinds.values()})
    return Tables(types, kinds, frozenset(version for version, _kind in kinds))


def _read_kinds(table: Mapping[str, Sequence[str]]) -> Iterator[tuple[tuple[str, str], str]]:
    for version, names in table.items():
        # `core.v1.Event` is the type of the kind Event.
        yield from (((version, name.rpartition(".")[2]), name) for name in names)


def is_known_kind(api_version: str, kind: str, release: Release = DEFAULT_RELEASE) -> bool:
    """Has this kind a table? Others are somebody's custom resources."""
    return (api_version, kind) in load_tables(release).kinds


def find_fields(data: Mapping[str, Any], release: Release = DEFAULT_RELEASE) -> Fields:
    """The fields of an object by its kind; of a custom resource, whose table nobody has, the metadata."""
    tables = load_tables(release)
    type_name = tables.kinds.get((data["apiVersion"], data["kind"]))
    return CUSTOM_FIELDS if type_name is None else tables.types[type_name]


def fields_within(field: Field) -> Fields:
    """The fields of the mapping in a field: of a map, one for all; where nothing is known, none."""
    if field.inner is not None:
        return {ANY_FIELD: field.inner}
    types = load_tables().types
    if field.type_name not in types:
        return {}
    return types[field.type_name]
