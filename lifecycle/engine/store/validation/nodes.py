"""Nodes: amounts that can be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import parse_quantity
from .field_error import FieldError, invalid


def validate_node(status: Any) -> list[FieldError]:
    """The status of a Node, which says what its machine has."""
    if not isinstance(status, Mapping):
        return [invalid("status", status, "must be a map such as {capacity: {cpu: 4, memory: 8Gi}}")]
    errors = []
    for field in ("capacity", "allocatable"):
        amounts = status.get(field) or {}
        if not isinstance(amounts, Mapping):
            return [invalid(f"status.{field}", amounts, "must be a map by resource, such as memory: 8Gi")]
        for name, amount in amounts.items():
            path = f"status.{field}[{name}]"
            try:
                if parse_quantity(amount) < 0:
                    errors.append(invalid(path, amount, "must be greater than or equal to 0"))
            except ValueError:
                errors.append(invalid(path, amount, "must be a quantity such as 500m, 2 or 64Mi"))
    return errors
