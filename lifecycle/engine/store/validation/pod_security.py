"""Pod Security admission: what the standards a namespace enforces forbid its pods.

Models the levels `baseline` and `restricted` of the newest version. Left out: the modes warn and audit, older
versions, AppArmor, SELinux and sysctls. A pod that says it is for Windows is not held to what only Linux has
(PODOS-04); one with users of its own is not held to being non-root, with the gate for that (USERNS-20).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .field_error import FieldError, invalid

Json = Mapping[str, Any]
Found = list[str]

ENFORCE = "pod-security.kubernetes.io/enforce"
PRIVILEGED, BASELINE, RESTRICTED = "privileged", "baseline", "restricted"
LEVELS = (PRIVILEGED, BASELINE, RESTRICTED)
USER_NAMESPACE_GATE = "UserNamespacesPodSecurityStandards"

_PARTS = ("initContainers", "containers", "ephemeralContainers")
_ADDABLE = (
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
    "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
)  # fmt: skip
_VOLUMES = (
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected",
    "secret",
)  # fmt: skip
_SECCOMP = ("RuntimeDefault", "Localhost")


def validate_level(labels: Mapping[str, str]) -> list[FieldError]:
    """The level a namespace asks for must be one."""
    level = labels.get(ENFORCE)
    if level is None or level in LEVELS:
        return []
    return [invalid(f"metadata.labels[{ENFORCE}]", level, f"must be one of {', '.join(LEVELS)}")]


def find_violations(spec: Json, level: str, gates: Mapping[str, bool]) -> str:
    """What of a pod's spec a level forbids, as the API server says it; "" when nothing."""
    if level not in (BASELINE, RESTRICTED):
        return ""
    containers = [one for part in _PARTS for one in spec.get(part) or ()]
    found = [text for check in _BASELINE for text in check(spec, containers)]
    if level == RESTRICTED:
        is_windows = (spec.get("os") or {}).get("name") == "windows"
        has_own_users = bool(gates.get(USER_NAMESPACE_GATE)) and spec.get("hostUsers") is False
        checks = [_check_volumes, *([] if is_windows else _LINUX), *([] if has_own_users else _USERS)]
        found += [text for check in checks for text in check(spec, containers)]
    return f'violates PodSecurity "{level}:latest": {", ".join(found)}' if found else ""


# --- words ------------------------------------------------------------------------------------------------


def _security(one: Json) -> Json:
    found: Json = one.get("securityContext") or {}
    return found


def _inside(one: Json, name: str) -> Json:
    found: Json = _security(one).get(name) or {}
    return found


def _name(containers: Sequence[Json]) -> str:
    names = ", ".join(f'"{one.get("name")}"' for one in containers)
    return f"container {names}" if len(containers) == 1 else f"containers {names}"


def _must(rule: str, guilty: Sequence[Json], what: str, subject: str = "") -> Found:
    return [f"{rule} ({subject}{_name(guilty)} {what})"] if guilty else []


# --- baseline ---------------------------------------------------------------------------------------------


def _check_host_process(spec: Json, containers: Sequence[Json]) -> Found:
    holders = [spec, *containers]
    guilty = [one for one in holders if _inside(one, "windowsOptions").get("hostProcess")]
    who = ["pod" if one is spec else _name([one]) for one in guilty]
    text = "must not set securityContext.windowsOptions.hostProcess=true"
    return [f"hostProcess ({' and '.join(who)} {text})"] if guilty else []


def _check_host_namespaces(spec: Json, containers: Sequence[Json]) -> Found:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return [f"host namespaces ({', '.join(found)})"] if found else []


def _check_privileged(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if _security(one).get("privileged")]
    return _must("privileged", guilty, "must not set securityContext.privileged=true")


def _check_added_capabilities(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if _added(one, _ADDABLE)]
    added = sorted({name for one in guilty for name in _added(one, _ADDABLE)})
    names = ", ".join(f'"{name}"' for name in added)
    what = f"must not include {names} in securityContext.capabilities.add"
    return _must("non-default capabilities", guilty, what)


def _added(container: Json, allowed: Sequence[str]) -> Found:
    return [name for name in _inside(container, "capabilities").get("add") or () if name not in allowed]


def _check_host_paths(spec: Json, containers: Sequence[Json]) -> Found:
    names = ", ".join(f'"{one.get("name")}"' for one in spec.get("volumes") or () if "hostPath" in one)
    return [f"hostPath volumes ({'volumes' if ',' in names else 'volume'} {names})"] if names else []


def _check_host_ports(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if any(port.get("hostPort") for port in one.get("ports") or ())]
    ports = sorted({port["hostPort"] for one in guilty for port in one["ports"] if port.get("hostPort")})
    word = "hostPort" if len(ports) == 1 else "hostPorts"
    verb = "uses" if len(guilty) == 1 else "use"
    return _must("hostPort", guilty, f"{verb} {word} {', '.join(map(str, ports))}")


def _check_proc_mount(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if _security(one).get("procMount") not in (None, "", "Default")]
    return _must("procMount", guilty, 'must not set securityContext.procMount to "Unmasked"')


def _check_unconfined(spec: Json, containers: Sequence[Json]) -> Found:
    text = 'must not set securityContext.seccompProfile.type to "Unconfined"'
    if _inside(spec, "seccompProfile").get("type") == "Unconfined":
        return [f"seccompProfile (pod {text})"]
    guilty = [one for one in containers if _inside(one, "seccompProfile").get("type") == "Unconfined"]
    return _must("seccompProfile", guilty, text)


# --- restricted -------------------------------------------------------------------------------------------


def _check_volumes(spec: Json, containers: Sequence[Json]) -> Found:
    found = []
    for volume in spec.get("volumes") or ():
        for kind in sorted(set(volume) - {"name", *_VOLUMES}):
            found.append(f'volume "{volume.get("name")}" uses restricted volume type "{kind}"')
    return [f"restricted volume types ({', '.join(found)})"] if found else []


def _check_escalation(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if _security(one).get("allowPrivilegeEscalation") is not False]
    text = "must set securityContext.allowPrivilegeEscalation=false"
    return _must("allowPrivilegeEscalation != false", guilty, text)


def _check_capabilities(spec: Json, containers: Sequence[Json]) -> Found:
    keeping = [one for one in containers if "ALL" not in (_inside(one, "capabilities").get("drop") or ())]
    adding = [one for one in containers if _added(one, ("NET_BIND_SERVICE",))]
    found = []
    if keeping:
        found.append(f'{_name(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        added = sorted({name for one in adding for name in _added(one, ("NET_BIND_SERVICE",))})
        names = ", ".join(f'"{name}"' for name in added)
        found.append(f"{_name(adding)} must not include {names} in securityContext.capabilities.add")
    return [f"unrestricted capabilities ({'; '.join(found)})"] if found else []


def _check_seccomp(spec: Json, containers: Sequence[Json]) -> Found:
    default = _inside(spec, "seccompProfile").get("type", "")
    types = [(one, _inside(one, "seccompProfile").get("type", default)) for one in containers]
    guilty = [one for one, type_ in types if type_ not in _SECCOMP]
    text = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return _must("seccompProfile", guilty, text, "pod or ")


def _check_non_root(spec: Json, containers: Sequence[Json]) -> Found:
    is_set = _security(spec).get("runAsNonRoot")
    values = [(one, _security(one).get("runAsNonRoot")) for one in containers]
    guilty = [one for one, own in values if own is False or (own is None and not is_set)]
    text = "must set securityContext.runAsNonRoot=true"
    return _must("runAsNonRoot != true", guilty, text, "pod or ")


def _check_user(spec: Json, containers: Sequence[Json]) -> Found:
    guilty = [one for one in containers if _security(one).get("runAsUser") == 0]
    who = ["pod"] if _security(spec).get("runAsUser") == 0 else []
    who += [_name(guilty)] if guilty else []
    return [f"runAsUser=0 ({' and '.join(who)} must not set runAsUser=0)"] if who else []


Check = Callable[[Json, Sequence[Json]], Found]
_BASELINE: tuple[Check, ...] = (
    _check_host_process, _check_host_namespaces, _check_privileged, _check_added_capabilities,
    _check_host_paths, _check_host_ports, _check_proc_mount, _check_unconfined,
)  # fmt: skip
_LINUX: tuple[Check, ...] = (_check_escalation, _check_capabilities, _check_seccomp)
_USERS: tuple[Check, ...] = (_check_non_root, _check_user)
