"""Requests and limits of containers and of pods: known resources, amounts from 0, requests within limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from ....objects.quantity import canonical, parse_quantity
from ...limits.limit_ranges import sum_containers
from ..words.field_error import (
    FieldError,
    check_not_negative,
    duplicate,
    each_invalid,
    invalid,
    not_found,
    not_supported,
)
from ..words.names import check_qualified
from ..words.part import Part

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
    part = Part(resources, path)
    _validate_requirements(part, validate_resource_name)
    return part.errors


def validate_claim_names(resources: Part, known: Collection[str]) -> None:
    """Devices of the pod's claims, each once: all of a claim, or one request of it."""
    seen: set[str] = set()
    for index, claim in enumerate(resources.parts("claims")):
        name, place = claim["name"] or "", f"claims[{index}]"
        if not name:
            resources.require(place)
            continue
        key = f"{name}/{claim['request']}" if claim["request"] else name
        if name in seen or key in seen:
            resources.errors.append(duplicate(resources.at(place), key))
        seen.add(key)
        if name not in known:
            suffix = f": {', '.join(sorted(known))}" if known else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{suffix}"
            resources.errors.append(not_found(resources.at(place), name, detail))


def validate_pod_resources(spec: Part) -> None:
    """The `resources` of a pod as a whole: for all its containers together, and above each one's limit."""
    if spec["resources"] is None:
        return
    if spec.part("os")["name"] == "windows":
        spec.forbid("resources", "may not be set for a windows pod")
        return
    resources, count = spec.part("resources"), len(spec.errors)
    if resources["claims"] is not None:
        resources.forbid("claims", "claims may not be set for Resources at pod-level")
    _validate_requirements(resources, _check_pod_resource_name)
    validate_claim_names(resources, [claim["name"] or "" for claim in spec.parts("resourceClaims")])
    if not any(error.detail == QUANTITY_TEXT for error in spec.errors[count:]):
        _validate_sums(spec, resources)
        _validate_limits(spec, resources)


def _validate_sums(spec: Part, resources: Part) -> None:
    """What its containers ask for together fits into what the pod asks for."""
    try:
        together = sum_containers({**spec.data, "resources": None}, "requests")
    except ValueError:
        # An amount that cannot be read is told of at its container.
        return
    for name, value in sorted((resources["requests"] or {}).items()):
        total = together.get(name, "0")
        if parse_quantity(total) > parse_quantity(value):
            detail = f"must be greater than or equal to aggregate container requests of {canonical(total)}"
            resources.refuse(f"requests[{name}]", detail, canonical(value))


def _validate_limits(spec: Part, resources: Part) -> None:
    """No container may have more than the pod."""
    limits = resources["limits"] or {}
    for index, container in enumerate(spec.parts("containers")):
        own = container.part("resources")["limits"] or {}
        for name in sorted(own):
            if name in limits and parse_quantity(own[name]) > parse_quantity(limits[name]):
                detail = f"must be less than or equal to pod limits of {canonical(limits[name])}"
                resources.refuse(f"containers[{index}][{name}].limits", detail, canonical(own[name]))


def _validate_requirements(part: Part, check_name: NameCheck) -> None:
    """Limits, then requests, each within its limit. Quantities are shown as the API server writes them."""
    limits, requests = part["limits"] or {}, part["requests"] or {}
    for name, value in sorted(limits.items()):
        place = part.at(f"limits[{name}]")
        part.errors += check_name(name, place) + _check_amount(name, value, place)
        part.errors += _check_pages(name, value, place)
    for name, value in sorted(requests.items()):
        place = part.at(f"requests[{name}]")
        part.errors += check_name(name, place) + _check_amount(name, value, place)
        if is_readable(value) and is_readable(limits.get(name, 0)):
            _validate_within(part, name, value, limits.get(name))
        part.errors += _check_pages(name, value, place)
    names = {*limits, *requests}
    if any(name.startswith(HUGE_PAGES) for name in names) and not names & set(POD_LEVEL):
        part.forbid("", "HugePages require cpu or memory")


def is_readable(value: Any) -> bool:
    """Whether it is a quantity at all."""
    try:
        parse_quantity(value)
    except ValueError:
        return False
    return True


def _check_pages(name: str, value: Any, path: str) -> list[FieldError]:
    """Memory in huge pages comes in whole pages."""
    if not name.startswith(HUGE_PAGES) or check_quantity("", value):
        return []
    try:
        page = parse_quantity(name.removeprefix(HUGE_PAGES))
    except ValueError:
        page = Fraction(0)
    if page > 0 and parse_quantity(value) % page == 0:
        return []
    shown = canonical(value)
    return [invalid(path, shown, f"{shown} is not positive integer multiple of {name}")]


def check_amounts(path: str, amounts: Mapping[str, Any]) -> list[FieldError]:
    """Quantities by resource name, from 0 on."""
    return [error for name, value in amounts.items() for error in check_quantity(f"{path}[{name}]", value)]


def check_readable(path: str, amounts: Mapping[str, Any]) -> list[FieldError]:
    """Quantities by resource name, of any size."""
    unreadable = [(name, value) for name, value in amounts.items() if not is_readable(value)]
    return [invalid(f"{path}[{name}]", value, QUANTITY_TEXT) for name, value in unreadable]


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


def _check_amount(name: str, value: Any, path: str) -> list[FieldError]:
    errors = check_quantity(path, value)
    if not errors and _is_countable(name) and parse_quantity(value).denominator != 1:
        errors = [invalid(path, canonical(value), "must be an integer")]
    return errors


def validate_resource_name(name: str, path: str) -> list[FieldError]:
    """What a container may be given some of."""
    if name in STANDARD or name.startswith(HUGE_PAGES):
        return []
    errors = check_known_resource(name, path)
    if "/" not in name:
        errors.append(invalid(path, name, "must be a standard resource for containers"))
    elif _is_countable(name) and not is_extended(name):
        errors.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return errors


def check_known_resource(name: str, path: str) -> list[FieldError]:
    """What can be counted in a namespace: the resources there are, or somebody's own with a domain."""
    malformed = each_invalid(path, name, check_qualified(name))
    is_standard = name in (*STANDARD, *COUNTED, "storage")
    if malformed or "/" in name or is_standard or name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}")):
        return malformed
    return [invalid(path, name, "must be a standard resource type or fully qualified")]


def is_overcommitted(name: str) -> bool:
    """Whether more of it may be promised than there is."""
    return not _is_countable(name) and not name.startswith(HUGE_PAGES)


def _is_countable(name: str) -> bool:
    """Devices and the like: whole pieces, of which as many are asked for as allowed."""
    domain, slash, _ = name.rpartition("/")
    return bool(slash) and "kubernetes.io" not in domain


def is_extended(name: str) -> bool:
    """Whether it is somebody's own, of which a quota can say how much may be requested."""
    return (
        _is_countable(name) and not name.startswith("requests.") and not check_qualified(f"requests.{name}")
    )


def _check_pod_resource_name(name: str, path: str) -> list[FieldError]:
    if name in POD_LEVEL or name.startswith(HUGE_PAGES):
        return []
    if name not in STANDARD and "/" not in name:
        return [invalid(path, name, "must be a standard resource type or fully qualified")]
    return [not_supported(path, name, ("cpu", HUGE_PAGES, "memory"))]


def _validate_within(part: Part, name: str, value: Any, limit: Any) -> None:
    """A request within its limit; what cannot be overcommitted is asked for in full."""
    is_fixed = not is_overcommitted(name)
    if limit is None:
        if is_fixed:
            part.require("limits", "Limit must be set for non overcommitable resources")
        return
    has, most = parse_quantity(value), parse_quantity(limit)
    if is_fixed and has != most:
        part.refuse("requests", f"must be equal to {name} limit of {canonical(limit)}", canonical(value))
    elif has > most:
        detail = f"must be less than or equal to {name} limit of {canonical(limit)}"
        part.refuse("requests", detail, canonical(value))
