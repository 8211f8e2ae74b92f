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


def validate_quota(spec: Any) -> list[FieldError]:
    """What a ResourceQuota limits, and of which pods."""
    if not isinstance(spec, Mapping):
        return [invalid("spec", spec, "must be a map such as {hard: {pods: 10}}")]
    errors = _validate_hard(spec.get("hard") or {})
    scopes = spec.get("scopes") or []
    if not isinstance(scopes, list):
        return [*errors, invalid("spec.scopes", scopes, "must be a list such as [BestEffort]")]
    for index, scope in enumerate(scopes):
        errors += check_choice(f"spec.scopes[{index}]", scope, SCOPES, needed=True)
    if any(set(pair) <= {str(scope) for scope in scopes} for pair in _ALONE):
        errors.append(invalid("spec.scopes", scopes, "conflicting scopes"))
    return errors + _validate_selector(spec.get("scopeSelector") or {})


def _validate_hard(hard: Any) -> list[FieldError]:
    if not isinstance(hard, Mapping):
        return [invalid("spec.hard", hard, "must be a map by resource, such as requests.cpu: 2")]
    return check_amounts("spec.hard", hard)


def _validate_selector(selector: Any) -> list[FieldError]:
    path = "spec.scopeSelector.matchExpressions"
    expressions = selector.get("matchExpressions") or [] if isinstance(selector, Mapping) else None
    if not isinstance(expressions, list) or not all(isinstance(one, Mapping) for one in expressions):
        return [
            invalid("spec.scopeSelector", selector, "must be {matchExpressions: [{scopeName, operator}]}")
        ]
    errors = []
    for index, one in enumerate(expressions):
        errors += _validate_expression(one, f"{path}[{index}]")
    return errors


def _validate_expression(one: Mapping[str, Any], path: str) -> list[FieldError]:
    scope, operator, values = one.get("scopeName"), one.get("operator"), one.get("values") or []
    errors = check_choice(f"{path}.scopeName", scope, SCOPES, needed=True)
    errors += check_choice(f"{path}.operator", operator, (DOES_NOT_EXIST, EXISTS, IN, NOT_IN), needed=True)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return [*errors, invalid(f"{path}.values", values, "must be a list of names")]
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
