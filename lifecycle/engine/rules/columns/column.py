"""What a column of kubectl's tables is: its heading, and what fills it. One list a kind serves everybody.

Models the column definitions and printers of pkg/printers/internalversion/printers.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.pods.pod import Pod
from .ages import UNKNOWN_AGE, Ages

NONE, UNSET, UNKNOWN = "<none>", "<unset>", UNKNOWN_AGE
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One object, in the form of the API, at an instant. `is_wide`: whether `-o wide` is asked for."""

    data: Json
    ages: Ages
    is_wide: bool = True

    @property
    def meta(self) -> Json:
        """Its metadata."""
        return self.data.get("metadata") or {}

    @property
    def spec(self) -> Json:
        """Its spec, {} where it has none."""
        return self.data.get("spec") or {}

    @property
    def status(self) -> Json:
        """Its status, {} where it has none."""
        return self.data.get("status") or {}

    @cached_property
    def pod(self) -> Pod:
        """Its typed reading, of a pod: read once for all columns."""
        parts = {"metadata": self.meta, "spec": self.spec, "status": self.status}
        return Pod.from_json(parts, self.ages.epoch_ms)


Fill = Callable[[Row], Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. With a `priority` above 0 it is shown with `-o wide` alone."""

    name: str
    fill: Fill
    type: str = "string"
    format: str = ""
    priority: int = 0
    description: str = ""
    is_headed: bool = True
    """Whether the table has a heading for it."""


Columns = tuple[Column, ...]


def wide(name: str, fill: Fill, type: str = "string") -> Column:
    """A column that is shown with `-o wide` alone."""
    return Column(name, fill, type, priority=1)


def count_of(part: Json, name: str) -> int:
    """A count of a spec or a status, 0 where it is not there."""
    return part.get(name) or 0


NAME = Column("Name", lambda row: row.meta.get("name", ""), format="name")
AGE = Column("Age", lambda row: row.ages.age_of(row.meta.get("creationTimestamp")))
CREATED_AT = Column("Created At", lambda row: row.meta.get("creationTimestamp"), "date")


def add_name(columns: Columns) -> Columns:
    """The columns with the name before them, where none of them is the name."""
    return columns if any(column.name == NAME.name for column in columns) else (NAME, *columns)
