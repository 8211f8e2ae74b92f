"""Label selectors and whole-number-or-percent fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ....objects.selector import DOES_NOT_EXIST, EXISTS, OPERATORS, Requirement, Selector
from .field_error import FieldError, invalid
from .metadata import validate_labels
from .names import check_label_value, check_qualified
from .part import Part

PERCENT_TEXT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


def validate_selector(selector: Mapping[str, Any] | None, path: str) -> list[FieldError]:
    """The form of a selector: label keys and values, operators and their values."""
    if selector is None:
        return []
    part = Part(selector, path)
    part.apply("matchLabels", validate_labels)
    for requirement in part.parts("matchExpressions"):
        _validate_requirement(requirement)
    return part.errors


def _validate_requirement(requirement: Part) -> None:
    operator, key = requirement["operator"], requirement["key"] or ""
    if operator in ("In", "NotIn"):
        requirement.need("values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator not in ("Exists", "DoesNotExist"):
        requirement.refuse("operator", "not a valid selector operator", operator or "")
    elif requirement["values"]:
        requirement.forbid("values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    requirement.complain("key", check_qualified(key), key)
    for index, value in enumerate(requirement["values"] or ()):
        requirement.complain(f"values[{index}]", check_label_value(value), value)


def find_unreadable(selector: Selector) -> str:
    """Why a selector cannot be used, as LabelSelectorAsSelector says it; "" where it can."""
    labels = (Requirement(key, "=", (value,)) for key, value in selector.match_labels.items())
    for one in (*labels, *selector.expressions):
        if one.operator not in ("=", *OPERATORS):
            return f'"{one.operator}" is not a valid label selector operator'
        problems = [str(error) for error in _complain(one)]
        if problems:
            return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
    return ""


def _complain(requirement: Requirement) -> list[FieldError]:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    errors = [invalid("key", key, "; ".join(problems)) for problems in (check_qualified(key),) if problems]
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        errors.append(invalid("values", values, "values set must be empty for exists and does not exist"))
    elif operator != "=" and operator not in (EXISTS, DOES_NOT_EXIST) and not values:
        errors.append(invalid("values", None, "for 'in', 'notin' operators, values set can't be empty"))
    for index, value in enumerate(values):
        problems = check_label_value(value)
        if problems:
            errors.append(invalid(f"values[{index}][{key}]", value, "; ".join(problems)))
    return errors


def is_empty_selector(selector: Mapping[str, Any]) -> bool:
    """Whether a selector asks for nothing."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def validate_matches(selector: Mapping[str, Any] | None, template: Part) -> None:
    """A workload's selector must match the labels of its own template (DEP-SPEC-08, RS-SPEC-05)."""
    metadata = template.part("metadata")
    # Nothing is matched by a selector that is missing.
    if selector is None or not Selector(selector).matches(metadata["labels"] or {}):
        metadata.refuse("labels", "`selector` does not match template `labels`")


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
