"""What is at well-known paths of a node, and what the kubelet's check of a `hostPath` says of that. Pure.

A node is a Linux with containerd. What nothing is known of is taken to be as the pod says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FOLDER, _FILE, _SOCKET, _CHARACTER, _NOTHING = "Directory", "File", "Socket", "CharDevice", "nothing"
_KNOWN = {
    _FOLDER: (
        "/ /bin /boot /dev /dev/pts /dev/shm /etc /etc/cni/net.d /etc/kubernetes /etc/ssl /etc/ssl/certs"
        " /home /lib /lib/modules /media /mnt /opt /opt/cni/bin /proc /proc/sys /root /run /run/containerd"
        " /sbin /srv /sys /sys/class /sys/fs /sys/fs/bpf /sys/fs/cgroup /sys/kernel /tmp /usr /usr/bin"
        " /usr/lib /usr/local /usr/local/bin /usr/sbin /usr/share /var /var/lib /var/lib/containerd"
        " /var/lib/kubelet /var/lib/kubelet/device-plugins /var/lib/kubelet/plugins"
        " /var/lib/kubelet/plugins_registry /var/lib/kubelet/pods /var/log /var/log/containers /var/log/pods"
        " /var/tmp"
    ),
    _FILE: (
        "/etc/group /etc/hostname /etc/hosts /etc/machine-id /etc/os-release /etc/passwd /etc/resolv.conf"
        " /proc/cpuinfo /proc/meminfo /var/lib/kubelet/config.yaml"
    ),
    _SOCKET: "/run/containerd/containerd.sock /var/lib/kubelet/device-plugins/kubelet.sock",
    _CHARACTER: "/dev/full /dev/kmsg /dev/null /dev/ptmx /dev/random /dev/tty /dev/urandom /dev/zero",
    # Other runtimes' than the node's.
    _NOTHING: "/run/crio/crio.sock /run/cri-dockerd.sock /run/docker.sock /run/dockershim.sock",
}
_KIND_BY_PATH = {path: kind for kind, paths in _KNOWN.items() for path in paths.split()}
_WANTED = {
    "DirectoryOrCreate": (_FOLDER, "a directory"),
    "Directory": (_FOLDER, "a directory"),
    "FileOrCreate": (_FILE, "a file"),
    "File": (_FILE, "a file"),
    "Socket": (_SOCKET, "a socket file"),
    "CharDevice": (_CHARACTER, "a character device"),
    "BlockDevice": ("BlockDevice", "a block device"),
}


def find_host_path_problem(host_path: Mapping[str, Any]) -> str | None:
    """Why a `hostPath`, given as JSON, cannot be mounted (checkTypeInternal); None when nothing is wrong."""
    wanted, found = _WANTED.get(host_path.get("type") or ""), _kind_of(host_path)
    if wanted is None or found is None or found == wanted[0]:
        return None
    if found == _NOTHING and str(host_path["type"]).endswith("OrCreate"):
        return None
    return f"hostPath type check failed: {host_path.get('path')} is not {wanted[1]}"


def is_assumed(host_path: Any) -> bool:
    """Whether something must be there already, and nobody knows whether it is."""
    if not isinstance(host_path, Mapping) or host_path.get("type") not in _WANTED:
        return False
    return not str(host_path["type"]).endswith("OrCreate") and _kind_of(host_path) is None


def _kind_of(host_path: Mapping[str, Any]) -> str | None:
    path = "/" + str(host_path.get("path") or "").strip("/")
    if path == "/var/run" or path.startswith("/var/run/"):
        path = path.removeprefix("/var")
    return _KIND_BY_PATH.get(path)
