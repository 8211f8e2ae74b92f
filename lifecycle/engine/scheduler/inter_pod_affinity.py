"""InterPodAffinity: the affinity and anti-affinity terms of a pod, and of the pods that are there already.

Models Filter (required terms) and Score of the plugin: preferred terms with their weights, and the required
affinity terms of placed pods with hardPodAffinityWeight, 1. The counts are kept up to date as pods come and
go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..rules.placement.refusals import KEPT_AWAY, NOT_APART, NOT_NEAR, Refusal
from ..rules.placement.terms import Term
from .matching_pods import Group
from .pre_filter import PreFilterState
from .topology_domains import Amounts, CountKind, TopologyCounts, Weights


class InterPodAffinity:
    """The terms of one class of pods, and the terms of other pods that select it, with their counts."""

    def __init__(
        self, state: PreFilterState, with_terms: Iterable[Group], all_counts: list[TopologyCounts]
    ) -> None:
        """`with_terms`: the groups of placed pods that have terms of their own.

        `all_counts`: the counts of all plugins; those of this plugin are added to it.
        """
        self._state, self._all_counts = state, all_counts
        self._affinity = [self._open(CountKind.AFFINITY, one.key) for one in state.terms.near]
        self._anti_affinity = [self._open(CountKind.ANTI_AFFINITY, one.key) for one in state.terms.apart]
        self._existing_anti_affinity: dict[str, TopologyCounts] = {}
        self._preferred: dict[str, TopologyCounts] = {}
        self._matches_own_affinity = all(state.is_selected_by(one) for one in state.terms.near)
        for term in state.terms.preferred:
            self._open_once(self._preferred, CountKind.PREFERRED_AFFINITY, term.key)
        for group in with_terms:
            for term in group.terms.apart:
                if state.is_selected_by(term):
                    self._open_once(self._existing_anti_affinity, CountKind.EXISTING_ANTI_AFFINITY, term.key)
            for term in group.terms.list_pulls():
                if state.is_selected_by(term):
                    self._open_once(self._preferred, CountKind.PREFERRED_AFFINITY, term.key)
        self.has_filters = bool(self._affinity or self._anti_affinity or self._existing_anti_affinity)
        self.has_scores = bool(self._preferred)

    def _open(self, kind: CountKind, key: str) -> TopologyCounts:
        counts = TopologyCounts(kind, key, len(self._all_counts))
        self._all_counts.append(counts)
        return counts

    def _open_once(self, counts_by_key: dict[str, TopologyCounts], kind: CountKind, key: str) -> None:
        if key not in counts_by_key:
            counts_by_key[key] = self._open(kind, key)

    @property
    def has_own_terms(self) -> bool:
        """Whether the pods of the class have terms of their own."""
        terms = self._state.terms
        return bool(terms.near or terms.apart or terms.preferred)

    def weigh(self, group: Group) -> Weights | None:
        """What one pod of a group adds: the places of counts, and how much to each.

        None: a term of the group has a topology key for which there are no counts yet.
        """
        state, found = self._state, list[tuple[int, int]]()
        terms = state.terms
        # As in Kubernetes, a pod counts for required affinity only if it matches all its terms.
        if terms.near and all(self._selects(one, group) for one in terms.near):
            found += [(counts.place, 1) for counts in self._affinity]
        for term, counts in zip(terms.apart, self._anti_affinity, strict=True):
            if self._selects(term, group):
                found.append((counts.place, 1))
        for term in terms.preferred:
            if self._selects(term, group):
                found.append((self._preferred[term.key].place, term.weight))
        for terms_of_group, counts_by_key in (
            (group.terms.apart, self._existing_anti_affinity),
            (group.terms.list_pulls(), self._preferred),
        ):
            for term in terms_of_group:
                if not state.is_selected_by(term):
                    continue
                if term.key not in counts_by_key:
                    return None
                found.append((counts_by_key[term.key].place, term.weight or 1))
        return found

    def _selects(self, term: Term, group: Group) -> bool:
        return term.matches(group.namespace, group.labels, self._state.labels_of(group.namespace))

    def filter(self, amounts: Amounts, shifts: Mapping[int, int]) -> Refusal | None:
        """Why a node fails Filter, or None. `shifts`: counts of its domains that would be different."""
        if self._affinity and not self._satisfies_affinity(amounts, shifts):
            return NOT_NEAR
        if any(amounts[counts.place] for counts in self._anti_affinity):
            return NOT_APART
        if any(amounts[counts.place] for counts in self._existing_anti_affinity.values()):
            return KEPT_AWAY
        return None

    def _satisfies_affinity(self, amounts: Amounts, shifts: Mapping[int, int]) -> bool:
        found = [amounts[counts.place] for counts in self._affinity]
        if any(amount is None for amount in found):
            return False
        if all(found):
            return True
        # The first of pods that have affinity to each other may go anywhere.
        is_first = not any(sum(one.by_domain.values()) + shifts.get(one.place, 0) for one in self._affinity)
        return is_first and self._matches_own_affinity

    def score(self, all_amounts: Sequence[Amounts]) -> list[int]:
        """Scores from 0 to 100 after NormalizeScore, one for each entry of `all_amounts`."""
        raw = [
            sum(amounts[counts.place] or 0 for counts in self._preferred.values()) for amounts in all_amounts
        ]
        least, gap = min(raw), max(raw) - min(raw)
        return [int(100 * ((one - least) / gap)) if gap else 0 for one in raw]
