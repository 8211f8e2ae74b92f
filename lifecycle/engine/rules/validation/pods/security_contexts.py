"""Security contexts of a pod and its containers: what there is to choose, and what contradicts itself."""

from __future__ import annotations

import re

from ..words.go_structs import show_struct
from ..words.names import check_descending_path
from ..words.part import Part

PROFILES = {"seccompProfile": "seccomp", "appArmorProfile": "AppArmor"}
PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
HIGHEST_ID = 2**31 - 1
HIGHEST_USER_NAMESPACE_ID = 65535
_STRUCT = "SecurityContext"
UNMASKED = "Unmasked"
_SYSCTL = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

_NAMESPACED = {
    "hostNetwork": ("net.",),
    "hostIPC": ("fs.mqueue.", "kernel.shm", "kernel.msg", "kernel.sem"),
}
"""Which settings belong to a namespace of the kernel that a pod may share with its host."""


def validate_pod_security(spec: Part) -> None:
    """What a pod sets for all its containers; some of it stands beside its `securityContext`."""
    security = spec.part("securityContext")
    _validate_ids(security, ("fsGroup", "runAsUser", "runAsGroup"), spec["hostUsers"] is False)
    for index, group in enumerate(security["supplementalGroups"] or ()):
        security.within(f"supplementalGroups[{index}]", 0, HIGHEST_ID, group)
    if spec["shareProcessNamespace"] and spec["hostPID"]:
        # In the API server's own form of a pod both stand in the security context.
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        security.refuse("shareProcessNamespace", detail, True)
    _validate_sysctls(security, spec)
    security.choice("fsGroupChangePolicy", ("Always", "OnRootMismatch"))
    security.choice("supplementalGroupsPolicy", ("Merge", "Strict"))
    security.choice("seLinuxChangePolicy", ("Recursive",))
    for field in PROFILES:
        _validate_profile(security, field)


def _validate_sysctls(security: Part, spec: Part) -> None:
    """Settings of the kernel: names there can be, each once, none of a namespace that is the host's."""
    seen: set[str] = set()
    for one in security.parts("sysctls"):
        name = one["name"] or ""
        if not name:
            one.require("name")
        elif len(name) > 253 or not re.fullmatch(_SYSCTL, name):
            one.refuse("name", f"must have at most 253 characters and match regex ^{_SYSCTL}$")
            seen.add(name)
        else:
            one.once("name", name, seen)
        for field, prefixes in _NAMESPACED.items():
            if spec[field] and name.replace("/", ".").startswith(prefixes):
                one.refuse("name", f"may not be specified when '{field}' is true", name)


def validate_container_security(own: Part, has_own_users: bool) -> None:
    """The `securityContext` of a container. `has_own_users`: its pod is in a user namespace."""
    _validate_ids(own, ("runAsUser", "runAsGroup"), has_own_users)
    own.given("procMount", ("Default", UNMASKED))
    if own["procMount"] == UNMASKED and not has_own_users:
        own.refuse("procMount", "`hostUsers` must be false to use `Unmasked`")
    _validate_profile(own, "seccompProfile")
    if own["allowPrivilegeEscalation"] is False:
        detail, shown = "cannot set `allowPrivilegeEscalation` to false and", show_struct(_STRUCT, own.data)
        if own["privileged"]:
            own.refuse("", f"{detail} `privileged` to true", shown)
        if "CAP_SYS_ADMIN" in (own.part("capabilities")["add"] or ()):
            own.refuse("", f"{detail} `capabilities.Add` CAP_SYS_ADMIN", shown)
    _validate_profile(own, "appArmorProfile")


def _validate_ids(security: Part, fields: tuple[str, ...], has_own_users: bool) -> None:
    """User and group ids. In a user namespace there are only 65,536 of them (USERNS-05)."""
    for field in fields:
        number = security[field]
        is_id = number is None or 0 <= number <= HIGHEST_ID
        security.within(field, 0, HIGHEST_USER_NAMESPACE_ID if has_own_users and is_id else HIGHEST_ID)


def _validate_profile(security: Part, field: str) -> None:
    """A profile of the node is named by its file, any other is not."""
    if security[field] is None:
        return
    profile, word = security.part(field), PROFILES[field]
    if profile["type"]:
        profile.support("type", PROFILE_TYPES)
    else:
        profile.require("type", f"type is required when {field} is set")
    file = profile["localhostProfile"]
    if profile["type"] != "Localhost":
        if file is not None:
            # Of seccomp the API server shows the whole profile.
            shown = show_struct("SeccompProfile", profile.data) if field == "seccompProfile" else file
            profile.refuse("localhostProfile", f"can only be set when {word} type is Localhost", shown)
    elif not file:
        profile.require("localhostProfile", f"must be set when {word} type is Localhost")
    elif field == "seccompProfile":
        profile.complain("localhostProfile", check_descending_path(file))
    elif file != file.strip():
        profile.refuse("localhostProfile", "must not be padded with whitespace")
