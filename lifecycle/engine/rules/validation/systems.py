"""What a pod may not ask for on the operating system it says it is for (SECCTX-06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, forbidden, invalid

_PARTS = ("initContainers", "containers", "ephemeralContainers")
_LINUX_ONLY_OF_A_POD = ("hostPID", "hostIPC", "hostUsers", "shareProcessNamespace")
_PLAIN = ("hostPID", "hostIPC")
"""Of these, false is the same as nothing; of others it is a choice."""
_LINUX_ONLY_OF_ITS_SECURITY = (
    "appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls",
    "runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy",
)  # fmt: skip
_LINUX_ONLY_OF_A_CONTAINER = (
    "appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem",
    "privileged", "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup",
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
    return errors + _validate_host_process(spec, security[1], containers, path)


def _forbid(given: Mapping[str, Any], names: tuple[str, ...], path: str) -> list[FieldError]:
    detail = "cannot be set for a windows pod"
    values = ((name, given.get(name) or None if name in _PLAIN else given.get(name)) for name in names)
    return [forbidden(f"{path}.{name}", detail) for name, value in values if value not in (None, [])]


def _validate_host_process(
    spec: Mapping[str, Any],
    security: Mapping[str, Any],
    containers: list[tuple[str, Mapping[str, Any]]],
    path: str,
) -> list[FieldError]:
    """All containers of a pod are host processes or none is, and none contradicts its pod."""
    default = _is_host_process(security)
    found = [(place, _is_host_process(given)) for place, given in containers]
    errors = [
        invalid(
            f"{place}.windowsOptions.hostProcess",
            own,
            f"pod hostProcess value must be identical if both are specified, was {str(default).lower()}",
        )
        for place, own in found
        if own is not None and default is not None and own != default
    ]
    effective = [default if own is None else own for _, own in found]
    if not any(effective):
        return errors
    if not all(effective):
        detail = (
            "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        )
        errors.append(invalid(path, "", detail))
    if not spec.get("hostNetwork"):
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        errors.append(invalid(f"{path}.hostNetwork", False, detail))
    return errors


def _is_host_process(security: Mapping[str, Any]) -> bool | None:
    found: bool | None = (security.get("windowsOptions") or {}).get("hostProcess")
    return found
