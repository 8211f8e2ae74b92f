"""Label selectors and whole-number-or-percent fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...objects.selector import Selector
from .field_error import FieldError, each_invalid, forbidden, invalid, required
from .metadata import validate_labels
from .names import check_label_value, check_qualified

PERCENT_TEXT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def validate_selector(selector: Mapping[str, Any] | None, path: str) -> list[FieldError]:
    """The form of a selector: label keys and values, operators and their values."""
    if selector is None:
        return []
    errors = validate_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        errors += _validate_requirement(requirement, f"{path}.matchExpressions[{index}]")
    return errors


def _validate_requirement(requirement: Mapping[str, Any], path: str) -> list[FieldError]:
    operator, values = requirement.get("operator"), requirement.get("values") or []
    errors = []
    if operator in ("In", "NotIn"):
        if not values:
            errors.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator or "", "not a valid selector operator"))
    errors += each_invalid(
        f"{path}.key", requirement.get("key") or "", check_qualified(requirement.get("key") or "")
    )
    for index, value in enumerate(values):
        errors += each_invalid(f"{path}.values[{index}]", value, check_label_value(value))
    return errors


def is_empty_selector(selector: Mapping[str, Any]) -> bool:
    """Whether a selector asks for nothing."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def validate_matches(
    selector: Mapping[str, Any] | None, labels: Mapping[str, str] | None, path: str
) -> list[FieldError]:
    """A workload's selector must match the labels of its own template (DEP-SPEC-08, RS-SPEC-05)."""
    # Nothing is matched by a selector that is missing.
    if selector is not None and Selector(selector).matches(dict(labels or {})):
        return []
    return [invalid(path, dict(labels or {}), "`selector` does not match template `labels`")]


def validate_int_or_percent(value: Any, path: str) -> list[FieldError]:
    """A whole number from 0, or a percentage."""
    if value is None:
        return []
    if isinstance(value, str):
        return [] if re.fullmatch("[0-9]+%", value) else [invalid(path, value, PERCENT_TEXT)]
    return [] if value >= 0 else [invalid(path, value, "must be greater than or equal to 0")]


def check_at_most_whole(value: Any, path: str) -> list[FieldError]:
    """A percentage is of at most all there are."""
    if (percent_of(value) or 0) <= 100:
        return []
    return [invalid(path, value, "must not be greater than 100%")]


def percent_of(value: Any) -> int | None:
    """The percentage, or None for a plain number."""
    return int(value[:-1]) if isinstance(value, str) and re.fullmatch("[0-9]+%", value) else None
