"""ResourceQuotas: amounts that can be read, scopes there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...objects.quantity import canonical, parse_quantity
from .pods.resources import (
    COUNTED,
    HUGE_PAGES,
    OBJECTS,
    STANDARD,
    check_known_resource,
    check_quantity,
    is_extended,
    is_readable,
)
from .words.field_error import FieldError, invalid
from .words.go_structs import show_struct
from .words.part import Part, gathers

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
_COUNTED = (*STANDARD, *COUNTED)
_PAGES = (HUGE_PAGES, f"requests.{HUGE_PAGES}")
_OF_CLAIMS = ("persistentvolumeclaims", "requests.storage")


@gathers("spec")
def validate_quota(spec: Part) -> None:
    """What a ResourceQuota limits, and of which pods."""
    scopes = spec["scopes"] or []
    _validate_amounts(spec, "hard")
    for scope in scopes:
        _validate_scope(spec, scope, "scopes", scopes, "scopes", scopes)
    _validate_pairs(spec, scopes)
    expressions = spec.part("scopeSelector")["matchExpressions"] or ()
    shown = show_struct("ScopeSelector", {"matchExpressions": expressions})
    # The API server does not say which of the expressions.
    field = "scopeSelector.matchExpressions"
    for one in expressions:
        name = one.get("scopeName") or ""
        _validate_scope(spec, name, f"{field}.scopeName", name, field, shown)
        _validate_expression(Part(one, spec.at(field), spec.errors))
    _validate_pairs(spec, [one.get("scopeName") for one in expressions])


def _validate_amounts(holder: Part, group: str) -> None:
    for name, amount in sorted((holder[group] or {}).items()):
        field = f"{group}[{name}]"
        malformed = check_quantity(holder.at(field), amount)
        holder.errors += check_known_resource(name, holder.at(field))
        if "/" not in name and name not in _COUNTED and not name.startswith(_PAGES):
            holder.refuse(field, "must be a standard resource for quota", name)
        holder.errors += malformed
        is_whole = name in OBJECTS or is_extended(name)
        if is_whole and is_readable(amount) and parse_quantity(amount).denominator != 1:
            holder.refuse(field, "must be an integer", canonical(amount))


def validate_quota_status(
    old: Mapping[str, Any], new: Mapping[str, Any], gates: Mapping[str, bool]
) -> list[FieldError]:
    """What is said of a quota's limits and of their use."""
    status = Part(new.get("status") or {}, "status")
    _validate_amounts(status, "hard")
    _validate_amounts(status, "used")
    return status.errors


def validate_quota_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A quota keeps its scopes, in whatever order."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    errors = validate_quota(after)
    if set(after.get("scopes") or ()) != set(before.get("scopes") or ()):
        errors.append(invalid("spec.scopes", after.get("scopes"), "field is immutable"))
    return errors


def _validate_scope(spec: Part, scope: str, field: str, value: Any, place: str, shown: Any) -> None:
    """A scope there is, and one in which each of the resources can be counted."""
    if scope not in SCOPES:
        spec.refuse(field, "unsupported scope", value)
    for name in spec["hard"] or ():
        if (name in _COUNTED or name.startswith(_PAGES)) and not _is_counted_in(scope, name):
            spec.refuse(place, "unsupported scope applied to resource", shown)


def _is_counted_in(scope: str, name: str) -> bool:
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in _OF_CLAIMS
    return scope not in SCOPES or name == "pods" or name in _OF_PODS


def _validate_pairs(spec: Part, names: Sequence[Any]) -> None:
    if any(set(pair) <= set(map(str, names)) for pair in _ALONE):
        spec.refuse("scopes", "conflicting scopes", spec["scopes"] or [])


def _validate_expression(one: Part) -> None:
    scope, operator, values = one["scopeName"], one["operator"], one["values"]
    if scope in SCOPES and scope not in ("PriorityClass", "VolumeAttributesClass") and operator != EXISTS:
        detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
        detail += " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
        detail += " ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
        one.refuse("operator", detail, operator or "")
    if operator not in (IN, NOT_IN, EXISTS, DOES_NOT_EXIST):
        one.refuse("operator", "not a valid selector operator", operator or "")
    if operator in (IN, NOT_IN):
        one.need("values", "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
        one.refuse("values", detail)
