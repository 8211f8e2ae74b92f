"""Volumes of a pod, and where its containers mount them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .downward import validate_downward_items
from .field_error import FieldError, check_choice, duplicate, each_invalid, forbidden, not_found, required
from .names import check_label

_PROJECTED_SOURCES = (
    "secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate",
)  # fmt: skip


def validate_volumes(volumes: Any, path: str) -> list[FieldError]:
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
        case "configMap" if not source.get("name"):
            errors.append(required(f"{place}.name"))
        case "secret" if not source.get("secretName"):
            errors.append(required(f"{place}.secretName"))
        case "persistentVolumeClaim" if not source.get("claimName"):
            errors.append(required(f"{place}.claimName"))
        case "emptyDir":
            errors += check_choice(f"{place}.medium", source.get("medium"), ("", "Memory", "HugePages"))
        case "downwardAPI":
            errors += validate_downward_items(source.get("items"), f"{place}.items")
        case "projected":
            errors += _validate_projected(source, place)
    return errors


def _validate_projected(source: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = []
    for index, part in enumerate(source.get("sources") or ()):
        place = f"{path}.sources[{index}]"
        given = [name for name in _PROJECTED_SOURCES if part.get(name) is not None]
        errors += [
            forbidden(f"{place}.{name}", "may not specify more than 1 volume type") for name in given[1:]
        ]
        if part.get("downwardAPI") is not None:
            items = part["downwardAPI"].get("items")
            errors += validate_downward_items(items, f"{place}.downwardAPI.items")
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
        elif name not in volume_names:
            errors.append(not_found(f"{place}.name", name))
        if not mount_path:
            errors.append(required(f"{place}.mountPath"))
        elif mount_path in seen:
            errors += each_invalid(f"{place}.mountPath", mount_path, ["must be unique"])
        seen.add(mount_path)
    return errors
