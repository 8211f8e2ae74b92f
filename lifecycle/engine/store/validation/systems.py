"""What a pod may not ask for on the operating system it says it is for (SECCTX-06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, forbidden, invalid

_PARTS = ("initContainers", "containers", "ephemeralContainers")
_LINUX_ONLY_OF_A_POD = ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace")
_LINUX_ONLY_OF_ITS_SECURITY = (
    "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls", "runAsUser",
    "runAsGroup", "supplementalGroups",
)  # fmt: skip
_LINUX_ONLY_OF_A_CONTAINER = (
    "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged",
    "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup",
)  # fmt: skip


def validate_system(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """Settings of the other system, and host processes, which share the network of their host."""
    name = (spec.get("os") or {}).get("name")
    containers = [
        (f"{path}.{part}[{index}].securityContext", one.get("securityContext") or {})
        for part in _PARTS
        for index, one in enumerate(spec.get(part) or ())
    ]
    security = (f"{path}.securityContext", spec.get("securityContext") or {})
    errors: list[FieldError] = []
    if name == "linux":
        detail = "windows options cannot be set for a linux pod"
        errors = [
            forbidden(f"{place}.windowsOptions", detail)
            for place, given in (security, *containers)
            if given.get("windowsOptions") is not None
        ]
    if name == "windows":
        errors = _forbid(spec, _LINUX_ONLY_OF_A_POD, path)
        errors += _forbid(security[1], _LINUX_ONLY_OF_ITS_SECURITY, security[0])
        for place, given in containers:
            errors += _forbid(given, _LINUX_ONLY_OF_A_CONTAINER, place)
    return errors + _validate_host_process(spec, security[1], [given for _, given in containers], path)


def _forbid(given: Mapping[str, Any], names: tuple[str, ...], path: str) -> list[FieldError]:
    detail = "cannot be set for a windows pod"
    return [forbidden(f"{path}.{name}", detail) for name in names if given.get(name) is not None]


def _validate_host_process(
    spec: Mapping[str, Any], security: Mapping[str, Any], containers: list[Mapping[str, Any]], path: str
) -> list[FieldError]:
    """All containers of a pod are host processes or none is."""
    default = _is_host_process(security)
    found = [default if own is None else own for own in map(_is_host_process, containers)]
    if not any(found):
        return []
    errors = []
    if not all(found):
        detail = (
            "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        )
        errors.append(invalid(path, "", detail))
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.append(invalid(f"{path}.hostNetwork", bool(spec.get("hostNetwork")), detail))
    return errors


def _is_host_process(security: Mapping[str, Any]) -> bool | None:
    found: bool | None = (security.get("windowsOptions") or {}).get("hostProcess")
    return found
