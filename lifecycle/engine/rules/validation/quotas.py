"""ResourceQuotas: amounts that can be read, scopes there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.quantity import canonical, parse_quantity
from .field_error import FieldError, invalid
from .go_structs import show_struct
from .part import Part
from .resources import COUNTED, HUGE_PAGES, OBJECTS, STANDARD, check_known_resource, check_quantity

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
_OF_PODS = ("cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
_OF_CLAIMS = ("persistentvolumeclaims", "requests.storage")


def validate_quota(spec: Mapping[str, Any]) -> list[FieldError]:
    """What a ResourceQuota limits, and of which pods."""
    hard, scopes, errors = spec.get("hard") or {}, spec.get("scopes") or [], []
    for name, amount in sorted(hard.items()):
        path = f"spec.hard[{name}]"
        malformed = check_quantity(path, amount)
        errors += _validate_name(name, path) + malformed
        if name in OBJECTS and not malformed and parse_quantity(amount).denominator != 1:
            errors.append(invalid(path, canonical(amount), "must be an integer"))
    for scope in scopes:
        errors += _validate_scope(scope, hard, "spec.scopes", "spec.scopes", scopes, scopes)
    errors += _check_pairs(scopes, scopes)
    selector = spec.get("scopeSelector") or {}
    expressions = selector.get("matchExpressions") or ()
    shown = show_struct("ScopeSelector", {"matchExpressions": [_show(one) for one in expressions]})
    # The API server does not say which of the expressions.
    path = "spec.scopeSelector.matchExpressions"
    for one in expressions:
        name = one.get("scopeName") or ""
        errors += _validate_scope(name, hard, f"{path}.scopeName", path, name, shown)
        _validate_expression(Part(one, path, errors))
    return errors + _check_pairs([one.get("scopeName") for one in expressions], scopes)


def validate_kept_scopes(stored: Mapping[str, Any], spec: Mapping[str, Any]) -> list[FieldError]:
    """A quota keeps its scopes, in whatever order."""
    scopes = spec.get("scopes") or []
    if set(scopes) == set(stored.get("scopes") or ()):
        return []
    return [invalid("spec.scopes", scopes, "field is immutable")]


def _validate_name(name: str, path: str) -> list[FieldError]:
    errors = check_known_resource(name, path)
    if "/" in name or name in (*STANDARD, *COUNTED) or name.startswith(HUGE_PAGES):
        return errors
    return [*errors, invalid(path, name, "must be a standard resource for quota")]


def _validate_scope(
    scope: str, hard: Mapping[str, Any], path: str, place: str, value: Any, shown: Any
) -> list[FieldError]:
    """A scope there is, and one in which each of the resources can be counted."""
    errors = [] if scope in SCOPES else [invalid(path, value, "unsupported scope")]
    misfits = [name for name in hard if name in (*STANDARD, *COUNTED) and not _is_counted_in(scope, name)]
    return errors + [invalid(place, shown, "unsupported scope applied to resource") for _ in misfits]


def _is_counted_in(scope: str, name: str) -> bool:
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in _OF_CLAIMS
    return scope not in SCOPES or name == "pods" or name in _OF_PODS


def _check_pairs(names: Sequence[Any], scopes: Any) -> list[FieldError]:
    if any(set(pair) <= {str(name) for name in names} for pair in _ALONE):
        return [invalid("spec.scopes", scopes, "conflicting scopes")]
    return []


def _show(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"ScopeName": one.get("scopeName"), "Operator": one.get("operator"), "Values": one.get("values")}


def _validate_expression(one: Part) -> None:
    scope, operator, values = one["scopeName"], one["operator"], one["values"]
    if scope in SCOPES and scope not in ("PriorityClass", "VolumeAttributesClass") and operator != EXISTS:
        detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
        detail += " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
        detail += " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
        one.refuse("operator", detail)
    if operator not in (IN, NOT_IN, EXISTS, DOES_NOT_EXIST):
        one.refuse("operator", "not a valid selector operator", operator or "")
    if operator in (IN, NOT_IN):
        one.need("values", "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
        one.refuse("values", detail)
