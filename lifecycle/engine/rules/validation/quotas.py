"""ResourceQuotas: amounts that can be read, scopes there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, check_choice, invalid, required
from .resources import check_amounts

SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)
IN, NOT_IN, EXISTS, DOES_NOT_EXIST = "In", "NotIn", "Exists", "DoesNotExist"
_ALONE = (("BestEffort", "NotBestEffort"), ("NotTerminating", "Terminating"))


def validate_quota(spec: Mapping[str, Any]) -> list[FieldError]:
    """What a ResourceQuota limits, and of which pods."""
    errors = check_amounts("spec.hard", spec.get("hard") or {})
    scopes = spec.get("scopes") or []
    for index, scope in enumerate(scopes):
        errors += check_choice(f"spec.scopes[{index}]", scope, SCOPES, needed=True)
    if any(set(pair) <= {str(scope) for scope in scopes} for pair in _ALONE):
        errors.append(invalid("spec.scopes", scopes, "conflicting scopes"))
    for index, one in enumerate((spec.get("scopeSelector") or {}).get("matchExpressions") or ()):
        errors += _validate_expression(one, f"spec.scopeSelector.matchExpressions[{index}]")
    return errors


def _validate_expression(one: Mapping[str, Any], path: str) -> list[FieldError]:
    scope, operator, values = one.get("scopeName"), one.get("operator"), one.get("values") or []
    errors = check_choice(f"{path}.scopeName", scope, SCOPES, needed=True)
    errors += check_choice(f"{path}.operator", operator, (DOES_NOT_EXIST, EXISTS, IN, NOT_IN), needed=True)
    if scope not in ("PriorityClass", "VolumeAttributesClass") and operator != EXISTS:
        detail = "must be 'Exists' only operator when scope is any of ResourceQuotaScopeTerminating,"
        detail += " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
        detail += " ResourceQuotaScopeNotBestEffort and ResourceQuotaScopeCrossNamespacePodAffinity"
        errors.append(invalid(f"{path}.operator", operator, detail))
    if operator in (IN, NOT_IN) and not values:
        detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
        errors.append(required(f"{path}.values", detail))
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        detail = "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector"
        errors.append(invalid(f"{path}.values", values, detail))
    return errors
