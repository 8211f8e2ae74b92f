"""The table of field names and types: read once, from the YAML beside this module."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ANY_FIELD = "*"
_FOLDER = Path(__file__).with_name("types")


@dataclass(frozen=True, slots=True)
class Tables:
    """`types`: field types by field name, by type name. `kinds`: type names by (apiVersion, kind)."""

    types: Mapping[str, Mapping[str, str]]
    kinds: Mapping[tuple[str, str], str]
    versions: frozenset[str] = field(default_factory=frozenset)

    def versions_of(self, kind: str) -> list[str]:
        """The apiVersions that have a kind of this name."""
        return [version for version, name in self.kinds if name == kind]


@cache
def load_tables() -> Tables:
    """All tables. The files are part of the program, so anything odd in them is a bug and raises."""
    types: dict[str, dict[str, str]] = {}
    for path in sorted(_FOLDER.glob("*.yaml")):
        if path.stem == "kinds":
            continue
        for name, fields in _read(path).items():
            assert name not in types, f"type {name} stands in two tables"
            types[name] = fields
    kinds = dict(_read_kinds())
    return Tables(types, kinds, frozenset(version for version, _ in kinds))


def _read_kinds() -> Iterator[tuple[tuple[str, str], str]]:
    for version, entries in _read(_FOLDER / "kinds.yaml").items():
        for entry in entries:
            pairs = entry if isinstance(entry, dict) else {entry: entry}
            for kind, type_name in pairs.items():
                yield (version, kind), type_name


def _read(path: Path) -> dict[str, Any]:
    tables: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return tables
