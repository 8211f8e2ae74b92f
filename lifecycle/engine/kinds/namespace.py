"""Namespace."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.columns.nodes import NAMESPACE_COLUMNS
from ..rules.defaults.others import default_namespace
from ..rules.serving.fields import read_at
from ..rules.validation.pods.pod_security import validate_level
from ..rules.validation.words.field_error import FieldError, invalid
from ..rules.validation.words.metadata import UNQUALIFIED_TEXT, is_unqualified_finalizer
from ..rules.validation.words.names import check_label, check_qualified
from ..rules.validation.words.part import Part
from .entry import Gates, Json, KindEntry
from .served import ALL_VERBS, STATUS, Form, Served, Subresource


def _validate(data: Json, gates: Gates) -> list[FieldError]:
    return validate_level((data.get("metadata") or {}).get("labels") or {})


def _validate_new(data: Json) -> list[FieldError]:
    return _validate_finalizers(data, is_place_told=False)


def _validate_finalize(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    return _validate_finalizers(new, is_place_told=True)


def _validate_finalizers(data: Json, is_place_told: bool) -> list[FieldError]:
    """What empties it before it goes. Of a new one the API server does not say which name is wrong."""
    spec = Part(data.get("spec") or {}, "spec")
    for index, name in enumerate(spec["finalizers"] or ()):
        field = f"finalizers[{index}]" if is_place_told else "finalizers"
        spec.complain(field, check_qualified(name), name)
        if is_unqualified_finalizer(name):
            spec.refuse(field, UNQUALIFIED_TEXT, name)
    return spec.errors


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
    validate_new=_validate_new,
    validate_status=_validate_status,
    subresources={"finalize": _validate_finalize},
    columns=NAMESPACE_COLUMNS,
    served=Served(
        verbs=tuple(verb for verb in ALL_VERBS if verb != "deletecollection"),
        parts={"finalize": Subresource(("update",)), "status": STATUS},
        is_shown_when_deleted=True,
        form=Form(fields={"status.phase": read_at("status.phase")}),
    ),
)
