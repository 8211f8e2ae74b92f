"""ControllerRevisions: a patch that stays for life, and its place in a history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..words.field_error import FieldError
from ..words.part import Part, gathers

Gates = Mapping[str, bool]


@gathers("")
def validate_revision(data: Part, gates: Gates) -> None:
    """A new one."""
    data.counts("revision")
    if data["data"] is None:
        data.require("data", "data is mandatory")
    elif not isinstance(data["data"], Mapping):
        data.require("data", "data must be a valid JSON object")


def validate_revision_update(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Gates
) -> list[FieldError]:
    """A change: of the number alone."""
    changed = Part(new)
    changed.counts("revision")
    if old.get("data") != new.get("data"):
        changed.refuse("data", "field is immutable")
    return changed.errors
