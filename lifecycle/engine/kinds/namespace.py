"""Namespace."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_namespace
from ..rules.validation.field_error import FieldError, invalid
from ..rules.validation.metadata import validate_namespace_finalizers
from ..rules.validation.names import check_label
from ..rules.validation.pod_security import validate_level
from .entry import Gates, Json, KindEntry


def _validate(data: Json, gates: Gates) -> list[FieldError]:
    return validate_level((data.get("metadata") or {}).get("labels") or {})


def _validate_finalize(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    return validate_namespace_finalizers(new.get("spec") or {})


def _validate_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """A phase goes with whether it is being deleted. The API server does write it with a capital."""
    is_going = bool((new.get("metadata") or {}).get("deletionTimestamp"))
    phase = (new.get("status") or {}).get("phase") or ""
    wanted, word = ("Terminating", "not empty") if is_going else ("Active", "empty")
    if phase == wanted:
        return []
    return [invalid("status.Phase", phase, f"may only be '{wanted}' if `deletionTimestamp` is {word}")]


NAMESPACE = KindEntry(
    kind=Kind("v1", "Namespace", "namespaces", False, "ns"),
    metadata_looks=2,
    default=default_namespace,
    # Its finalizers change by a way of their own.
    carry_over=lambda stored, new: stored,
    check_name=check_label,
    validate=_validate,
    validate_new=lambda data: validate_namespace_finalizers(data.get("spec") or {}),
    validate_status=_validate_status,
    subresources={"finalize": _validate_finalize},
)
