"""Nodes: amounts that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, invalid
from .resources import check_amounts


def validate_node(status: Any) -> list[FieldError]:
    """The status of a Node, which says what its machine has."""
    if not isinstance(status, Mapping):
        return [invalid("status", status, "must be a map such as {capacity: {cpu: 4, memory: 8Gi}}")]
    errors: list[FieldError] = []
    for field in ("capacity", "allocatable"):
        amounts = status.get(field) or {}
        if not isinstance(amounts, Mapping):
            return [invalid(f"status.{field}", amounts, "must be a map by resource, such as memory: 8Gi")]
        errors += check_amounts(f"status.{field}", amounts)
    return errors
