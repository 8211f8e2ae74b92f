"""Nodes: amounts that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pods.resources import check_amounts
from .words.field_error import FieldError


def validate_node(status: Mapping[str, Any]) -> list[FieldError]:
    """The status of a Node, which says what its machine has."""
    errors: list[FieldError] = []
    for field in ("capacity", "allocatable"):
        errors += check_amounts(f"status.{field}", status.get(field) or {})
    return errors
