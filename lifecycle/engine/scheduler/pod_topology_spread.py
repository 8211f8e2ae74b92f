"""PodTopologySpread: keeps the numbers of matching pods in the domains of a topology key close together.

Models Filter (constraints with `DoNotSchedule`) and Score (`ScheduleAnyway`, and the default constraints) of
the plugin. The counts are kept up to date as pods come and go; Kubernetes counts all pods for each new pod.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from ..objects.names import HOSTNAME
from ..rules.placement.refusals import SKEWED, UNLABELLED, Refusal
from ..rules.placement.terms import Constraint
from .matching_pods import Group
from .node_lines import Line
from .pre_filter import PreFilterState
from .topology_domains import Amounts, CountKind, TopologyCounts, Weights

CountedConstraint = tuple[Constraint, TopologyCounts]


class PodTopologySpread:
    """The spread constraints of one class of pods, each with its counts."""

    def __init__(self, state: PreFilterState, all_counts: list[TopologyCounts]) -> None:
        """`all_counts`: the counts of all plugins; those of this plugin are added to it."""
        self._state = state
        self._hard_constraints = self._open(CountKind.HARD_SPREAD, state.hard_constraints, all_counts)
        self._soft_constraints = self._open(CountKind.SOFT_SPREAD, state.soft_constraints, all_counts)
        constraints = (*self._hard_constraints, *self._soft_constraints)
        self.counting = [(one, counts.place) for one, counts in constraints if not one.counts_nobody]
        # selfMatchNum in Kubernetes: 1 if the pod would count for its own constraint.
        self._self_matches = [int(one.matches(state.labels)) for one, _counts in self._hard_constraints]
        self.has_filters = bool(self._hard_constraints)
        self.has_scores = bool(self._soft_constraints)

    def _open(
        self, kind: CountKind, constraints: Sequence[Constraint], all_counts: list[TopologyCounts]
    ) -> Sequence[CountedConstraint]:
        state, found = self._state, list[CountedConstraint]()
        needed = tuple(one.key for one in constraints) if state.needs_all_labels else ()
        for constraint in constraints:
            if kind is CountKind.SOFT_SPREAD and constraint.key == HOSTNAME:
                # Score counts the pods of each node for this key, whatever the node inclusion policies say.
                counts = TopologyCounts(kind, "", len(all_counts))
            else:
                is_counted = partial(state.matches_inclusion_policies, constraint, needed)
                counts = TopologyCounts(kind, constraint.key, len(all_counts), is_counted)
            all_counts.append(counts)
            found.append((constraint, counts))
        return found

    def weigh(self, group: Group) -> Weights:
        """What one pod of a group adds to the counts: their places, and 1 for each."""
        if group.namespace != self._state.namespace:
            return []
        return [(place, 1) for one, place in self.counting if one.matches(group.labels)]

    def filter(
        self, amounts: Amounts, domains: Sequence[str | None], shifts: Mapping[int, int]
    ) -> Refusal | None:
        """Why a node fails Filter, or None. `shifts`: counts of its domains that would be different."""
        for (constraint, counts), self_match in zip(self._hard_constraints, self._self_matches, strict=True):
            amount, place = amounts[counts.place], counts.place
            if amount is None:
                return UNLABELLED
            domain = domains[place] if domains else None
            min_match = counts.find_min_match(constraint.min_domains, domain, shifts.get(place, 0))
            if amount + self_match - min_match > constraint.max_skew:
                return SKEWED
        return None

    def score(self, lines: Sequence[Line], all_amounts: Sequence[Amounts]) -> list[int]:
        """Scores from 0 to 100 after NormalizeScore: fewer matching pods in a node's domains score higher.

        0 for a node without a label that the pod's own constraints name.
        """
        soft_constraints = self._soft_constraints
        is_ignored = [
            self._state.needs_all_labels
            and any(amounts[counts.place] is None for _one, counts in soft_constraints)
            for amounts in all_amounts
        ]
        weights = [_find_weight(counts, lines, is_ignored) for _one, counts in soft_constraints]
        raw = [
            0 if ignored else _add_up(soft_constraints, weights, amounts)
            for ignored, amounts in zip(is_ignored, all_amounts, strict=True)
        ]
        scored = [one for one, ignored in zip(raw, is_ignored, strict=True) if not ignored]
        least, most = min(scored, default=0), max(scored, default=0)
        return [
            0 if ignored else 100 * (most + least - one) // most if most else 100
            for ignored, one in zip(is_ignored, raw, strict=True)
        ]


def _add_up(constraints: Sequence[CountedConstraint], weights: Sequence[float], amounts: Amounts) -> int:
    total = 0.0
    for (constraint, counts), weight in zip(constraints, weights, strict=True):
        amount = amounts[counts.place]
        if amount is not None:
            total += amount * weight + (constraint.max_skew - 1)
    # Rounded as Go does: a half goes up.
    return int(total + 0.5)


def _find_weight(counts: TopologyCounts, lines: Sequence[Line], is_ignored: Sequence[bool]) -> float:
    """topologyNormalizingWeight: the weight of a key rises with the number of its domains."""
    taking = [line for line, ignored in zip(lines, is_ignored, strict=True) if not ignored]
    if not counts.key:
        return math.log(sum(line.size for line in taking) + 2)
    return math.log(len({line.key[counts.place] for line in taking}) + 2)
