"""Pod Security admission: what the standards a namespace enforces forbid its pods.

Models the levels `baseline` and `restricted` of the newest version, in the order and words of the API server.
Left out: the modes warn and audit, older versions, AppArmor, SELinux and sysctls. A pod that says it is for
Windows is not held to what only Linux has (PODOS-04), nor one with users of its own to being non-root, with
the gate for that (USERNS-20).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ....releases.gates import is_enabled
from ..words.field_error import FieldError, invalid

Json = Mapping[str, Any]

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
_PROBES, _HOOKS = ("livenessProbe", "readinessProbe", "startupProbe"), ("postStart", "preStop")


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
    is_windows = (spec.get("os") or {}).get("name") == "windows"
    has_own_users = is_enabled(gates, USER_NAMESPACE_GATE) and spec.get("hostUsers") is False
    checks = list(_BASELINE)
    if level == RESTRICTED:
        # What a stricter rule covers is complained of once.
        checks = [check for check in checks if check not in _COVERED]
        checks += [one for one in _RESTRICTED if not (is_windows and one in _LINUX_ONLY)]
    if has_own_users:
        checks = [check for check in checks if check not in _ABOUT_USERS]
    found = [text for check in checks if (text := check(spec, containers))]
    return f'violates PodSecurity "{level}:latest": {", ".join(found)}' if found else ""


def is_significant(old: Json, new: Json) -> bool:
    """Whether an updated pod has to be looked at anew: another image, or one more container."""
    return [*_list_images(old)] != [*_list_images(new)]


def _list_images(spec: Json) -> Iterable[tuple[Any, Any]]:
    return ((one.get("name"), one.get("image")) for part in _PARTS for one in spec.get(part) or ())


# --- words ------------------------------------------------------------------------------------------------


def _security(one: Json) -> Json:
    found: Json = one.get("securityContext") or {}
    return found


def _inside(one: Json, name: str) -> Json:
    found: Json = _security(one).get(name) or {}
    return found


def _quote(names: Iterable[Any]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _name(containers: Sequence[Json]) -> str:
    return f"{_plural('container', len(containers))} {_quote(one.get('name') for one in containers)}"


def _who(is_pod: bool, containers: Sequence[Json]) -> str:
    """`pod and container "app"`, "" for nobody."""
    return " and ".join([*(["pod"] if is_pod else []), *([_name(containers)] if containers else [])])


def _use(guilty: Sequence[Json], word: str, values: Sequence[str], text: str) -> str:
    verb = "uses" if len(guilty) == 1 else "use"
    return f"{_name(guilty)} {verb} {_plural(word, len(values))} {text}"


# --- baseline ---------------------------------------------------------------------------------------------


def _check_added_capabilities(spec: Json, containers: Sequence[Json]) -> str:
    text = _describe_added(containers, _ADDABLE)
    return f"non-default capabilities ({text})" if text else ""


def _describe_added(containers: Sequence[Json], allowed: Sequence[str]) -> str:
    added = [
        (one, name)
        for one in containers
        for name in _inside(one, "capabilities").get("add") or ()
        if name not in allowed
    ]
    if not added:
        return ""
    guilty = [one for one in containers if any(one is owner for owner, _ in added)]
    names = _quote(sorted({name for _, name in added}))
    return f"{_name(guilty)} must not include {names} in securityContext.capabilities.add"


def _check_host_namespaces(spec: Json, containers: Sequence[Json]) -> str:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return f"host namespaces ({', '.join(found)})" if found else ""


def _check_host_paths(spec: Json, containers: Sequence[Json]) -> str:
    names = [one.get("name") for one in spec.get("volumes") or () if one.get("hostPath") is not None]
    return f"hostPath volumes ({_plural('volume', len(names))} {_quote(names)})" if names else ""


def _check_host_ports(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _list_host_ports(one)]
    # As texts: 80, 8080, 9.
    ports = sorted({port for one in guilty for port in _list_host_ports(one)})
    return f"hostPort ({_use(guilty, 'hostPort', ports, ', '.join(ports))})" if guilty else ""


def _list_host_ports(container: Json) -> list[str]:
    return [str(port["hostPort"]) for port in container.get("ports") or () if port.get("hostPort")]


def _check_asked_hosts(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _list_asked_hosts(one)]
    hosts = sorted({host for one in guilty for host in _list_asked_hosts(one)})
    word = "probe or lifecycle host"
    return f"{word} ({_use(guilty, word, hosts, _quote(hosts))})" if guilty else ""


def _list_asked_hosts(container: Json) -> list[str]:
    """Hosts other than the pod that a probe or a hook asks."""
    hooks = container.get("lifecycle") or {}
    handlers = [*(container.get(name) or {} for name in _PROBES), *(hooks.get(name) or {} for name in _HOOKS)]
    actions = [one.get(name) or {} for one in handlers for name in ("httpGet", "tcpSocket")]
    return [str(action["host"]) for action in actions if action.get("host")]


def _check_privileged(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _security(one).get("privileged")]
    return f"privileged ({_name(guilty)} must not set securityContext.privileged=true)" if guilty else ""


def _check_proc_mount(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _security(one).get("procMount") not in (None, "Default")]
    mounts = _quote(sorted({str(_security(one)["procMount"]) for one in guilty}))
    return f"procMount ({_name(guilty)} must not set securityContext.procMount to {mounts})" if guilty else ""


def _check_set_seccomp(spec: Json, containers: Sequence[Json]) -> str:
    """What pod and containers say themselves of their profiles."""
    types = [_inside(one, "seccompProfile").get("type") for one in (spec, *containers)]
    bad = [type_ is not None and type_ not in _SECCOMP for type_ in types]
    who = _who(bad[0], [one for one, is_bad in zip(containers, bad[1:], strict=True) if is_bad])
    if not who:
        return ""
    names = _quote(sorted({str(type_) for type_, is_bad in zip(types, bad, strict=True) if is_bad}))
    return f"seccompProfile ({who} must not set securityContext.seccompProfile.type to {names})"


def _check_host_process(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _inside(one, "windowsOptions").get("hostProcess")]
    who = _who(bool(_inside(spec, "windowsOptions").get("hostProcess")), guilty)
    return f"hostProcess ({who} must not set securityContext.windowsOptions.hostProcess=true)" if who else ""


# --- restricted -------------------------------------------------------------------------------------------


def _check_escalation(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _security(one).get("allowPrivilegeEscalation") is not False]
    text = f"{_name(guilty)} must set securityContext.allowPrivilegeEscalation=false"
    return f"allowPrivilegeEscalation != false ({text})" if guilty else ""


def _check_capabilities(spec: Json, containers: Sequence[Json]) -> str:
    keeping = [one for one in containers if "ALL" not in (_inside(one, "capabilities").get("drop") or ())]
    found = [f'{_name(keeping)} must set securityContext.capabilities.drop=["ALL"]'] if keeping else []
    added = _describe_added(containers, ("NET_BIND_SERVICE",))
    found += [added] if added else []
    return f"unrestricted capabilities ({'; '.join(found)})" if found else ""


def _check_volumes(spec: Json, containers: Sequence[Json]) -> str:
    kinds = [(one.get("name"), sorted(set(one) - {"name"})) for one in spec.get("volumes") or ()]
    guilty = [(name, kind) for name, own in kinds for kind in own if kind not in _VOLUMES]
    if not guilty:
        return ""
    names, forbidden = [name for name, _ in guilty], sorted({kind for _, kind in guilty})
    verb = "uses" if len(names) == 1 else "use"
    what = f"{_plural('restricted volume type', len(forbidden))} {_quote(forbidden)}"
    return f"restricted volume types ({_plural('volume', len(names))} {_quote(names)} {verb} {what})"


def _check_non_root(spec: Json, containers: Sequence[Json]) -> str:
    who = _who(
        _security(spec).get("runAsNonRoot") is False,
        [one for one in containers if _security(one).get("runAsNonRoot") is False],
    )
    if who:
        return f"runAsNonRoot != true ({who} must not set securityContext.runAsNonRoot=false)"
    if _security(spec).get("runAsNonRoot"):
        return ""
    silent = [one for one in containers if _security(one).get("runAsNonRoot") is None]
    text = f"pod or {_name(silent)} must set securityContext.runAsNonRoot=true"
    return f"runAsNonRoot != true ({text})" if silent else ""


def _check_user(spec: Json, containers: Sequence[Json]) -> str:
    guilty = [one for one in containers if _security(one).get("runAsUser") == 0]
    who = _who(_security(spec).get("runAsUser") == 0, guilty)
    return f"runAsUser=0 ({who} must not set runAsUser=0)" if who else ""


def _check_seccomp(spec: Json, containers: Sequence[Json]) -> str:
    said = _check_set_seccomp(spec, containers)
    if said or _inside(spec, "seccompProfile"):
        return said
    silent = [one for one in containers if not _inside(one, "seccompProfile")]
    text = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return f"seccompProfile (pod or {_name(silent)} {text})" if silent else ""


Check = Callable[[Json, Sequence[Json]], str]
_BASELINE: tuple[Check, ...] = (
    _check_added_capabilities, _check_host_namespaces, _check_host_paths, _check_host_ports,
    _check_asked_hosts, _check_privileged, _check_proc_mount, _check_set_seccomp, _check_host_process,
)  # fmt: skip
_RESTRICTED: tuple[Check, ...] = (
    _check_escalation, _check_capabilities, _check_volumes, _check_non_root, _check_user, _check_seccomp,
)  # fmt: skip
_COVERED: tuple[Check, ...] = (_check_added_capabilities, _check_host_paths, _check_set_seccomp)
_LINUX_ONLY: tuple[Check, ...] = (_check_escalation, _check_capabilities, _check_seccomp)
_ABOUT_USERS: tuple[Check, ...] = (_check_non_root, _check_user)
