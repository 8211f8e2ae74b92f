"""Namespace."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.defaults.others import default_namespace
from ..rules.validation.field_error import FieldError
from ..rules.validation.names import check_label
from ..rules.validation.pod_security import validate_level
from .entry import Gates, Json, KindEntry


def _validate(data: Json, gates: Gates) -> list[FieldError]:
    return validate_level((data.get("metadata") or {}).get("labels") or {})


NAMESPACE = KindEntry(
    kind=Kind("v1", "Namespace", "namespaces", False, "ns"),
    default=default_namespace,
    check_name=check_label,
    validate=_validate,
)
