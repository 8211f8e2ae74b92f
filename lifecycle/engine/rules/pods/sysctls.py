"""Which settings of its kernel a node lets a pod change.

Models the kubelet's admission by its list of safe sysctls, as it is where nobody has allowed others: settings
that are the pod's own and touch no other pod on the node.
"""

from __future__ import annotations

from ...objects.pods.pod import PodSpec

SYSCTL_FORBIDDEN = "SysctlForbidden"
# Whose they are: a pod that shares these with its host may not change them.
_IPC, _NET = "IPC", "Net"
_SAFE = {
    "kernel.shm_rmid_forced": _IPC,
    "net.ipv4.ip_local_port_range": _NET,
    "net.ipv4.ip_local_reserved_ports": _NET,
    "net.ipv4.ip_unprivileged_port_start": _NET,
    "net.ipv4.ping_group_range": _NET,
    "net.ipv4.tcp_fin_timeout": _NET,
    "net.ipv4.tcp_keepalive_intvl": _NET,
    "net.ipv4.tcp_keepalive_probes": _NET,
    "net.ipv4.tcp_keepalive_time": _NET,
    "net.ipv4.tcp_rmem": _NET,
    "net.ipv4.tcp_syncookies": _NET,
    "net.ipv4.tcp_wmem": _NET,
}
_SWAPPED = str.maketrans("./", "/.")


def find_forbidden_sysctl(spec: PodSpec) -> str:
    """What the kubelet says of the first setting that the pod may not change; "" when it may change all."""
    for given in spec.sysctls:
        name = _normalize(given)
        owner = _SAFE.get(name)
        if owner is None:
            return f'forbidden sysctl: "{name}" not allowlisted'
        if spec.host_network if owner == _NET else spec.host_ipc:
            return f'forbidden sysctl: "{name}" not allowed with host {owner} enabled'
    return ""


def _normalize(name: str) -> str:
    """A name may be written with slashes, too; then a dot stands within one of its steps."""
    first = next((letter for letter in name if letter in "./"), ".")
    return name.translate(_SWAPPED) if first == "/" else name
