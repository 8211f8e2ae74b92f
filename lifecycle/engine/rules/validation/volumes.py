"""Volumes of a pod, and where its containers mount them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .downward import validate_downward_items, validate_file_path
from .field_error import (
    FieldError,
    check_choice,
    duplicate,
    each_invalid,
    forbidden,
    invalid,
    not_found,
    required,
)
from .names import check_descending_path, check_label

_PROJECTED_SOURCES = (
    "secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate",
)  # fmt: skip


def validate_volumes(volumes: Any, path: str) -> list[FieldError]:
    """Volumes: names that differ, one source each."""
    errors = []
    seen = set()
    for index, volume in enumerate(volumes or ()):
        place = f"{path}[{index}]"
        name = volume.get("name")
        if not name:
            errors.append(required(f"{place}.name"))
        else:
            errors += each_invalid(f"{place}.name", name, check_label(name))
            if name in seen:
                errors.append(duplicate(f"{place}.name", name))
            seen.add(name)
        errors += _validate_source(volume, place)
    return errors


def _validate_source(volume: Mapping[str, Any], path: str) -> list[FieldError]:
    """Exactly one source."""
    given = [name for name, source in volume.items() if name != "name" and source is not None]
    if not given:
        return [required(path, "must specify a volume type")]
    errors = [forbidden(f"{path}.{name}", "may not specify more than 1 volume type") for name in given[1:]]
    source, place = volume[given[0]], f"{path}.{given[0]}"
    match given[0]:
        case "hostPath" if not source.get("path"):
            errors.append(required(f"{place}.path"))
        case "configMap":
            errors += _validate_keys(source, "name", place)
        case "secret":
            errors += _validate_keys(source, "secretName", place)
        case "persistentVolumeClaim" if not source.get("claimName"):
            errors.append(required(f"{place}.claimName"))
        case "emptyDir":
            errors += check_choice(f"{place}.medium", source.get("medium"), ("", "Memory", "HugePages"))
        case "downwardAPI":
            errors += validate_downward_items(source.get("items"), place)
        case "projected":
            errors += _validate_projected(source, place)
    return errors


def _validate_keys(source: Mapping[str, Any], name: str, path: str) -> list[FieldError]:
    """A ConfigMap or Secret, and which of its keys become which files."""
    errors = [] if source.get(name) else [required(f"{path}.{name}")]
    errors += _validate_mode(source.get("defaultMode"), f"{path}.defaultMode")
    for index, item in enumerate(source.get("items") or ()):
        place = f"{path}.items[{index}]"
        errors += [] if item.get("key") else [required(f"{place}.key")]
        errors += validate_file_path(item.get("path"), f"{place}.path")
        errors += _validate_mode(item.get("mode"), f"{place}.mode")
    return errors


def _validate_mode(mode: int | None, path: str) -> list[FieldError]:
    if mode is None or 0 <= mode <= 0o777:
        return []
    return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")]


def _validate_projected(source: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    for index, part in enumerate(source.get("sources") or ()):
        place = f"{path}.sources[{index}]"
        given = [name for name in _PROJECTED_SOURCES if part.get(name) is not None]
        errors += [
            forbidden(f"{place}.{name}", "may not specify more than 1 volume type") for name in given[1:]
        ]
        for name in ("configMap", "secret"):
            if part.get(name) is not None:
                errors += _validate_keys(part[name], "name", f"{place}.{name}")
        if part.get("downwardAPI") is not None:
            items = part["downwardAPI"].get("items")
            errors += validate_downward_items(items, f"{place}.downwardAPI")
    return errors


def validate_mounts(
    container: Mapping[str, Any], volume_names: frozenset[str], path: str
) -> list[FieldError]:
    """Every mount names a volume of the pod; no two share a path."""
    errors = []
    seen = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        place = f"{path}.volumeMounts[{index}]"
        name, mount_path = mount.get("name"), mount.get("mountPath")
        if not name:
            errors.append(required(f"{place}.name"))
        if name not in volume_names:
            errors.append(not_found(f"{place}.name", name or ""))
        if not mount_path:
            errors.append(required(f"{place}.mountPath"))
        if mount_path in seen:
            errors += each_invalid(f"{place}.mountPath", mount_path, ["must be unique"])
        seen.add(mount_path)
        errors += _validate_sub_path(mount, f"{path}.volumeMounts", place)
    return errors


def _validate_sub_path(mount: Mapping[str, Any], path: str, place: str) -> list[FieldError]:
    """What of the volume is mounted. The API server does not say which mount (`path`) is wrong."""
    errors = []
    for field in ("subPath", "subPathExpr"):
        value = mount.get(field)
        if not value:
            continue
        if field == "subPathExpr" and mount.get("subPath"):
            detail = "subPathExpr and subPath are mutually exclusive"
            errors.append(invalid(f"{place}.subPathExpr", value, detail))
        errors += each_invalid(f"{path}.{field}", value, check_descending_path(value))
    return errors
