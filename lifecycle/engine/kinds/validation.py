"""What the API server refuses, in its own words.

Structure (unknown fields, wrong types) is checked before; here every value is looked at. Pure: the object in,
its errors out. What needs the live cluster (quota, names taken, budgets) is the engine's answer to a command.
"""

from __future__ import annotations

from typing import Any

from ..heart.settings import FEATURE_DEFAULTS
from ..releases.known import DEFAULT_RELEASE
from ..rules.validation.pods.warnings import list_pod_warnings
from ..rules.validation.service_warnings import list_later_warnings
from ..rules.validation.words.field_error import FieldError, invalid
from ..rules.validation.words.go_structs import show_struct
from ..rules.validation.words.metadata import (
    NameCheck,
    is_unqualified_finalizer,
    validate_metadata,
    validate_metadata_update,
)
from ..rules.validation.words.misread_addresses import list_strict_errors
from ..rules.validation.words.names import check_label, generate
from .entry import Gates, Json, KindEntry
from .pod_specs import find_pod_metadata, find_pod_spec
from .registry import entry_of_json

_NO_UID_YET, _NO_SUFFIX_YET = "its-uid", "xxxxx"


def validate_manifest(data: Json, gates: Gates = FEATURE_DEFAULTS) -> list[FieldError]:
    """Everything wrong with an object that has no uid yet, and perhaps no name, defaults applied."""
    metadata = data.get("metadata") or {}
    if metadata.get("generateName") and not metadata.get("name"):
        # The API server makes the name before it looks (registry/rest/create.go BeforeCreate).
        named = {**metadata, "name": generate(metadata["generateName"], _NO_SUFFIX_YET)}
        data = {**data, "metadata": named}
    identify = entry_of_json(data).identify
    return validate_create(data if identify is None else identify(data, _NO_UID_YET), gates)


def validate_create(data: Json, gates: Gates = FEATURE_DEFAULTS) -> list[FieldError]:
    """Everything wrong with a new object that has its uid and its defaults."""
    entry = entry_of_json(data)
    errors = validate_metadata(data.get("metadata") or {}, _find_name_check(entry, gates), entry.is_custom)
    content = _validate_content(entry, data, gates)
    content += entry.validate_new(data) if entry.validate_new is not None else []
    content += list_strict_errors(data, None, entry.pod_spec_path, gates)
    # Where no rules of its own look at the metadata, those of all kinds do, and they come last.
    return content or errors if not entry.metadata_looks else errors + content


def _find_name_check(entry: KindEntry, gates: Gates) -> NameCheck:
    check = entry.check_gated_name
    return entry.check_name if check is None else lambda text: check(text, gates)


def _validate_content(entry: KindEntry, data: Json, gates: Gates) -> list[FieldError]:
    errors = []
    if entry.validate_spec is not None:
        errors += entry.validate_spec(data.get("spec") or {}, gates)
    if entry.validate is not None:
        errors += entry.validate(data, gates)
    return errors


def validate_update(
    old: Json, new: Json, subresource: str = "", gates: Gates = FEATURE_DEFAULTS
) -> list[FieldError]:
    """Everything wrong with a change. `old` is what is stored, `new` what was asked for, defaults applied.

    `subresource`: "", `status`, `scale`, or one of the kind's own.
    """
    entry = entry_of_json(old)
    before, after = old.get("metadata") or {}, new.get("metadata") or {}
    looks = min(entry.metadata_looks, 1) if subresource else entry.metadata_looks
    errors = validate_metadata_update(before, after, entry.is_custom, looks)
    if subresource == "status":
        errors += entry.validate_status(old, new, gates) if entry.validate_status is not None else []
        return errors + list_strict_errors(new, old, (), gates)
    own = entry.subresources.get(subresource) or entry.validate_update
    if own is not None:
        return errors + own(old, new, gates)
    changed = _validate_change(entry, old, new)
    content = _validate_content(entry, new, gates) + list_strict_errors(new, old, entry.pod_spec_path, gates)
    return errors + changed + content + _find_changed(entry, old, new)


def _validate_change(entry: KindEntry, old: Json, new: Json) -> list[FieldError]:
    """What a kind says of a change before it looks at what became of the object."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    errors = entry.validate_change(before, after) if entry.validate_change is not None else []
    return errors + (entry.validate_fixed(new, old) if entry.validate_fixed is not None else [])


def _find_changed(entry: KindEntry, old: Json, new: Json) -> list[FieldError]:
    """Fields an object keeps for life (DEP-SEL-01, RS-SPEC-08): what was asked for is looked at before."""
    before, after = old.get("spec") or {}, new.get("spec") or {}
    return [
        invalid(f"spec.{field}", _show(field, after.get(field)), "field is immutable")
        for field in entry.immutable
        if before.get(field) != after.get(field)
    ]


def _show(field: str, value: Any) -> Any:
    """A selector is shown in the order of its fields, anything else as it was given."""
    return show_struct("LabelSelector", value) if field == "selector" and value is not None else value


def list_warnings(data: Json, minor: int = DEFAULT_RELEASE.served_minor) -> list[str]:
    """What the API server of a minor release accepts but warns about (POD-OBJ-05)."""
    entry, metadata = entry_of_json(data), data.get("metadata") or {}
    name = metadata.get("name") or ""
    warnings = [entry.warning] if entry.warning else []
    warnings += [
        f'metadata.finalizers: "{finalizer}": prefer a domain-qualified finalizer name'
        f"{' including a path (/)' if '.' in finalizer else ''}"
        " to avoid accidental conflicts with other finalizer writers"
        for finalizer in metadata.get("finalizers") or ()
        if entry.is_custom and is_unqualified_finalizer(finalizer)
    ]
    if name and entry.is_host_name and check_label(name):
        why = "must not contain dots" if "." in name else "must be no more than 63 characters"
        warnings.append(
            f"metadata.name: this is used in {entry.is_host_name}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{why}]"
        )
    if (find_pod_spec(data).get("terminationGracePeriodSeconds") or 0) < 0:
        text = "must be >= 0; negative values are invalid and will be treated as 1"
        warnings.append(f"{'.'.join(entry.pod_spec_path)}.terminationGracePeriodSeconds: {text}")
    if entry.pod_spec_path:
        prefix = ".".join(entry.pod_spec_path[:-1])
        warnings += list_pod_warnings(find_pod_spec(data), find_pod_metadata(data), prefix)
    if entry.kind.id == "Service":
        warnings += list_later_warnings(data, minor)
    return warnings + entry.warn(data)
