"""The number of matching pods in each domain of a topology key, or the sum of the weights of their terms.

PodTopologySpread keeps such counts as TpKeyToDomainsMatchNum, InterPodAffinity as topologyToMatchedTermCount.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum

from ..objects.names import HOSTNAME
from ..objects.node import Node

IsCounted = Callable[[Node], bool]
Amounts = Sequence[int | None]
"""For each `TopologyCounts` the count of one node's domain; None if the node lacks the topology key."""
Weights = Sequence[tuple[int, int]]
"""The places of `TopologyCounts`, and how much is added to each."""


class CountKind(Enum):
    """What is counted, and for which plugin and extension point."""

    HARD_SPREAD = "PodTopologySpread, Filter: pods that match a constraint with DoNotSchedule"
    SOFT_SPREAD = "PodTopologySpread, Score: pods that match a constraint with ScheduleAnyway"
    AFFINITY = "InterPodAffinity, Filter: pods that match the pod's required affinity terms"
    ANTI_AFFINITY = "InterPodAffinity, Filter: pods that match its required anti-affinity term"
    EXISTING_ANTI_AFFINITY = "InterPodAffinity, Filter: pods whose required anti-affinity term matches it"
    PREFERRED_AFFINITY = "InterPodAffinity, Score: weights of its preferred terms, and of other pods' terms"


class TopologyCounts:
    """Counts by domain. `key`: the topology key, "" if each node is a domain.

    `place`: the index of these counts in the list of all. `is_narrow`: there are about as many domains as
    nodes, so a changed count concerns few nodes.
    """

    __slots__ = (
        "_is_counted",
        "by_domain",
        "counts_terminating",
        "is_narrow",
        "key",
        "kind",
        "levels",
        "matters_to_all",
        "place",
        "sizes",
    )

    def __init__(self, kind: CountKind, key: str, place: int, is_counted: IsCounted | None = None) -> None:
        self.kind, self.key, self.place = kind, key, place
        self._is_counted = is_counted
        self.is_narrow = key in ("", HOSTNAME)
        # Whether a changed count of one domain may decide on nodes of other domains, or on many nodes.
        self.matters_to_all = not self.is_narrow or kind in (CountKind.HARD_SPREAD, CountKind.AFFINITY)
        self.counts_terminating = kind not in (CountKind.HARD_SPREAD, CountKind.SOFT_SPREAD)
        self.by_domain: dict[str, int] = {}
        # How many counted nodes a domain has, and how many domains have a count: for the minimum match.
        self.sizes: Counter[str] = Counter()
        self.levels: Counter[int] = Counter()

    def find_domain(self, node: Node) -> str | None:
        """The domain of a node, or None if it lacks the topology key."""
        labels = node.meta.labels
        if self.key:
            return labels.get(self.key)
        # Each node is a domain of its own if it has the label of its host name.
        return node.meta.name if HOSTNAME in labels else None

    def is_counted(self, node: Node) -> bool:
        """Whether pods on a node count (`nodeAffinityPolicy`, `nodeTaintsPolicy`)."""
        return self._is_counted is None or self._is_counted(node)

    def add_node(self, domain: str) -> None:
        """A counted node of a domain was added."""
        if self.kind is CountKind.HARD_SPREAD:
            if not self.sizes[domain]:
                self.levels[self.by_domain.get(domain, 0)] += 1
            self.sizes[domain] += 1

    def remove_node(self, domain: str) -> None:
        """A counted node of a domain was removed. Its pods must be taken out of the count before."""
        if self.kind is CountKind.HARD_SPREAD:
            self.sizes[domain] -= 1
            if not self.sizes[domain]:
                del self.sizes[domain]
                self._drop_level(self.by_domain.get(domain, 0))

    def add(self, domain: str, by: int) -> None:
        """Change the count of a domain."""
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

    def find_min_match(self, min_domains: int, domain: str | None = None, by: int = 0) -> int:
        """The minimum match: the smallest count of all domains (minMatchNum); 0 with too few domains.

        With `domain` and `by`: as if the count of that domain were different.
        """
        if len(self.sizes) < min_domains:
            return 0
        if not by or domain is None or domain not in self.sizes:
            return min(self.levels)
        own = self.by_domain.get(domain, 0)
        others = (level for level, count in self.levels.items() if count > (level == own))
        return min((*others, own + by))
