"""Whether a node can ever allot what a resized pod asks for: the admission plugin PodResizeValidator."""

from __future__ import annotations

from ...objects.node import Node
from ...objects.pods.pod import PodSpec
from .resources import effective_requests

NODE_CAPACITY, UNSUPPORTED_PLATFORM = "NodeCapacity", "UnsupportedPlatform"
LINUX, OS_LABEL = "linux", "kubernetes.io/os"


def find_resize_problem(spec: PodSpec, node: Node | None, name: str) -> tuple[str, str]:
    """Why a pod of the node may not be resized so, and the type of the cause; ("", "") when it may."""
    if node is None:
        return f'node "{name}" not found', ""
    system = node.meta.labels.get(OS_LABEL, LINUX)
    if system != LINUX:
        return (
            f'pod resize is only supported on linux nodes, node "{name}" is "{system}"',
            UNSUPPORTED_PLATFORM,
        )
    asked, has = effective_requests(spec), node.status.allocatable
    excess = [
        f"{one}, requested: {asked[one]}, allocatable: {has.get(one, 0)}"
        for one in ("cpu", "memory")
        if asked.get(one, 0) > has.get(one, 0)
    ]
    if excess:
        return f"node didn't have enough allocatable resources: {'; '.join(excess)}", NODE_CAPACITY
    return "", ""
