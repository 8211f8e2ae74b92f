"""Classes of priority and of runtimes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pods.pods import PREEMPTION_POLICIES, validate_tolerations
from .pods.resources import validate_resources
from .words.field_error import duplicate
from .words.go_structs import show_struct
from .words.metadata import validate_labels
from .words.names import check_label
from .words.part import Part, gathers

HIGHEST_PRIORITY = 1_000_000_000
SYSTEM_CLASSES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
"""The values of the classes that every cluster has."""
SYSTEM_CLASS_TEXTS = {
    "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
    "system-cluster-critical": (
        "Used for system critical pods that must run in the cluster,"
        " but can be moved to another node if necessary."
    ),
}
_SYSTEM = "system-"


@gathers("")
def validate_priority_class(data: Part) -> None:
    """A PriorityClass: a value that is left to users."""
    name, value = data.part("metadata")["name"] or "", data["value"] or 0
    if name.startswith(_SYSTEM):
        if why := _why_not_system(name, value, bool(data["globalDefault"])):
            reserved = "priority class names with 'system-' prefix are reserved for system use only. error: "
            data.forbid("metadata.name", reserved + why)
    elif value > HIGHEST_PRIORITY:
        data.forbid("value", f"maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}")
    data.choice("preemptionPolicy", PREEMPTION_POLICIES, needed=data["preemptionPolicy"] is not None)


@gathers("")
def validate_kept_value(data: Part, stored: Mapping[str, Any]) -> None:
    """A PriorityClass is worth the same for life: pods have its value already."""
    if (data["value"] or 0) != (stored.get("value") or 0):
        data.forbid("value", "may not be changed in an update.")
    data.stays("preemptionPolicy", stored)


@gathers("")
def validate_kept_handler(data: Part, stored: Mapping[str, Any]) -> None:
    """A RuntimeClass keeps its handler."""
    data.stays("handler", stored)


def _why_not_system(name: str, value: int, is_default: bool) -> str:
    known = SYSTEM_CLASSES.get(name)
    if known is None:
        return f"{name} is not a known system priority class"
    if value != known:
        return f"value of {name} PriorityClass must be {known}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


@gathers("")
def validate_runtime_class(data: Part) -> None:
    """A RuntimeClass: a handler, what it costs, and the nodes that have it."""
    handler = data["handler"] or ""
    data.complain("handler", check_label(handler), handler)
    data.errors += validate_resources({"limits": data.part("overhead")["podFixed"]}, "overhead")
    scheduling = data.part("scheduling")
    scheduling.apply("nodeSelector", validate_labels)
    validate_tolerations(scheduling)
    seen: set[tuple[str, ...]] = set()
    for toleration in scheduling.parts("tolerations"):
        key = tuple(toleration[field] or "" for field in ("key", "operator", "value", "effect"))
        if key in seen:
            toleration.errors.append(duplicate(toleration.path, show_struct("Toleration", toleration.data)))
        seen.add(key)
