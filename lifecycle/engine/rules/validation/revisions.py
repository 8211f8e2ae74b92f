"""ControllerRevisions: a patch that stays for life, and its place in a history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError
from .part import Part, gathers

Gates = Mapping[str, bool]


@gathers("")
def validate_revision(data: Part, gates: Gates) -> None:
    """What is looked at in new and in changed ones."""
    if data["data"] is None:
        data.require("data", "data is mandatory")
    data.counts("revision")


def validate_revision_update(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Gates
) -> list[FieldError]:
    """A change: of the number alone."""
    changed = Part(new, "", validate_revision(new, gates))
    if old.get("data") != new.get("data"):
        changed.refuse("data", "field is immutable")
    return changed.errors
