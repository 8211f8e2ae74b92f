"""Conditions of CustomResourceDefinitions, which have no generation and keep their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
PENDING = (
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)


def find_condition(status: Mapping[str, Any] | None, kind: str) -> Mapping[str, Any] | None:
    """The condition of a type."""
    conditions = (status or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def is_true(status: Mapping[str, Any] | None, kind: str) -> bool:
    """Whether a condition holds."""
    return (find_condition(status, kind) or {}).get("status") == "True"


def with_condition(
    status: Mapping[str, Any] | None, kind: str, state: str, reason: str, message: str, now: str
) -> Json:
    """The status with a condition; its time is that of its last change of state."""
    before = find_condition(status, kind)
    since = before["lastTransitionTime"] if before is not None and before.get("status") == state else now
    told = {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": state,
        "type": kind,
    }
    conditions = list((status or {}).get("conditions") or ())
    if before is None:
        conditions.append(told)
    else:
        conditions = [told if one is before else one for one in conditions]
    return {**(status or {}), "conditions": conditions}
