"""LimitRanges: types there are, and bounds and defaults that can hold together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import canonical, parse_quantity
from .field_error import FieldError, duplicate, each_invalid, forbidden, invalid, required
from .names import check_qualified
from .resources import check_amounts

TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_GROUPS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_DEFAULTS = ("default", "defaultRequest")
# (which is less, which is more, where it stands, whose value is shown): as the API server has it, slips too.
_PAIRS = (
    ("min", "max", "min", "min"),
    ("min", "defaultRequest", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "max", "defaultRequest", "defaultRequest"),
    ("defaultRequest", "default", "defaultRequest", "defaultRequest"),
    ("min", "default", "default", "min"),
    ("default", "max", "default", "max"),
)
_WORDS = {"default": "default", "defaultRequest": "default request", "min": "min", "max": "max"}


def validate_limit_range(spec: Mapping[str, Any]) -> list[FieldError]:
    """Each item of the list by itself, no type twice."""
    errors = []
    seen = set()
    for index, item in enumerate(spec.get("limits") or ()):
        path, kind = f"spec.limits[{index}]", item.get("type") or ""
        errors += _validate_type(kind, f"{path}.type")
        if kind in seen:
            errors.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
        errors += _validate_item(item, kind, path)
    return errors


def _validate_type(kind: str, path: str) -> list[FieldError]:
    malformed = each_invalid(path, kind, check_qualified(kind))
    if malformed or "/" in kind or kind in TYPES:
        return malformed
    return [invalid(path, kind, "must be a standard limit type or fully qualified")]


def _validate_item(item: Mapping[str, Any], kind: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    amounts = {group: item.get(group) or {} for group in _GROUPS}
    if kind == "Pod":
        for group in _DEFAULTS:
            if amounts[group]:
                errors.append(forbidden(f"{path}.{group}", "may not be specified when `type` is 'Pod'"))
            amounts[group] = {}
    if kind == "PersistentVolumeClaim" and "storage" not in {**amounts["min"], **amounts["max"]}:
        detail = "either minimum or maximum storage value is required, but neither was provided"
        errors.append(required(f"{path}.limits", detail))
    malformed = [error for group in _GROUPS for error in check_amounts(f"{path}.{group}", amounts[group])]
    if malformed:
        return errors + malformed
    for name in sorted({name for given in amounts.values() for name in given}):
        errors += _validate_bounds(name, amounts, path)
    return errors


def _validate_bounds(name: str, amounts: Mapping[str, Mapping[str, Any]], path: str) -> list[FieldError]:
    """All bounds and defaults of one resource."""
    errors = []
    for less, more, place, shown in _PAIRS:
        low, high = amounts[less].get(name), amounts[more].get(name)
        if low is None or high is None or parse_quantity(low) <= parse_quantity(high):
            continue
        # A default is a default limit where a request is measured by it.
        word = "default limit" if (less, more) == ("defaultRequest", "default") else _WORDS[more]
        detail = f"{_WORDS[less]} value {canonical(low)} is greater than {word} value {canonical(high)}"
        errors.append(invalid(f"{path}.{place}[{name}]", canonical(amounts[shown][name]), detail))
    ratio = amounts["maxLimitRequestRatio"].get(name)
    if ratio is not None and parse_quantity(ratio) < 1:
        place = f"{path}.maxLimitRequestRatio[{name}]"
        errors.append(invalid(place, canonical(ratio), f"ratio {canonical(ratio)} is less than 1"))
    return errors
