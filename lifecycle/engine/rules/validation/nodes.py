"""Nodes: amounts that can be read, taints that pods can bear, and what a node keeps for life."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.quantity import canonical, parse_quantity
from .pods.pods import EFFECTS
from .pods.resources import check_amounts
from .words.addresses import read_network
from .words.field_error import DUPLICATE, FieldError, invalid
from .words.go_structs import show_struct
from .words.names import check_label_value, check_qualified
from .words.part import Part, gathers

_TAINT_FIELDS = ("key", "value", "effect", "timeAdded")


@gathers("")
def validate_node(data: Part) -> None:
    """What its machine has, its taints, and the addresses of its pods."""
    for field in ("capacity", "allocatable"):
        data.errors += check_amounts(f"status.{field}", data.part("status")[field] or {})
    _validate_taints(data.part("spec"))
    for index, network in enumerate(_list_networks(data["spec"] or {})):
        if read_network(network) is None:
            detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
            data.refuse(f"spec.podCIDRs[{index}]", detail, network)


def _list_networks(spec: Mapping[str, Any]) -> list[str]:
    return spec.get("podCIDRs") or ([spec["podCIDR"]] if spec.get("podCIDR") else [])


def _validate_taints(spec: Part) -> None:
    """Their path is one of the metadata in Kubernetes, as recorded."""
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(spec["taints"] or ()):
        taint = Part(entry, f"metadata.taints[{index}]", spec.errors)
        key, effect = taint["key"] or "", taint["effect"] or ""
        taint.complain("key", check_qualified(key), key)
        taint.complain("value", check_label_value(taint["value"] or ""))
        taint.choice("effect", EFFECTS, needed=True)
        if (key, effect) in seen:
            shown = {field: entry.get(field) for field in _TAINT_FIELDS}
            detail = "taints must be unique by key and effect pair"
            taint.errors.append(FieldError(taint.path, DUPLICATE, show_struct("Taint", shown), detail))
        seen.add((key, effect))


def validate_kept_node(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[FieldError]:
    """The network of its pods and its provider's id stay, once it has them. Taints are looked at here too."""
    spec, before = Part(new.get("spec"), "spec"), old.get("spec") or {}
    kept = _list_networks(before)
    if kept and kept != _list_networks(spec.data):
        spec.forbid("podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    if before.get("providerID") and spec["providerID"] != before["providerID"]:
        spec.forbid("providerID", 'node updates may not change providerID except from "" to valid')
    _validate_taints(spec)
    return spec.errors


def validate_node_status(status: Mapping[str, Any]) -> list[FieldError]:
    """Resources of somebody's own are whole; what can be allocated is all there is, unless it is said."""
    capacity = status.get("capacity") or {}
    return [
        invalid(f"status.{field}.{name}", canonical(value), "must be an integer")
        for field, amounts in (("capacity", capacity), ("allocatable", status.get("allocatable") or capacity))
        for name, value in amounts.items()
        if "/" in name and parse_quantity(value).denominator != 1
    ]
