"""What the pods of each domain of a topology key come to: numbers to spread by, or weights to go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum

from ..objects.names import HOSTNAME
from ..objects.node import Node

IsCounted = Callable[[Node], bool]


class Role(Enum):
    """What a sum is for."""

    SPREAD = "pods of a constraint that holds absolutely"
    PREFERRED_SPREAD = "pods of a constraint that is preferred"
    NEAR = "pods near which the pod must be"
    APART = "pods apart from which it must be"
    KEPT_AWAY = "pods that must be apart from it"
    PULL = "weights of what it and others prefer"


class Sums:
    """A sum by domain. `key`: the label that says a node's domain, "" for the node itself.

    `is_narrow`: domains are about as many as nodes, so that a changed sum concerns few of them.
    """

    __slots__ = (
        "_is_counted",
        "by_domain",
        "counts_ending",
        "is_narrow",
        "key",
        "levels",
        "matters_to_all",
        "place",
        "role",
        "sizes",
    )

    def __init__(self, role: Role, key: str, place: int, is_counted: IsCounted | None = None) -> None:
        self.role, self.key, self.place = role, key, place
        self._is_counted = is_counted
        self.is_narrow = key in ("", HOSTNAME)
        # Whether a sum of one domain decides on nodes of others, or on many of its own.
        self.matters_to_all = not self.is_narrow or role in (Role.SPREAD, Role.NEAR)
        self.counts_ending = role not in (Role.SPREAD, Role.PREFERRED_SPREAD)
        self.by_domain: dict[str, int] = {}
        # How many counted nodes a domain has, and how many domains have a sum: kept to know the least one.
        self.sizes: Counter[str] = Counter()
        self.levels: Counter[int] = Counter()

    def domain_of(self, node: Node) -> str | None:
        """The domain of a node; None where it has none."""
        labels = node.meta.labels
        if self.key:
            return labels.get(self.key)
        # Each node is a domain of its own, as long as it has the label that says so.
        return node.meta.name if HOSTNAME in labels else None

    def is_counted(self, node: Node) -> bool:
        """Whether pods on a node count."""
        return self._is_counted is None or self._is_counted(node)

    def enter(self, domain: str) -> None:
        """A counted node of a domain has come."""
        if self.role is Role.SPREAD:
            if not self.sizes[domain]:
                self.levels[self.by_domain.get(domain, 0)] += 1
            self.sizes[domain] += 1

    def leave(self, domain: str) -> None:
        """A counted node of a domain has gone; nobody on it is counted any more."""
        if self.role is Role.SPREAD:
            self.sizes[domain] -= 1
            if not self.sizes[domain]:
                del self.sizes[domain]
                self._drop_level(self.by_domain.get(domain, 0))

    def add(self, domain: str, by: int) -> None:
        """Count more, or less."""
        before = self.by_domain.get(domain, 0)
        if before + by:
            self.by_domain[domain] = before + by
        else:
            del self.by_domain[domain]
        if self.sizes and domain in self.sizes:
            self._drop_level(before)
            self.levels[before + by] += 1

    def _drop_level(self, level: int) -> None:
        self.levels[level] -= 1
        if not self.levels[level]:
            del self.levels[level]

    def find_least(self, min_domains: int, domain: str | None = None, by: int = 0) -> int:
        """The least sum of all domains, as if that of one were another; 0 where there are too few of them."""
        if len(self.sizes) < min_domains:
            return 0
        if not by or domain is None or domain not in self.sizes:
            return min(self.levels)
        own = self.by_domain.get(domain, 0)
        others = (level for level, count in self.levels.items() if count > (level == own))
        return min((*others, own + by))
