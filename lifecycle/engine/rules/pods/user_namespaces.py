"""User namespaces: which host ids a pod's users are, and which nodes can give it any. Pure.

Each pod with `hostUsers: false` gets a block of 65,536 ids that no other pod of its node has, none of them
below 65,536. A node says by its `nodeInfo` what its kernel and its container runtime are, and by annotations
what no Node object has room for; what is not said is taken to do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

BLOCK = 65_536
DEFAULT_PODS = 110
_ALL_IDS = 1 << 32
USER_IDS = "podline.dev/subordinate-user-ids"
OCI_RUNTIME = "podline.dev/oci-runtime"
"""On a Node: `crun 1.8`."""
FILE_SYSTEM = "podline.dev/kubelet-file-system"
"""On a Node: the file system of /var/lib/kubelet/pods."""

# With Linux 6.3: those that can be mounted with ids shifted.
_SHIFTING = ("btrfs", "ext4", "fat", "overlayfs", "tmpfs", "vfat", "xfs")
_NEVER_SHIFTING = ("cephfs", "glusterfs", "nfs", "rbd")
_NOT_SUPPORTED = "can't set `spec.hostUsers: false`, runtime does not support user namespaces"
_NOT_SHIFTED = "failed to set MOUNT_ATTR_IDMAP: invalid argument"


def wants_one(spec: Mapping[str, Any]) -> bool:
    """Whether a pod, by the JSON of its spec, has users of its own."""
    return spec.get("hostUsers") is False


def why_not(
    node: Mapping[str, Any], annotations: Mapping[str, str], volumes: Sequence[Mapping[str, Any]]
) -> str:
    """Why a node cannot give such a pod a sandbox, by its status' JSON; "" when it can."""
    info = node.get("nodeInfo") or {}
    runtime, _, version = str(info.get("containerRuntimeVersion") or "").partition("://")
    # containerd 1.7 speaks an older form of this than the kubelets of today.
    if runtime == "containerd" and _is_before(version, (2, 0)):
        return f"{_NOT_SUPPORTED} (containerd {version}: 2.0 or later is needed)"
    if runtime == "cri-o" and _is_before(version, (1, 25)):
        return f"{_NOT_SUPPORTED} (CRI-O {version}: 1.25 or later is needed)"
    name, _, version = annotations.get(OCI_RUNTIME, "").partition(" ")
    if name == "crun" and _is_before(version, (1, 9)):
        return f"{_NOT_SUPPORTED} (crun {version}: 1.9 or later is needed)"
    kernel = str(info.get("kernelVersion") or "")
    if kernel and _is_before(kernel, (6, 3)):
        return f"{_NOT_SHIFTED} (Linux {kernel}: 6.3 or later is needed)"
    below = annotations.get(FILE_SYSTEM, "")
    if below and below not in _SHIFTING:
        return f"{_NOT_SHIFTED} (/var/lib/kubelet/pods is on {below}: use one of {', '.join(_SHIFTING)})"
    for volume in volumes:
        for kind in _NEVER_SHIFTING:
            if kind in volume:
                return f"{_NOT_SHIFTED} (volume {volume.get('name')} is on {kind})"
    return ""


def _is_before(version: str, wanted: tuple[int, int]) -> bool:
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) < wanted


def find_free_block(configuration: Mapping[str, Any] | None, taken: Collection[int]) -> int | None:
    """The first host id of a block nobody has; None when all of the node's are given away.

    A node has all ids from 65,536 on, or those of the range that is set for its kubelet (kubelet_pods.go,
    getKubeletMappings).
    """
    given = configuration or {}
    first, count = BLOCK, _ALL_IDS - BLOCK
    line = ((given.get("metadata") or {}).get("annotations") or {}).get(USER_IDS)
    if line:
        _, start, length = line.strip().split(":")
        first, count = int(start), int(length)
    return next((one for one in range(first, first + count, BLOCK) if one not in taken), None)
