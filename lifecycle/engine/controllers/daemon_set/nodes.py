"""All nodes of a cluster, as DaemonSets look at them one after the other."""

from __future__ import annotations

from ...objects.node import Node

_LAST = 1 << 62


class Nodes:
    """All nodes, numbered in the order in which they joined."""

    __slots__ = ("_count", "_numbers", "by_name")

    def __init__(self) -> None:
        self.by_name: dict[str, Node] = {}
        self._numbers: dict[str, int] = {}
        self._count = 0

    def take(self, old: Node | None, new: Node | None) -> None:
        """Follow one write."""
        if new is None:
            assert old is not None, "a write has an old or a new object"
            del self.by_name[old.meta.name], self._numbers[old.meta.name]
            return
        if old is None:
            self._count += 1
            self._numbers[new.meta.name] = self._count
        self.by_name[new.meta.name] = new

    def rank(self, name: str) -> tuple[int, str]:
        """Its place among the others; nodes that are no more come last."""
        return self._numbers.get(name, _LAST), name
