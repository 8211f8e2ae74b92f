"""Claims of storage: how they are used, how much, of which class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import parse_quantity
from ...objects.storage import BOUND
from .pods.resources import check_quantity
from .words.field_error import FieldError, invalid
from .words.names import check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_ALONE = "ReadWriteOncePod"


def validate_claim_spec(spec: Part) -> None:
    """What a PersistentVolumeClaim asks for, or one that a StatefulSet makes."""
    spec.need("accessModes", "at least 1 access mode is required")
    spec.apply("selector", validate_selector)
    check_access_modes(spec)
    requests = spec.part("resources").part("requests")
    if "storage" in requests.data:
        spec.errors += check_quantity(spec.at("resources[storage]"), requests["storage"], is_positive=True)
    else:
        spec.require("resources[storage]")
    spec.text("storageClassName", check_subdomain)
    spec.given("volumeMode", VOLUME_MODES)
    for field in spec.list_given(("dataSource", "dataSourceRef")):
        _validate_source(spec.part(field))
    _validate_both_sources(spec)
    spec.text("volumeAttributesClassName", check_subdomain)


validate_claim = gathers("spec")(validate_claim_spec)


_FIXED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName"
    " for bound claims"
)


def validate_claim_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """A changed claim: its volume is named once; a bound one may ask for more. Nothing else changes."""
    from .words.shown_changes import show_change

    before, after = old.get("spec") or {}, new.get("spec") or {}
    errors = validate_claim(after)
    part = Part(after, "spec", errors)
    is_bound = (old.get("status") or {}).get("phase") == BOUND
    free = ("volumeAttributesClassName",) if is_bound else ()
    if not before.get("volumeName"):
        free = (*free, "volumeName")
    if before.get("storageClassName") is None:
        # A claim that was made before there was a default class is given one later.
        free = (*free, "storageClassName")
    if _freeze(before, free, is_bound) != _freeze(after, free, is_bound):
        changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
        part.forbid("", f"{_FIXED}\n{show_change(before, after, changed)}")
    was, wanted = _amount(before), _amount(after)
    has = parse_quantity(((old.get("status") or {}).get("capacity") or {}).get("storage") or 0)
    if wanted < was and wanted <= has:
        part.forbid("resources.requests.storage", "field can not be less than status.capacity")
    if before.get("volumeMode") != after.get("volumeMode"):
        errors.append(invalid("volumeMode", after.get("volumeMode"), "field is immutable"))
    return errors


def validate_claim_status(data: Mapping[str, Any]) -> list[FieldError]:
    """What somebody says that a claim has."""
    status = data.get("status") or {}
    return [
        error
        for group in ("capacity", "allocatedResources")
        for name, amount in sorted((status.get(group) or {}).items())
        for error in check_quantity(f"status.{group}[{name}]", amount)
    ]


def _amount(spec: Mapping[str, Any]) -> Any:
    return parse_quantity(((spec.get("resources") or {}).get("requests") or {}).get("storage") or 0)


def _freeze(spec: Mapping[str, Any], free: tuple[str, ...], may_grow: bool) -> dict[str, Any]:
    """The fields that stay for life, as they are."""
    kept = {name: value for name, value in spec.items() if name not in free}
    resources = dict(kept.pop("resources", None) or {})
    requests = dict(resources.pop("requests", None) or {})
    amount = parse_quantity(requests.pop("storage", None) or 0)
    return {**kept, "resources": resources, "requests": requests, "amount": None if may_grow else amount}


def check_access_modes(spec: Part) -> None:
    """Modes there are; the one for a single pod stands alone."""
    modes = spec["accessModes"] or ()
    for mode in modes:
        spec.support("accessModes", ACCESS_MODES, mode)
    if _ALONE in modes and any(mode in ACCESS_MODES and mode != _ALONE for mode in modes):
        spec.forbid("accessModes", f"may not use {_ALONE} with other access modes")


def _validate_source(source: Part) -> None:
    """What a volume is filled from."""
    source.need("name")
    source.need("kind")
    if source["apiGroup"]:
        source.text("apiGroup", check_subdomain)
    elif source["kind"] != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        source.refuse("", detail, source["kind"] or "")


def _validate_both_sources(spec: Part) -> None:
    """The older field says the same as the newer one. The API server shows neither of them."""
    old, new = spec["dataSource"], spec["dataSourceRef"]
    if old is None or new is None:
        return
    if new.get("namespace"):
        spec.refuse("", "may not be specified when dataSourceRef.namespace is specified", {})
    elif any(old.get(name) != new.get(name) for name in ("apiGroup", "kind", "name")):
        spec.refuse("", "must match dataSourceRef", {})
