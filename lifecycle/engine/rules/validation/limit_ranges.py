"""LimitRanges: types there are, and bounds and defaults that can hold together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import canonical, parse_quantity
from .pods.resources import check_known_resource, check_readable, is_overcommitted, validate_resource_name
from .words.names import check_qualified
from .words.part import Part, gathers

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


@gathers("spec")
def validate_limit_range(spec: Part) -> None:
    """Each item of the list by itself, no type twice."""
    seen: set[str] = set()
    for item in spec.parts("limits"):
        kind = item["type"] or ""
        malformed = check_qualified(kind)
        item.complain("type", malformed, kind)
        if not malformed and "/" not in kind and kind not in TYPES:
            item.refuse("type", "must be a standard limit type or fully qualified", kind)
        item.once("type", kind, seen)
        _validate_item(item, kind)


def _validate_item(item: Part, kind: str) -> None:
    amounts = {group: item[group] or {} for group in _GROUPS}
    malformed = [error for group in _GROUPS for error in check_readable(item.at(group), amounts[group])]
    item.errors += malformed
    if malformed:
        return
    for group in _GROUPS:
        if group == "maxLimitRequestRatio" and kind == "PersistentVolumeClaim":
            _require_storage(item, {**amounts["min"], **amounts["max"]})
        if group in _DEFAULTS and kind == "Pod":
            if amounts[group]:
                item.forbid(group, "may not be specified when `type` is 'Pod'")
            amounts[group] = {}
        _validate_names(item, kind, group, amounts[group])
    for name in sorted({name for given in amounts.values() for name in given}):
        _validate_bounds(name, amounts, item)
        _validate_ratio(name, amounts, item)


def _require_storage(item: Part, bounds: Mapping[str, Any]) -> None:
    if "storage" not in bounds:
        detail = "either minimum or maximum storage value is required, but neither was provided"
        item.require("limits", detail)


def _validate_names(item: Part, kind: str, group: str, amounts: Mapping[str, Any]) -> None:
    """Resources that there are. That an amount is above 0 is not asked here."""
    check_name = validate_resource_name if kind in ("Pod", "Container") else check_known_resource
    for name in sorted(amounts):
        item.errors += check_name(name, item.at(f"{group}[{name}]"))


def _validate_bounds(name: str, amounts: Mapping[str, Mapping[str, Any]], item: Part) -> None:
    """All bounds and defaults of one resource."""
    for less, more, place, shown in _PAIRS:
        low, high = amounts[less].get(name), amounts[more].get(name)
        if low is None or high is None or parse_quantity(low) <= parse_quantity(high):
            continue
        # A default is a default limit where a request is measured by it.
        word = "default limit" if (less, more) == ("defaultRequest", "default") else _WORDS[more]
        detail = f"{_WORDS[less]} value {canonical(low)} is greater than {word} value {canonical(high)}"
        item.refuse(f"{place}[{name}]", detail, canonical(amounts[shown][name]))
    ratio = amounts["maxLimitRequestRatio"].get(name)
    if ratio is not None and parse_quantity(ratio) < 1:
        detail = f"ratio {canonical(ratio)} is less than 1"
        item.refuse(f"maxLimitRequestRatio[{name}]", detail, canonical(ratio))


def _validate_ratio(name: str, amounts: Mapping[str, Mapping[str, Any]], item: Part) -> None:
    """The bounds leave room for a ratio; what cannot be overcommitted is asked for in full."""
    ratio, low, high = (amounts[group].get(name) for group in ("maxLimitRequestRatio", "min", "max"))
    if ratio is not None and low is not None and high is not None and parse_quantity(low):
        most = parse_quantity(high) / parse_quantity(low)
        if parse_quantity(ratio) > most:
            detail = f"ratio {canonical(ratio)} is greater than max/min = {float(most):f}"
            item.refuse(f"maxLimitRequestRatio[{name}]", detail, canonical(ratio))
    limit, request = amounts["default"].get(name), amounts["defaultRequest"].get(name)
    if limit is None or request is None or is_overcommitted(name):
        return
    if parse_quantity(limit) != parse_quantity(request):
        shown = canonical(request)
        detail = f"default value {canonical(limit)} must equal to defaultRequest value {shown} in {name}"
        item.refuse(f"defaultRequest[{name}]", detail, shown)
