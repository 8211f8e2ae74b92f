"""Object metadata: names, labels, annotations, finalizers, and what may never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...objects.propagation import FOREGROUND_FINALIZER, ORPHAN_FINALIZER
from .field_error import FieldError, each_invalid, forbidden, invalid, required, too_long
from .go_structs import show_texts
from .names import check_label, check_label_value, check_qualified, check_subdomain

NameCheck = Callable[[str], list[str]]
"""What is wrong with a name, by the rules of its kind."""

ANNOTATIONS_MOST_BYTES = 256 * 1024
STANDARD_FINALIZERS = ("kubernetes", ORPHAN_FINALIZER, FOREGROUND_FINALIZER)
_IMMUTABLE = ("name", "namespace", "uid", "creationTimestamp")


def validate_metadata(
    metadata: Mapping[str, Any],
    check_name: NameCheck = check_subdomain,
    is_custom: bool = False,
    path: str = "metadata",
) -> list[FieldError]:
    """The metadata of a new object (POD-OBJ-05, DEP-SPEC-02, RS-SPEC-02).

    `is_custom`: of a kind that is not Kubernetes' own.
    """
    errors = _validate_name(metadata, check_name, path)
    namespace = metadata.get("namespace")
    if namespace:
        errors += each_invalid(f"{path}.namespace", namespace, check_label(namespace))
    errors += validate_labels(metadata.get("labels"), f"{path}.labels")
    errors += validate_annotations(metadata.get("annotations"), f"{path}.annotations")
    errors += _validate_finalizers(metadata.get("finalizers") or (), is_custom, f"{path}.finalizers")
    return errors


def _validate_name(metadata: Mapping[str, Any], check_name: NameCheck, path: str) -> list[FieldError]:
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if not name and not prefix:
        return [required(f"{path}.name", "name or generateName is required")]
    if name:
        return each_invalid(f"{path}.name", name, check_name(name))
    # A generated name continues its prefix, so the prefix may end in a hyphen or dot.
    stem = str(prefix).rstrip("-.") or str(prefix)
    return each_invalid(f"{path}.generateName", prefix, check_name(stem))


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


def _validate_finalizers(finalizers: Any, is_custom: bool, path: str) -> list[FieldError]:
    errors = [error for name in finalizers for error in each_invalid(path, name, check_qualified(name))]
    for index, name in enumerate(finalizers):
        if not is_custom and is_unqualified_finalizer(name):
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            errors.append(invalid(f"{path}[{index}]", name, detail))
    return errors


def is_unqualified_finalizer(name: str) -> bool:
    """Whether a finalizer names nobody whose it is, and is none of Kubernetes' own."""
    return "/" not in name and name not in STANDARD_FINALIZERS


def validate_metadata_update(
    old: Mapping[str, Any], new: Mapping[str, Any], is_custom: bool = False, path: str = "metadata"
) -> list[FieldError]:
    """What may never change (POD-OBJ-11, -12, -13; VALID-12, -14)."""
    errors = [
        invalid(f"{path}.{field}", new[field], "field is immutable")
        for field in _IMMUTABLE
        # A field left out is taken from the stored object.
        if new.get(field) and new[field] != old.get(field)
    ]
    generation = new.get("generation")
    if generation is not None and generation < (old.get("generation") or 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    if old.get("deletionTimestamp"):
        errors += _validate_no_new_finalizers(old, new, f"{path}.finalizers")
    errors += validate_labels(new.get("labels"), f"{path}.labels")
    errors += validate_annotations(new.get("annotations"), f"{path}.annotations")
    errors += _validate_finalizers(new.get("finalizers") or (), is_custom, f"{path}.finalizers")
    return errors


def _validate_no_new_finalizers(
    old: Mapping[str, Any], new: Mapping[str, Any], path: str
) -> list[FieldError]:
    known = old.get("finalizers") or ()
    added = [name for name in new.get("finalizers") or () if name not in known]
    if not added:
        return []
    detail = "no new finalizers can be added if the object is being deleted, found new finalizers"
    return [forbidden(path, f"{detail} {show_texts(sorted(added))}")]
