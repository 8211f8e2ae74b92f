"""What a pod may not ask for on the operating system it says it is for (SECCTX-06)."""

from __future__ import annotations

from collections.abc import Sequence

from ..words.part import Part

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


def validate_system(spec: Part) -> None:
    """Settings of the other system, and host processes, which share the network of their host."""
    name, security = spec.part("os")["name"], spec.part("securityContext")
    containers = [one.part("securityContext") for group in _PARTS for one in spec.parts(group)]
    if name == "linux":
        for given in (security, *containers):
            if given["windowsOptions"] is not None:
                given.forbid("windowsOptions", "windows options cannot be set for a linux pod")
    if name == "windows":
        _forbid(spec, _LINUX_ONLY_OF_A_POD)
        _forbid(security, _LINUX_ONLY_OF_ITS_SECURITY)
        for given in containers:
            _forbid(given, _LINUX_ONLY_OF_A_CONTAINER)
    _validate_host_process(spec, security, containers)


def _forbid(given: Part, fields: Sequence[str]) -> None:
    for field in fields:
        value = given[field] or None if field in _PLAIN else given[field]
        if value not in (None, []):
            given.forbid(field, "cannot be set for a windows pod")


def _validate_host_process(spec: Part, security: Part, containers: Sequence[Part]) -> None:
    """All containers of a pod are host processes or none is, and none contradicts its pod."""
    default = _is_host_process(security)
    effective = []
    for given in containers:
        own = _is_host_process(given)
        effective.append(default if own is None else own)
        if own is not None and default is not None and own != default:
            was = str(default).lower()
            detail = f"pod hostProcess value must be identical if both are specified, was {was}"
            given.refuse("windowsOptions.hostProcess", detail, own)
    if not any(effective):
        return
    if not all(effective):
        every = "all containers must be HostProcess containers"
        spec.refuse("", f"If pod contains any hostProcess containers then {every}", "")
    if not spec["hostNetwork"]:
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        spec.refuse("hostNetwork", detail, False)


def _is_host_process(security: Part) -> bool | None:
    found: bool | None = security.part("windowsOptions")["hostProcess"]
    return found
