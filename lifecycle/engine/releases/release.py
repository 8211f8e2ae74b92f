"""The shape of a release, and of what was made from its sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lifecycle.lean_dataclasses import dataclass, field

TypeFields = Mapping[str, Mapping[str, str]]
"""By type its fields, written as `schema/fields.py` reads them."""


@dataclass(frozen=True, slots=True)
class FieldTable:
    """`kinds`: names of types by apiVersion. `types`: their fields and those of what they are made of."""

    kinds: Mapping[str, Sequence[str]]
    types: TypeFields


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What a release's API server reads and shows."""

    fields: Sequence[FieldTable]
    named_texts: TypeFields
    """Texts that have a type of their own in Go, by struct and field."""
    structs: str
    """Structs that a rule refuses as a whole, in Go's order, written for `validation/words/go_structs`."""
    protobuf: Path
    """The file that says how the fields of each type are numbered on the wire; a surface reads it."""
    protobuf_changes: Mapping[str, str | None] = field(default_factory=dict)
    """What of that file is otherwise in this release, by type; None: there is no such type."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate as a release has it. `stage`: Alpha, Beta, GA or Deprecated."""

    default: bool
    stage: str
    is_locked: bool = False


def read_gates(table: Mapping[str, str]) -> dict[str, Gate]:
    """From lines such as `GA on locked`."""
    words = {name: line.split() for name, line in table.items()}
    return {name: Gate(line[1] == "on", line[0], "locked" in line[2:]) for name, line in words.items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """One release of Kubernetes. Each is equal to itself alone."""

    name: str
    """How it is chosen: v1.35."""
    version: str
    """What its components tell of themselves: v1.35.6."""
    go_version: str
    gates: Mapping[str, Gate]
    defaults: Mapping[str, bool]
    """Every gate as the release sets it."""
    switches: Mapping[str, bool]
    """Every switch as the release has it."""
    make_tables: Callable[[], Tables]
    """Reads them: those of a release that nobody asks for are not loaded."""
    borrowed_minor: int = 0
    """The minor release whose API it serves in place of its own; 0 where it serves its own."""
    borrows: str = ""
    """What of it is another release's, said to whoever chooses it; "" where it is modelled as a whole."""

    @property
    def tables(self) -> Tables:
        """What its API server reads and shows."""
        return self.make_tables()

    @property
    def served_minor(self) -> int:
        """The minor release whose API it serves: 35."""
        return self.borrowed_minor or self.minor[1]

    @property
    def minor(self) -> tuple[int, int]:
        """(1, 35)"""
        major, minor = self.version.removeprefix("v").split(".")[:2]
        return int(major), int(minor)
