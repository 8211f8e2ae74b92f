"""As whom a container runs: user and groups, capabilities, and whether it may run as root at all. Pure.

A container's own settings come before its pod's, and those before its image's. Ids are the container's own;
what they are on the node is for the pod's user namespace to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.record import Record

ROOT = 0
DEFAULT_CAPABILITIES = (
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
    "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
)  # fmt: skip
"""What a container runtime leaves to root without being asked."""
EVERY_CAPABILITY = (
    "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "BPF", "CHECKPOINT_RESTORE", "CHOWN",
    "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE",
    "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST",
    "NET_RAW", "PERFMON", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYSLOG", "SYS_ADMIN", "SYS_BOOT",
    "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO", "SYS_RESOURCE",
    "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
)  # fmt: skip
"""All that Linux has."""
ALL = "ALL"


@dataclass(slots=True, eq=False)
class ImageUser(Record):
    """The user an image names: its id, and the name where the image says a name instead of a number."""

    uid: int
    name: str = ""


@dataclass(slots=True, eq=False)
class Setting(Record):
    """What of both security contexts holds for one container; None where neither says anything."""

    user: int | None
    group: int | None
    must_not_be_root: bool


def read_setting(pod: Mapping[str, Any], container: Mapping[str, Any]) -> Setting:
    """The effective settings, from the JSON of a pod's spec and of one of its containers."""
    outer, inner = pod.get("securityContext") or {}, container.get("securityContext") or {}

    def effective(name: str) -> Any:
        return inner.get(name) if inner.get(name) is not None else outer.get(name)

    return Setting(effective("runAsUser"), effective("runAsGroup"), bool(effective("runAsNonRoot")))


def decide_root_problem(setting: Setting, image: ImageUser | None, where: str) -> str:
    """Why the kubelet does not create the container, "" when it does. An unknown image is taken to comply.

    `where` names pod and container as the kubelet does.
    """
    if not setting.must_not_be_root:
        return ""
    if setting.user is not None:
        return "" if setting.user != ROOT else f"container's runAsUser breaks non-root policy ({where})"
    if image is None:
        return ""
    if image.name:
        text = f"container has runAsNonRoot and image has non-numeric user ({image.name}),"
        return f"{text} cannot verify user is non-root ({where})"
    return "" if image.uid != ROOT else f"container has runAsNonRoot and image will run as root ({where})"


def decide_user(setting: Setting, image: ImageUser | None) -> tuple[int, int]:
    """User and group id of the container's processes. A user given without a group is in group 0."""
    user = setting.user if setting.user is not None else image.uid if image is not None else ROOT
    return user, setting.group if setting.group is not None else 0


def has_read_only_root(container: Mapping[str, Any]) -> bool:
    """Whether a container, given as JSON, can write to its volumes only."""
    return bool((container.get("securityContext") or {}).get("readOnlyRootFilesystem"))


def decide_groups(pod: Mapping[str, Any], group: int) -> tuple[int, ...]:
    """Every group the processes are in, the first one first: the volumes' group is one of them."""
    outer = pod.get("securityContext") or {}
    more = [*(outer.get("supplementalGroups") or ())]
    if outer.get("fsGroup") is not None:
        more.append(outer["fsGroup"])
    return tuple(dict.fromkeys((group, *more)))


def decide_capabilities(container: Mapping[str, Any], user: int) -> tuple[str, ...]:
    """What the container's main process may do beyond others; a user other than root may nothing."""
    own = container.get("securityContext") or {}
    if user != ROOT:
        return ()
    if own.get("privileged"):
        return EVERY_CAPABILITY
    given = own.get("capabilities") or {}
    added, dropped = ({_bare(name) for name in given.get(way) or ()} for way in ("add", "drop"))
    # As the runtime does it: all or nothing first, then one by one, and what is dropped stays dropped.
    kept = () if ALL in dropped else EVERY_CAPABILITY if ALL in added else DEFAULT_CAPABILITIES
    return tuple(sorted({*kept, *added} - {*dropped, ALL}))


def _bare(name: str) -> str:
    return str(name).upper().removeprefix("CAP_")
