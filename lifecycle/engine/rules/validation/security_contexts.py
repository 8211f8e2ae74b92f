"""Security contexts of a pod and its containers: what there is to choose, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import FieldError, check_choice, each_invalid, invalid, required
from .names import check_local_path

_PARTS = ("initContainers", "containers", "ephemeralContainers")
_CONFINING = (
    ("seccompProfile", "seccomp", ("Localhost", "RuntimeDefault", "Unconfined")),
    ("appArmorProfile", "AppArmor", ("Localhost", "RuntimeDefault", "Unconfined")),
)
UNMASKED = "Unmasked"


def validate_security_contexts(spec: Mapping[str, Any], path: str) -> list[FieldError]:
    """The pod's own, then its containers'."""
    security, place = spec.get("securityContext") or {}, f"{path}.securityContext"
    errors = _validate_profiles(security, place)
    policy = security.get("fsGroupChangePolicy")
    errors += check_choice(f"{place}.fsGroupChangePolicy", policy, ("OnRootMismatch", "Always"))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(invalid(f"{path}.shareProcessNamespace", True, detail))
    has_own_users = spec.get("hostUsers") is False
    for part in _PARTS:
        for index, container in enumerate(spec.get(part) or ()):
            own = container.get("securityContext") or {}
            errors += _validate_container(own, has_own_users, f"{path}.{part}[{index}].securityContext")
    return errors


def _validate_container(own: Mapping[str, Any], has_own_users: bool, path: str) -> list[FieldError]:
    errors = _validate_profiles(own, path)
    mount = own.get("procMount")
    if mount == UNMASKED and not has_own_users:
        errors.append(invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`"))
    errors += check_choice(f"{path}.procMount", mount, ("Default", UNMASKED))
    if own.get("allowPrivilegeEscalation") is False:
        detail = "cannot set `allowPrivilegeEscalation` to false and"
        if own.get("privileged"):
            errors.append(invalid(path, own, f"{detail} `privileged` to true"))
        if "CAP_SYS_ADMIN" in ((own.get("capabilities") or {}).get("add") or ()):
            errors.append(invalid(path, own, f"{detail} `capabilities.Add` CAP_SYS_ADMIN"))
    return errors


def _validate_profiles(security: Mapping[str, Any], path: str) -> list[FieldError]:
    """A profile of the node is named by its file, any other is not."""
    errors = []
    for field, word, types in _CONFINING:
        profile, place = security.get(field), f"{path}.{field}"
        if profile is None:
            continue
        errors += check_choice(f"{place}.type", profile.get("type"), types, needed=True)
        file = profile.get("localhostProfile")
        if profile.get("type") != "Localhost":
            detail = f"can only be set when {word} type is Localhost"
            errors += [invalid(f"{place}.localhostProfile", file, detail)] if file is not None else []
        elif not file:
            detail = f"must be set when {word} type is Localhost"
            errors.append(required(f"{place}.localhostProfile", detail))
        elif field == "seccompProfile":
            errors += each_invalid(f"{place}.localhostProfile", file, check_local_path(file))
    return errors
