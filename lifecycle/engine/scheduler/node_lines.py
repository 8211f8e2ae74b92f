"""Nodes grouped by what the plugins see of them: nodes of one line differ only in their own resources.

Kubernetes has no such groups: it filters and scores each node for each pod. Here a plugin is asked once for a
line, and the answer holds for all its nodes.
"""

from __future__ import annotations

Description = tuple[str | int | None, ...]
"""What all nodes of a line share: for each `TopologyCounts` the number of matching pods or the name of the
domain, then the taints that the pod does not tolerate (a number), then the weight of its preferred node
affinity terms."""


class Line:
    """Nodes with one description. The heap has the node with the best score on top."""

    __slots__ = ("heap", "key", "size")

    def __init__(self, key: Description) -> None:
        self.key = key
        self.heap: list[tuple[int, int, int, str]] = []
        self.size = 0
