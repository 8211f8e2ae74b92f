"""Requests and limits of containers and of pods: known resources, amounts from 0, requests within limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ...objects.pod import PodSpec
from ...objects.quantity import canonical, canonical_sum, parse_quantity
from ..pod_resources import effective_requests
from .field_error import (
    FieldError,
    check_not_negative,
    each_invalid,
    forbidden,
    invalid,
    not_supported,
    required,
)
from .names import check_qualified

NameCheck = Callable[[str, str], list[FieldError]]
"""What is wrong with the name of a resource at a path."""

POD_LEVEL = ("cpu", "memory")
STANDARD = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"
OBJECTS = (
    "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
    "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
)  # fmt: skip
"""What a quota counts in whole objects."""
COUNTED = (
    *(f"{group}.{name}" for group in ("requests", "limits") for name in STANDARD),
    "requests.storage",
    *OBJECTS,
)
"""What a quota limits beside the resources of containers."""
QUANTITY_TEXT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def validate_resources(resources: Mapping[str, Any] | None, path: str) -> list[FieldError]:
    """The `resources` of a container."""
    return _validate_requirements(resources or {}, path, validate_resource_name)


def validate_pod_resources(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """The `resources` of a pod as a whole: for all its containers together, and above each one's limit."""
    resources, place = spec.get("resources"), f"{path}.resources"
    if resources is None:
        return []
    if (spec.get("os") or {}).get("name") == "windows":
        return [forbidden(place, "may not be set for a windows pod")]
    errors = []
    if resources.get("claims") is not None:
        errors.append(forbidden(f"{place}.claims", "claims may not be set for Resources at pod-level"))
    malformed = _validate_requirements(resources, place, _validate_pod_resource_name)
    errors += malformed
    if any(error.detail == QUANTITY_TEXT for error in malformed):
        return errors
    return errors + _validate_sums(spec, resources, place) + _validate_limits(spec, resources, place)


def _validate_sums(spec: Mapping[str, Any], resources: Mapping[str, Any], path: str) -> list[FieldError]:
    """What its containers ask for together fits into what the pod asks for."""
    requests = resources.get("requests") or {}
    parts = {part: spec.get(part) or () for part in ("containers", "initContainers")}
    bare = {
        part: [
            {"resources": one.get("resources"), "restartPolicy": one.get("restartPolicy")} for one in found
        ]
        for part, found in parts.items()
    }
    try:
        together = effective_requests(PodSpec(bare))
    except ValueError:
        # An amount that cannot be read is told of at its container.
        return []
    errors = []
    for name in sorted(requests):
        total = Fraction(together.get(name, 0), 1000 if name == "cpu" else 1)
        if total > parse_quantity(requests[name]):
            asked = (
                (one.get("resources") or {}).get("requests") or {} for part in parts.values() for one in part
            )
            first = next(one[name] for one in asked if name in one)
            detail = "must be greater than or equal to aggregate container requests of"
            place = f"{path}.requests[{name}]"
            errors.append(
                invalid(place, canonical(requests[name]), f"{detail} {canonical_sum(total, first)}")
            )
    return errors


def _validate_limits(spec: Mapping[str, Any], resources: Mapping[str, Any], path: str) -> list[FieldError]:
    """No container may have more than the pod."""
    limits = resources.get("limits") or {}
    errors = []
    for index, container in enumerate(spec.get("containers") or ()):
        own = (container.get("resources") or {}).get("limits") or {}
        for name in sorted(own):
            if name in limits and parse_quantity(own[name]) > parse_quantity(limits[name]):
                detail = f"must be less than or equal to pod limits of {canonical(limits[name])}"
                place = f"{path}.containers[{index}][{name}].limits"
                errors.append(invalid(place, canonical(own[name]), detail))
    return errors


def _validate_requirements(
    resources: Mapping[str, Any], path: str, check_name: NameCheck
) -> list[FieldError]:
    """Limits, then requests, each within its limit. Quantities are shown as the API server writes them."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    errors: list[FieldError] = []
    for name, value in sorted(limits.items()):
        place = f"{path}.limits[{name}]"
        errors += check_name(name, place) + _validate_amount(name, value, place)
    for name, value in sorted(requests.items()):
        place = f"{path}.requests[{name}]"
        malformed = _validate_amount(name, value, place)
        errors += check_name(name, place) + malformed
        if not malformed and not _validate_amount(name, limits.get(name, 0), ""):
            errors += _validate_within(name, value, limits.get(name), path)
    names = {*limits, *requests}
    if any(name.startswith(HUGE_PAGES) for name in names) and not names & set(POD_LEVEL):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    return errors


def check_amounts(path: str, amounts: Mapping[str, Any]) -> list[FieldError]:
    """Quantities by resource name, from 0 on."""
    return [error for name, value in amounts.items() for error in check_quantity(f"{path}[{name}]", value)]


def check_quantity(path: str, value: Any, is_positive: bool = False) -> list[FieldError]:
    """A quantity from 0 on, or above it."""
    try:
        exact = parse_quantity(value)
    except ValueError:
        return [invalid(path, value, QUANTITY_TEXT)]
    if is_positive and exact <= 0:
        return [invalid(path, canonical(value), "must be greater than zero")]
    return check_not_negative(path, canonical(value), exact)


def is_below_zero(value: Any) -> bool:
    """Whether a quantity is there and less than nothing; one that cannot be read is not."""
    try:
        return value is not None and parse_quantity(value) < 0
    except ValueError:
        return False


def _validate_amount(name: str, value: Any, path: str) -> list[FieldError]:
    errors = check_quantity(path, value)
    if not errors and _is_countable(name) and parse_quantity(value).denominator != 1:
        errors = [invalid(path, canonical(value), "must be an integer")]
    return errors


def validate_resource_name(name: str, path: str) -> list[FieldError]:
    """What a container may be given some of."""
    if name in STANDARD or name.startswith(HUGE_PAGES):
        return []
    if "/" not in name:
        return [
            invalid(path, name, "must be a standard resource type or fully qualified"),
            invalid(path, name, "must be a standard resource for containers"),
        ]
    return each_invalid(path, name, check_qualified(name))


def check_known_resource(name: str, path: str) -> list[FieldError]:
    """What can be counted in a namespace: the resources there are, or somebody's own with a domain."""
    malformed = each_invalid(path, name, check_qualified(name))
    if malformed or "/" in name or name in (*STANDARD, *COUNTED, "storage") or name.startswith(HUGE_PAGES):
        return malformed
    return [invalid(path, name, "must be a standard resource type or fully qualified")]


def is_overcommitted(name: str) -> bool:
    """Whether more of it may be promised than there is."""
    return not _is_countable(name) and not name.startswith(HUGE_PAGES)


def _is_countable(name: str) -> bool:
    """Devices and the like: whole pieces, of which as many are asked for as allowed."""
    domain, slash, _ = name.rpartition("/")
    return bool(slash) and "kubernetes.io" not in domain


def _validate_pod_resource_name(name: str, path: str) -> list[FieldError]:
    if name in POD_LEVEL or name.startswith(HUGE_PAGES):
        return []
    if name not in STANDARD and "/" not in name:
        return [invalid(path, name, "must be a standard resource type or fully qualified")]
    return [not_supported(path, name, ("cpu", HUGE_PAGES, "memory"))]


def _validate_within(name: str, value: Any, limit: Any, path: str) -> list[FieldError]:
    is_fixed = _is_countable(name) or name.startswith(HUGE_PAGES)
    if limit is None:
        detail = "Limit must be set for non overcommitable resources"
        return [required(f"{path}.limits", detail)] if is_fixed else []
    has, most = parse_quantity(value), parse_quantity(limit)
    if is_fixed and has != most:
        detail = f"must be equal to {name} limit of {canonical(limit)}"
    elif has > most:
        detail = f"must be less than or equal to {name} limit of {canonical(limit)}"
    else:
        return []
    return [invalid(f"{path}.requests", canonical(value), detail)]
