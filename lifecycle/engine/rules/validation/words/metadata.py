"""Object metadata: names, labels, annotations, finalizers, and what may never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....objects.propagation import FOREGROUND_FINALIZER, ORPHAN_FINALIZER
from .field_error import FieldError, each_invalid, too_long
from .go_structs import GoText, show_struct, show_texts
from .names import check_label, check_label_value, check_qualified, check_subdomain
from .part import Part

NameCheck = Callable[[str], list[str]]
"""What is wrong with a name, by the rules of its kind."""

ANNOTATIONS_MOST_BYTES = 256 * 1024
STANDARD_FINALIZERS = ("kubernetes", ORPHAN_FINALIZER, FOREGROUND_FINALIZER)
UNQUALIFIED_TEXT = "name is neither a standard finalizer name nor is it fully qualified"
_IMMUTABLE = ("name", "namespace", "uid")
_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")


def validate_metadata(
    metadata: Mapping[str, Any],
    check_name: NameCheck = check_subdomain,
    is_custom: bool = False,
    path: str = "metadata",
) -> list[FieldError]:
    """The metadata of a new object (POD-OBJ-05, DEP-SPEC-02, RS-SPEC-02).

    `is_custom`: of a kind that is not Kubernetes' own.
    """
    part = Part(metadata, path)
    prefix = part["generateName"]
    if prefix:
        # A name continues it: its last hyphen is none.
        stem = f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix
        part.complain("generateName", check_name(stem))
    if part["name"] or not prefix:
        part.text("name", check_name, needed=True, detail="name or generateName is required")
    part.text("namespace", check_label)
    _validate_common(part)
    part.errors += validate_finalizers(part.data, part.path, is_custom)
    return part.errors


def _validate_common(part: Part) -> None:
    """What is held to the same rules whenever an object is written."""
    part.counts("generation")
    part.apply("labels", validate_labels)
    part.apply("annotations", validate_annotations)
    _validate_owners(part)


def validate_finalizers(holder: Mapping[str, Any], path: str, is_custom: bool = False) -> list[FieldError]:
    """What keeps an object: names with a domain, or those that Kubernetes has."""
    part = Part(holder, path)
    _check_finalizers(part)
    if not is_custom:
        _check_owners_of_finalizers(part)
    return part.errors


def _check_finalizers(part: Part) -> None:
    names = part["finalizers"] or ()
    for name in names:
        part.complain("finalizers", check_qualified(name), name)
    if FOREGROUND_FINALIZER in names and ORPHAN_FINALIZER in names:
        detail = f"finalizer {ORPHAN_FINALIZER} and {FOREGROUND_FINALIZER} cannot be both set"
        part.refuse("finalizers", detail)


def _check_owners_of_finalizers(part: Part) -> None:
    for index, name in enumerate(part["finalizers"] or ()):
        if is_unqualified_finalizer(name):
            part.refuse(f"finalizers[{index}]", UNQUALIFIED_TEXT, name)


def _validate_owners(part: Part) -> None:
    """Owners that are named in full, one of them in control. The API server does not say which is wrong."""
    first, field = "", "ownerReferences"
    for owner in part.parts(field):
        kind, name = owner["kind"] or "", owner["name"] or ""
        version = owner["apiVersion"] or ""
        if not version.rpartition("/")[2] or version.count("/") > 1:
            part.refuse(f"{field}.apiVersion", "version must not be empty", owner["apiVersion"] or "")
        for one in ("kind", "name", "uid"):
            if not owner[one]:
                part.refuse(f"{field}.{one}", "must not be empty", "")
        if (owner["apiVersion"], kind) == ("v1", "Event"):
            detail = "/v1, Kind=Event is disallowed from being an owner"
            part.refuse(field, detail, show_struct("OwnerReference", owner.data))
        if owner["controller"] and first:
            detail = 'Only one reference can have Controller set to true. Found "true" in references for'
            shown = [show_struct("OwnerReference", one) for one in part[field]]
            part.refuse(field, f"{detail} {first} and {kind}/{name}", GoText(f"[{','.join(shown)}]"))
        elif owner["controller"]:
            first = f"{kind}/{name}"


def check_path_name(name: str) -> list[str]:
    """A name that is part of a path of access rules may hold almost anything."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{sign}'" for sign in "/%" if sign in name]


def validate_labels(labels: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """Labels: qualified names, short values."""
    errors = []
    for key, value in sorted((labels or {}).items()):
        errors += each_invalid(path, key, check_qualified(key))
        errors += each_invalid(path, value, check_label_value(value))
    return errors


def do_annotations_fit(annotations: Mapping[str, str]) -> bool:
    """Whether keys and values together are no more than an object may have."""
    size_bytes = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    return size_bytes <= ANNOTATIONS_MOST_BYTES


def validate_annotations(annotations: Mapping[str, str] | None, path: str) -> list[FieldError]:
    """Keys are label keys, upper case forgiven; all together may not exceed 256 KiB."""
    errors = []
    for key in sorted(annotations or {}):
        errors += each_invalid(path, key, check_qualified(key.lower()))
    if not do_annotations_fit(annotations or {}):
        errors.append(too_long(path, ANNOTATIONS_MOST_BYTES))
    return errors


def is_unqualified_finalizer(name: str) -> bool:
    """Whether a finalizer names nobody whose it is, and is none of Kubernetes' own."""
    return "/" not in name and name not in STANDARD_FINALIZERS


def validate_metadata_update(
    old: Mapping[str, Any], new: Mapping[str, Any], is_custom: bool = False, looks: int = 1
) -> list[FieldError]:
    """What may never change (POD-OBJ-11, -12, -13; VALID-12, -14), and what no object may have.

    The API server looks at it as at that of a new object and as at a changed one, whatever the kind; then as
    often (`looks`) as the rules of the kind say: once for the change, once more where it is looked at anew.
    """
    part = Part(new, "metadata")
    _validate_common(part)
    _check_finalizers(part)
    _check_kept(part, old)
    _validate_common(part)
    if looks:
        _check_kept(part, old)
        _validate_common(part)
        if not is_custom:
            _check_owners_of_finalizers(part)
    if looks > 1:
        _validate_common(part)
        part.errors += validate_finalizers(part.data, part.path, is_custom)
    return part.errors


def _check_kept(part: Part, old: Mapping[str, Any]) -> None:
    known = old.get("finalizers") or ()
    added = sorted(name for name in part["finalizers"] or () if name not in known)
    if old.get("deletionTimestamp") and added:
        detail = "no new finalizers can be added if the object is being deleted, found new finalizers"
        part.forbid("finalizers", f"{detail} {show_texts(added)}")
    if part["generation"] is not None and part["generation"] < (old.get("generation") or 0):
        part.refuse("generation", "must not be decremented")
    for field in _IMMUTABLE:
        # A field left out is taken from the stored object.
        if part[field] and part[field] != old.get(field):
            part.refuse(field, "field is immutable")
    for field in _DELETION:
        # Only a deletion writes these.
        if part[field] is not None and part[field] != old.get(field):
            part.refuse(field, "field is immutable")
