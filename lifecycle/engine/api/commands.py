"""Commands, the only input of a cluster, with their version; and the answer to a command.

`payloads.py` checks the payload of each kind of command, and `docs/formats.md` describes it. `request` is
set if the command was sent by a client of the Kubernetes API.
"""

from __future__ import annotations

from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

VERSION = 1


@dataclass(frozen=True, slots=True)
class Command:
    """One request. `id` is unique in its cluster; rows it causes name it as `command:<id>`."""

    id: str
    kind: str
    payload: dict[str, Any]
    version: int = VERSION


@dataclass(slots=True)
class Result:
    """The answer: an HTTP code, the object as stored, or a Kubernetes Status saying what was wrong."""

    code: int
    object: dict[str, Any] | None = None
    status: dict[str, Any] | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the command was carried out."""
        return self.code < 400

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"code": self.code, "object": self.object, "status": self.status, "warnings": self.warnings}
