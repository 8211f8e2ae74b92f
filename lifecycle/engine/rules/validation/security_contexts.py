"""Security contexts of a pod and its containers: what there is to choose, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, check_choice, check_range, each_invalid, invalid, required
from .go_structs import show_struct
from .names import check_descending_path

PROFILES = {"seccompProfile": "seccomp", "appArmorProfile": "AppArmor"}
PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
HIGHEST_ID = 2**31 - 1
HIGHEST_USER_NAMESPACE_ID = 65535
_STRUCT = "SecurityContext"
UNMASKED = "Unmasked"


def validate_pod_security(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """What a pod sets for all its containers; some of it stands beside its `securityContext`."""
    security, place = spec.get("securityContext") or {}, f"{path}.securityContext"
    has_own_users = spec.get("hostUsers") is False
    errors = _validate_ids(security, ("fsGroup", "runAsUser", "runAsGroup"), has_own_users, place)
    for index, group in enumerate(security.get("supplementalGroups") or ()):
        errors += check_range(f"{place}.supplementalGroups[{index}]", group, 0, HIGHEST_ID)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(invalid(f"{path}.shareProcessNamespace", True, detail))
    policy = security.get("fsGroupChangePolicy")
    errors += check_choice(f"{place}.fsGroupChangePolicy", policy, ("Always", "OnRootMismatch"))
    for field in PROFILES:
        errors += _validate_profile(security, field, place)
    return errors


def validate_container_security(own: Mapping[str, Any], has_own_users: bool, path: str) -> list[FieldError]:
    """The `securityContext` of a container. `has_own_users`: its pod is in a user namespace."""
    errors = _validate_ids(own, ("runAsUser", "runAsGroup"), has_own_users, path)
    mount = own.get("procMount")
    errors += check_choice(f"{path}.procMount", mount, ("Default", UNMASKED))
    if mount == UNMASKED and not has_own_users:
        errors.append(invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`"))
    errors += _validate_profile(own, "seccompProfile", path)
    if own.get("allowPrivilegeEscalation") is False:
        detail, shown = "cannot set `allowPrivilegeEscalation` to false and", show_struct(_STRUCT, own)
        if own.get("privileged"):
            errors.append(invalid(path, shown, f"{detail} `privileged` to true"))
        if "CAP_SYS_ADMIN" in ((own.get("capabilities") or {}).get("add") or ()):
            errors.append(invalid(path, shown, f"{detail} `capabilities.Add` CAP_SYS_ADMIN"))
    return errors + _validate_profile(own, "appArmorProfile", path)


def _validate_ids(
    security: Mapping[str, Any], fields: tuple[str, ...], has_own_users: bool, path: str
) -> list[FieldError]:
    """User and group ids. In a user namespace there are only 65,536 of them (USERNS-05)."""
    errors = []
    for field in fields:
        place, number = f"{path}.{field}", security.get(field)
        outside = check_range(place, number, 0, HIGHEST_ID)
        if has_own_users and not outside:
            outside = check_range(place, number, 0, HIGHEST_USER_NAMESPACE_ID)
        errors += outside
    return errors


def _validate_profile(security: Mapping[str, Any], field: str, path: str) -> list[FieldError]:
    """A profile of the node is named by its file, any other is not."""
    profile, place, word = security.get(field), f"{path}.{field}", PROFILES[field]
    if profile is None:
        return []
    errors = check_choice(f"{place}.type", profile.get("type"), PROFILE_TYPES, needed=True)
    file = profile.get("localhostProfile")
    if profile.get("type") != "Localhost":
        detail = f"can only be set when {word} type is Localhost"
        return errors + ([invalid(f"{place}.localhostProfile", file, detail)] if file is not None else [])
    if not file:
        detail = f"must be set when {word} type is Localhost"
        return [*errors, required(f"{place}.localhostProfile", detail)]
    if field == "seccompProfile":
        errors += each_invalid(f"{place}.localhostProfile", file, check_descending_path(file))
    return errors
