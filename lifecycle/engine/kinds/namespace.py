"""Namespace."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_namespace
from ..rules.validation.field_error import FieldError
from ..rules.validation.metadata import validate_finalizers
from ..rules.validation.names import check_label
from ..rules.validation.pod_security import validate_level
from .entry import Gates, Json, KindEntry


def _validate(data: Json, gates: Gates) -> list[FieldError]:
    return validate_level((data.get("metadata") or {}).get("labels") or {})


def _validate_finalize(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    return validate_finalizers(new.get("spec") or {}, "spec")


NAMESPACE = KindEntry(
    kind=Kind("v1", "Namespace", "namespaces", False, "ns"),
    default=default_namespace,
    # Its finalizers change by a way of their own.
    carry_over=lambda stored, new: stored,
    check_name=check_label,
    validate=_validate,
    subresources={"finalize": _validate_finalize},
)
