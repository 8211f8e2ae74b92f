"""PodTopologySpread and InterPodAffinity together: what the pods that are placed mean for each node.

Both plugins count matching pods by topology domain. Their counts stand in one list, so that a node is
described once for both. Models Filter of both plugins, and AddPod and RemovePod of their PreFilter
extensions (`shifts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..rules.placement.refusals import Refusal
from .inter_pod_affinity import InterPodAffinity
from .matching_pods import Group
from .node_lines import Description
from .pod_topology_spread import PodTopologySpread
from .pre_filter import PreFilterState
from .topology_domains import Amounts, TopologyCounts, Weights


class PodTopology:
    """Both plugins for one class of pods, with all their counts."""

    def __init__(self, state: PreFilterState, with_terms: Iterable[Group]) -> None:
        """`with_terms`: the groups of placed pods that have affinity terms of their own."""
        self.counts: list[TopologyCounts] = []
        self.spread = PodTopologySpread(state, self.counts)
        self.affinity = InterPodAffinity(state, with_terms, self.counts)
        self._narrow = [(one.place, one.by_domain) for one in self.counts if one.is_narrow]
        self.has_filters = self.spread.has_filters or self.affinity.has_filters

    @property
    def counts_plain_pods(self) -> bool:
        """Whether pods without affinity terms may count; else only pods that have terms do."""
        return bool(self.spread.counting) or self.affinity.has_own_terms

    def weigh(self, group: Group) -> Weights | None:
        """What one pod of a group adds: the places of counts, and how much to each.

        None: a term of the group has a topology key for which there are no counts yet.
        """
        weights = self.affinity.weigh(group)
        return None if weights is None else [*self.spread.weigh(group), *weights]

    def describe(self, fixed: Description) -> Description:
        """The description of a node. `fixed`: its domains, taints and preferences.

        A domain of a narrow key is replaced by its amount: each node has a domain of its own, and nodes with
        equal amounts are to have equal descriptions.
        """
        narrow = self._narrow
        if not narrow:
            return fixed
        found = [*fixed]
        for place, by_domain in narrow:
            domain = found[place]
            if domain is not None:
                found[place] = by_domain.get(domain, 0)  # type: ignore[arg-type]
        return (*found,)

    def amounts_of(self, description: Description) -> Amounts:
        """The amounts for nodes of a description."""
        return [
            counts.by_domain.get(found, 0) if isinstance(found, str) else found
            for counts, found in zip(self.counts, description, strict=False)
        ]

    def amounts_at(self, domains: Sequence[str | None], shifts: Mapping[int, int]) -> Amounts:
        """The amounts for a node with these domains, each plus its shift."""
        return [
            None if domain is None else counts.by_domain.get(domain, 0) + shifts.get(counts.place, 0)
            for counts, domain in zip(self.counts, domains, strict=True)
        ]

    def filter(
        self,
        amounts: Amounts,
        domains: Sequence[str | None] = (),
        shifts: Mapping[int, int] | None = None,
    ) -> Refusal | None:
        """Why a node fails Filter of one of the plugins, or None.

        `shifts`: counts of the node's domains that would be different, by place; needs `domains`.
        """
        shifts = shifts or {}
        return self.spread.filter(amounts, domains, shifts) or self.affinity.filter(amounts, shifts)
