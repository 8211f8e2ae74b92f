"""Snapshot: the NodeInfo of all nodes, the images on them, and a log of changed nodes.

Kubernetes updates a cache and copies it into a snapshot for each cycle. Here one value serves as both, as
cycles never overlap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from ..objects.node import Node
from .node_info import NodeInfo
from .node_resources_fit import Allocatables, PodResources

_LONGEST_LOG = 50_000


class Snapshot:
    """All nodes. `by_name`: in the order in which they joined.

    `scores_improvement`: as `Allocatable` says.
    """

    def __init__(self, scores_improvement: bool = False) -> None:
        self.by_name: dict[str, NodeInfo] = {}
        self.images: dict[str, dict[str, int]] = {}
        """By image name and node name, the size of the image in bytes (ImageStates)"""
        self.images_version = 0
        self._allocatables = Allocatables(scores_improvement)
        self._numbers = 0
        self._log: deque[str] = deque(maxlen=_LONGEST_LOG)
        self.position = 0
        """The number of changes so far"""
        self.last = ""
        """The node of the last change"""

    def list_since(self, position: int) -> Iterable[str] | None:
        """The nodes that changed after a position; None if unknown: then any node may be changed or gone."""
        behind = self.position - position
        if behind > min(len(self._log), 2 * len(self.by_name) + 16):
            return None
        return dict.fromkeys(reversed(tuple(islice(reversed(self._log), behind))))

    def update_node(self, node: Node) -> None:
        """Add a node, or replace its Node object."""
        name = node.meta.name
        node_info = self.by_name.get(name)
        if node_info is None:
            self._numbers += 1
            self.by_name[name] = NodeInfo(
                node, self._numbers, self._allocatables.find(node.status.allocatable)
            )
            self._see_images(name, (), _read_images(node))
            return
        if node_info.node.status.raw.get("images") != node.status.raw.get("images"):
            self._see_images(name, _read_images(node_info.node), _read_images(node))
        node_info.update_node(node, self._allocatables.find(node.status.allocatable))

    def remove_node(self, name: str) -> None:
        """Remove a deleted node."""
        node_info = self.by_name.pop(name, None)
        if node_info is not None:
            self._see_images(name, _read_images(node_info.node), ())
            self.note_change(name)

    def count_pod(self, name: str, uid: str, pod_resources: PodResources, sign: int) -> None:
        """A pod was added to a node (+1), or removed from it (-1)."""
        self.by_name[name].change(uid, pod_resources, sign)
        self.position += 1
        self.last = name
        self._log.append(name)

    def note_change(self, name: str) -> None:
        """Write a changed node to the log."""
        self.position += 1
        self.last = name
        self._log.append(name)

    def _see_images(
        self, node_name: str, had: Iterable[tuple[str, int]], has: Iterable[tuple[str, int]]
    ) -> None:
        for name, _size in had:
            self.images[name].pop(node_name, None)
            if not self.images[name]:
                del self.images[name]
        for name, size in has:
            self.images.setdefault(name, {})[node_name] = size
        self.images_version += bool(had) or bool(has)


def _read_images(node: Node) -> Sequence[tuple[str, int]]:
    """The names and sizes of the images in the status of a node."""
    found: dict[str, int] = {}
    for image in _list_of(node.status.raw.get("images")):
        size = image.get("sizeBytes")
        for name in image.get("names") or ():
            if isinstance(name, str) and isinstance(size, int):
                found[name] = size
    return list(found.items())


def _list_of(images: Any) -> list[Mapping[str, Any]]:
    return [one for one in images or () if isinstance(one, Mapping)]
