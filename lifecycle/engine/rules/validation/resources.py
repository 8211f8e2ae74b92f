"""Requests and limits: known resources, amounts from 0, requests within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import parse_quantity
from .field_error import FieldError, check_not_negative, each_invalid, invalid, required
from .names import check_qualified

STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
QUANTITY_TEXT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def validate_resources(resources: Mapping[str, Any] | None, path: str) -> list[FieldError]:
    """The `resources` of a container."""
    if not resources:
        return []
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    errors = []
    for group, amounts in (("limits", limits), ("requests", requests)):
        for name, value in sorted(amounts.items()):
            errors += _validate_amount(name, value, f"{path}.{group}[{name}]")
    return errors or _validate_within(requests, limits, path)


def check_amounts(path: str, amounts: Mapping[str, Any]) -> list[FieldError]:
    """Quantities by resource name, from 0 on."""
    return [
        error for name, value in amounts.items() for error in _validate_quantity(value, f"{path}[{name}]")
    ]


def _validate_quantity(value: Any, path: str) -> list[FieldError]:
    try:
        return check_not_negative(path, value, parse_quantity(value))
    except ValueError:
        return [invalid(path, value, QUANTITY_TEXT)]


def _validate_amount(name: str, value: Any, path: str) -> list[FieldError]:
    errors = _validate_quantity(value, path)
    if not errors and _is_countable(name) and parse_quantity(value).denominator != 1:
        errors = [invalid(path, value, "must be an integer")]
    return _validate_resource_name(name, path) + errors


def _validate_resource_name(name: str, path: str) -> list[FieldError]:
    if name in STANDARD or name.startswith(HUGE_PAGES):
        return []
    if "/" not in name:
        return [
            invalid(path, name, "must be a standard resource type or fully qualified"),
            invalid(path, name, "must be a standard resource for containers"),
        ]
    return each_invalid(path, name, check_qualified(name))


def _is_countable(name: str) -> bool:
    """Devices and the like: whole pieces, never more requested than allowed."""
    return name not in STANDARD and not name.startswith(HUGE_PAGES)


def _validate_within(requests: Mapping[str, Any], limits: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    for name, value in sorted(requests.items()):
        limit = limits.get(name)
        is_fixed = _is_countable(name) or name.startswith(HUGE_PAGES)
        if limit is None:
            if is_fixed:
                detail = "Limit must be set for non overcommitable resources"
                errors.append(required(f"{path}.limits", detail))
        elif is_fixed and parse_quantity(value) != parse_quantity(limit):
            detail = f"must be equal to {name} limit of {limit}"
            errors.append(invalid(f"{path}.requests", str(value), detail))
        elif parse_quantity(value) > parse_quantity(limit):
            detail = f"must be less than or equal to {name} limit of {limit}"
            errors.append(invalid(f"{path}.requests", str(value), detail))
    return errors
