"""Environment variables and the downward API: which field may be asked for in which form (VALID-17)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lifecycle.late_patterns import late_pattern

from ....objects.quantity import parse_quantity
from ....releases.gates import is_enabled
from ..words.names import (
    check_config_key,
    check_env_name,
    check_label,
    check_local_path,
    check_qualified,
    check_subdomain,
)
from ..words.part import Part

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
_SUBSCRIPT = late_pattern(r"(?P<path>metadata\.(?:labels|annotations))\['(?P<key>[^']*)'\]")
_ANY_SUBSCRIPT = late_pattern(r".+\['.*'\]")
RESOURCES = (
    "limits.cpu", "limits.ephemeral-storage", "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
)  # fmt: skip
_CPU_DIVISORS = ("1m", "1")
_BYTE_DIVISORS = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_DIVISOR_WORDS = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "local ephemeral storage"}
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")


def validate_env(container: Part, volume_names: Collection[str], gates: Mapping[str, bool]) -> None:
    """`env` and `envFrom` of a container; a variable that is read from a file names its volume."""
    for variable in container.parts("env"):
        variable.text("name", check_env_name, needed=True)
        if variable["valueFrom"] is not None:
            _validate_source(variable, is_enabled(gates, "EnvFiles"))
    for source in container.parts("envFrom"):
        source.text("prefix", check_env_name)
        given = source.list_given(("configMapRef", "secretRef"))
        for name in given:
            source.part(name).text("name", check_subdomain, needed=True)
        # Which of the sources is wrong the API server does not say.
        if not given:
            container.refuse("envFrom", "must specify one of: `configMapRef` or `secretRef`", "")
        elif len(given) > 1:
            container.refuse("envFrom", "may not have more than one field specified at a time", "")
    for variable in container.parts("env"):
        reference = variable.part("valueFrom").part("fileKeyRef")
        if reference["volumeName"] and reference["volumeName"] not in volume_names:
            reference.miss("volumeName", reference["volumeName"])


def _validate_source(variable: Part, has_files: bool) -> None:
    source = variable.part("valueFrom")
    given = source.list_given(_SOURCES)
    for name in given:
        _validate_reference(source.part(name), name)
    if not given:
        last = ", `secretKeyRef` or `fileKeyRef`" if has_files else " or `secretKeyRef`"
        names = f"`fieldRef`, `resourceFieldRef`, `configMapKeyRef`{last}"
        source.refuse("", f"must specify one of: {names}", "")
    elif variable["value"]:
        source.refuse("", "may not be specified when `value` is not empty", "")
    elif len(given) > 1:
        source.refuse("", "may not have more than one field specified at a time", "")


def _validate_reference(reference: Part, name: str) -> None:
    match name:
        case "fieldRef":
            _validate_field(reference, ENV_FIELDS)
        case "resourceFieldRef":
            _validate_resource(reference, in_volume=False)
        case "configMapKeyRef" | "secretKeyRef":
            reference.complain("name", check_subdomain(reference["name"] or ""), reference["name"] or "")
            reference.text("key", check_config_key, needed=True)
        case "fileKeyRef":
            reference.text("key", check_env_name, needed=True)
            reference.text("volumeName", check_label, needed=True)
            reference.need("path")
            if ".." in (reference["path"] or "").split("/"):
                reference.refuse("path", "must not contain '..'")


def validate_downward_items(volume: Part) -> None:
    """The files of a downwardAPI volume, alone or within a projected one."""
    for item in volume.parts("items"):
        # The API server names the volume and not the item.
        item.path = volume.path
        item.text("path", check_local_path, needed=True)
        if item["fieldRef"] is not None:
            _validate_field(item.part("fieldRef"), VOLUME_FIELDS)
            if item["resourceFieldRef"] is not None:
                detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
                item.refuse("", detail, "resource")
        elif item["resourceFieldRef"] is not None:
            _validate_resource(item.part("resourceFieldRef"), in_volume=True)
        else:
            item.require("", "one of fieldRef and resourceFieldRef is required")


def _validate_field(reference: Part, supported: tuple[str, ...]) -> None:
    field = reference["fieldPath"]
    version = reference["apiVersion"] or "v1"
    if not field:
        reference.require("fieldPath")
    elif version != "v1":
        reference.refuse("fieldPath", f"error converting fieldPath: unsupported pod version: {version}")
    elif subscript := _SUBSCRIPT.fullmatch(field):
        # Annotation keys may hold upper case prefixes; label keys are checked as they are.
        key = subscript["key"]
        key = key.lower() if "annot" in field else key
        reference.complain("", check_qualified(key), key)
    elif _ANY_SUBSCRIPT.fullmatch(field):
        detail = f"error converting fieldPath: field label does not support subscript: {field}"
        reference.refuse("fieldPath", detail)
    elif field not in _KNOWN_FIELDS:
        reference.refuse("fieldPath", f"error converting fieldPath: field label not supported: {field}")
    else:
        reference.support("fieldPath", supported)


def _validate_resource(reference: Part, in_volume: bool) -> None:
    # A file belongs to the pod, so it has to say whose resources it shows.
    if in_volume:
        reference.need("containerName")
    resource = reference["resource"]
    if not resource:
        reference.require("resource")
    elif resource not in RESOURCES and not resource.startswith(("limits.hugepages-", "requests.hugepages-")):
        reference.support("resource", RESOURCES)
    else:
        _validate_divisor(reference)


def _validate_divisor(reference: Part) -> None:
    divisor, resource = reference["divisor"], reference["resource"]
    if divisor is None or parse_quantity(divisor) == 0:
        return
    is_cpu = resource.endswith(".cpu")
    allowed = _CPU_DIVISORS if is_cpu else _BYTE_DIVISORS
    if any(parse_quantity(divisor) == parse_quantity(one) for one in allowed):
        return
    names = "1m and 1" if is_cpu else ", ".join(allowed)
    kind = _DIVISOR_WORDS.get(resource.partition(".")[2], "hugepages")
    # The value shown is the resource, not the divisor.
    reference.refuse(
        "divisor", f"only divisor's values {names} are supported with the {kind} resource", resource
    )
