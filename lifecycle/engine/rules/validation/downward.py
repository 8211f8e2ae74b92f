"""Environment variables and the downward API: which field may be asked for in which form (VALID-17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...objects.quantity import parse_quantity
from .field_error import FieldError, each_invalid, invalid, not_supported, required
from .names import check_env_name, check_local_path, check_qualified

ENV_FIELDS = (
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
)  # fmt: skip
VOLUME_FIELDS = (
    "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
)  # fmt: skip
# What a Pod can be selected by; the downward API knows these names but does not give all of them.
_KNOWN_FIELDS = {
    *ENV_FIELDS, *VOLUME_FIELDS,
    "spec.restartPolicy", "spec.schedulerName", "status.phase",
}  # fmt: skip
_SUBSCRIPT = re.compile(r"(?P<path>metadata\.(?:labels|annotations))\['(?P<key>[^']*)'\]")
_ANY_SUBSCRIPT = re.compile(r".+\['.*'\]")
RESOURCES = (
    "limits.cpu", "limits.ephemeral-storage", "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
)  # fmt: skip
_CPU_DIVISORS = ("1m", "1")
_BYTE_DIVISORS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_DIVISOR_WORDS = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "local ephemeral storage"}
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def validate_env(container: Mapping[str, Any], path: str) -> list[FieldError]:
    """`env` of a container."""
    errors = []
    for index, variable in enumerate(container.get("env") or ()):
        place = f"{path}.env[{index}]"
        name = variable.get("name")
        if not name:
            errors.append(required(f"{place}.name"))
        else:
            errors += each_invalid(f"{place}.name", name, check_env_name(name))
        if variable.get("valueFrom") is not None:
            errors += _validate_source(variable, f"{place}.valueFrom")
    return errors


def _validate_source(variable: Mapping[str, Any], path: str) -> list[FieldError]:
    source = variable["valueFrom"]
    given = [name for name in _SOURCES if source.get(name) is not None]
    if not given:
        names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        return [invalid(path, "", f"must specify one of: {names}")]
    if len(given) > 1:
        return [invalid(path, "", "may not have more than one field specified at a time")]
    if variable.get("value"):
        return [invalid(path, "", "may not be specified when `value` is not empty")]
    reference, place = source[given[0]], f"{path}.{given[0]}"
    match given[0]:
        case "fieldRef":
            return _validate_field(reference, place, ENV_FIELDS)
        case "resourceFieldRef":
            return _validate_resource(reference, place, in_volume=False)
        case "configMapKeyRef" | "secretKeyRef":
            return [] if reference.get("key") else [required(f"{place}.key")]
    return []


def validate_file_path(value: Any, path: str) -> list[FieldError]:
    """Where in its volume a file is to be."""
    return each_invalid(path, value, check_local_path(value)) if value else [required(path)]


def validate_downward_items(items: Any, path: str) -> list[FieldError]:
    """The files of a downwardAPI volume, alone or within a projected one. `path`: the volume's."""
    errors = []
    # The API server names the volume and not the item.
    place = path
    for item in items or ():
        errors += validate_file_path(item.get("path"), f"{place}.path")
        field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
        if field is not None:
            errors += _validate_field(field, f"{place}.fieldRef", VOLUME_FIELDS)
            if resource is not None:
                detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
                errors.append(invalid(place, "resource", detail))
        elif resource is not None:
            errors += _validate_resource(resource, f"{place}.resourceFieldRef", in_volume=True)
        else:
            errors.append(required(place, "one of fieldRef and resourceFieldRef is required"))
    return errors


def _validate_field(reference: Mapping[str, Any], path: str, supported: tuple[str, ...]) -> list[FieldError]:
    field = reference.get("fieldPath")
    place = f"{path}.fieldPath"
    if not field:
        return [required(place)]
    subscript = _SUBSCRIPT.fullmatch(field)
    if subscript:
        # Annotation keys may hold upper case prefixes; label keys are checked as they are.
        key = subscript["key"]
        return each_invalid(place, key, check_qualified(key.lower() if "annot" in field else key))
    if _ANY_SUBSCRIPT.fullmatch(field):
        detail = f"error converting fieldPath: field label does not support subscript: {field}"
        return [invalid(place, field, detail)]
    if field not in _KNOWN_FIELDS:
        return [invalid(place, field, f"error converting fieldPath: field label not supported: {field}")]
    return [] if field in supported else [not_supported(place, field, supported)]


def _validate_resource(reference: Mapping[str, Any], path: str, in_volume: bool) -> list[FieldError]:
    errors = []
    # A file belongs to the pod, so it has to say whose resources it shows.
    if in_volume and not reference.get("containerName"):
        errors.append(required(f"{path}.containerName"))
    resource = reference.get("resource")
    if not resource:
        return [*errors, required(f"{path}.resource")]
    is_huge = resource.startswith(("limits.hugepages-", "requests.hugepages-"))
    if resource not in RESOURCES and not is_huge:
        return [*errors, not_supported(f"{path}.resource", resource, RESOURCES)]
    return errors + _validate_divisor(reference.get("divisor"), resource, path)


def _validate_divisor(divisor: Any, resource: str, path: str) -> list[FieldError]:
    if divisor is None or parse_quantity(divisor) == 0:
        return []
    is_cpu = resource.endswith(".cpu")
    allowed = _CPU_DIVISORS if is_cpu else _BYTE_DIVISORS
    if any(parse_quantity(divisor) == parse_quantity(one) for one in allowed):
        return []
    names = "1m and 1" if is_cpu else ", ".join(allowed)
    kind = _DIVISOR_WORDS.get(resource.partition(".")[2], "hugepages")
    detail = f"only divisor's values {names} are supported with the {kind} resource"
    # The value shown is the resource, not the divisor.
    return [invalid(f"{path}.divisor", resource, detail)]
