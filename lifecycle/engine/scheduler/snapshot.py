"""All nodes with what is free on them, who has which image, and a log of which of them changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from ..objects.node import Node
from .node_info import NodeRoom
from .node_resources_fit import Load, Shapes

_LONGEST_LOG = 50_000


class Rooms:
    """By name, in the order in which the nodes joined."""

    def __init__(self) -> None:
        self.by_name: dict[str, NodeRoom] = {}
        self.images: dict[str, dict[str, int]] = {}
        """The size of an image in bytes by the nodes that have it, by its name"""
        self.images_version = 0
        self._shapes = Shapes()
        self._numbers = 0
        self._log: deque[str] = deque(maxlen=_LONGEST_LOG)
        self.position = 0
        """How many changes there were"""
        self.last = ""
        """Which node the last one was of"""

    def list_since(self, position: int) -> Iterable[str] | None:
        """The nodes that changed since there were so many changes; None: look at all, also at those gone."""
        behind = self.position - position
        if behind > min(len(self._log), 2 * len(self.by_name) + 16):
            return None
        return dict.fromkeys(reversed(tuple(islice(reversed(self._log), behind))))

    def take(self, node: Node) -> None:
        """A node as it is now."""
        name = node.meta.name
        room = self.by_name.get(name)
        if room is None:
            self._numbers += 1
            self.by_name[name] = NodeRoom(node, self._numbers, self._shapes.find(node.status.allocatable))
            self._see_images(name, (), _read_images(node))
            return
        if room.node.status.raw.get("images") != node.status.raw.get("images"):
            self._see_images(name, _read_images(room.node), _read_images(node))
        room.take(node, self._shapes.find(node.status.allocatable))

    def drop(self, name: str) -> None:
        """A node is gone."""
        room = self.by_name.pop(name, None)
        if room is not None:
            self._see_images(name, _read_images(room.node), ())
            self.tell(name)

    def occupy(self, name: str, uid: str, load: Load, sign: int) -> None:
        """A pod has come to a node (+1), or has gone (-1)."""
        self.by_name[name].change(uid, load, sign)
        self.position += 1
        self.last = name
        self._log.append(name)

    def tell(self, name: str) -> None:
        """A node has changed."""
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
    """The names and sizes of the images that a node says it has."""
    found: dict[str, int] = {}
    for image in _list_of(node.status.raw.get("images")):
        size = image.get("sizeBytes")
        for name in image.get("names") or ():
            if isinstance(name, str) and isinstance(size, int):
                found[name] = size
    return list(found.items())


def _list_of(images: Any) -> list[Mapping[str, Any]]:
    return [one for one in images or () if isinstance(one, Mapping)]
