"""What a pod's rules about other pods make of a node: the plugins PodTopologySpread and InterPodAffinity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ..objects.names import HOSTNAME
from ..rules.placement.refusals import KEPT_AWAY, NOT_APART, NOT_NEAR, SKEWED, UNLABELLED, Refusal
from ..rules.placement.terms import Constraint, Term
from .matching_pods import Group
from .pre_filter import Wishes
from .topology_domains import Role, Sums

Amounts = Sequence[int | None]
"""For each sum that of a node's domain; None where it has none."""
Weights = Sequence[tuple[int, int]]
"""The places of sums, and what is added to each."""
Description = tuple[str | int | None, ...]
"""What is alike of nodes that are alike to a pod: amounts of narrow domains, names of others, then scores."""


class Neighbors:
    """The sums that a class of pods goes by, and what follows from them."""

    def __init__(self, wishes: Wishes, with_terms: Iterable[Group]) -> None:
        self._wishes = wishes
        self.sums: list[Sums] = []
        self.hard = self._open_constraints(Role.SPREAD, wishes.hard)
        self.soft = self._open_constraints(Role.PREFERRED_SPREAD, wishes.soft)
        self._near = [self._open(Role.NEAR, one.key) for one in wishes.terms.near]
        self._apart = [self._open(Role.APART, one.key) for one in wishes.terms.apart]
        self._away: dict[str, Sums] = {}
        self.pulls: dict[str, Sums] = {}
        spread = (*self.hard, *self.soft)
        self._counting = [(one, sums.place) for one, sums in spread if not one.counts_nobody]
        self._own = [int(constraint.matches(wishes.labels)) for constraint, _sums in self.hard]
        self._is_near_itself = all(wishes.is_meant(one) for one in wishes.terms.near)
        for term in wishes.terms.preferred:
            self._open_once(self.pulls, Role.PULL, term.key)
        for group in with_terms:
            for term in group.terms.apart:
                if wishes.is_meant(term):
                    self._open_once(self._away, Role.KEPT_AWAY, term.key)
            for term in group.terms.list_pulls():
                if wishes.is_meant(term):
                    self._open_once(self.pulls, Role.PULL, term.key)
        self._narrow = [(one.place, one.by_domain) for one in self.sums if one.is_narrow]
        self.is_choosy = bool(self.hard or self._near or self._apart or self._away)

    def _open(self, role: Role, key: str) -> Sums:
        self.sums.append(Sums(role, key, len(self.sums)))
        return self.sums[-1]

    def _open_once(self, sums_by_key: dict[str, Sums], role: Role, key: str) -> None:
        if key not in sums_by_key:
            sums_by_key[key] = self._open(role, key)

    def _open_constraints(
        self, role: Role, constraints: Sequence[Constraint]
    ) -> Sequence[tuple[Constraint, Sums]]:
        wishes, found = self._wishes, []
        needed = tuple(one.key for one in constraints) if wishes.needs_all_labels else ()
        for constraint in constraints:
            if role is Role.PREFERRED_SPREAD and constraint.key == HOSTNAME:
                # Scored is every node by its own pods, whatever the policies say.
                sums = Sums(role, "", len(self.sums))
            else:
                is_counted = partial(wishes.counts_on, constraint, needed)
                sums = Sums(role, constraint.key, len(self.sums), is_counted)
            self.sums.append(sums)
            found.append((constraint, sums))
        return found

    @property
    def is_about_others(self) -> bool:
        """Whether the pods' own rules are about others; else only those matter whose rules are about them."""
        terms = self._wishes.terms
        return bool(self._counting or terms.near or terms.apart or terms.preferred)

    # --- counting -----------------------------------------------------------------------------------------

    def weigh(self, group: Group) -> Weights | None:
        """What one pod of a group adds, by the sum's place. None: it adds to a sum that is not kept yet."""
        wishes, found = self._wishes, list[tuple[int, int]]()
        if group.namespace == wishes.namespace:
            found += [(place, 1) for one, place in self._counting if one.matches(group.labels)]
        terms = wishes.terms
        if terms.near and all(self._is_about(one, group) for one in terms.near):
            found += [(sums.place, 1) for sums in self._near]
        for term, sums in zip(terms.apart, self._apart, strict=True):
            if self._is_about(term, group):
                found.append((sums.place, 1))
        for term in terms.preferred:
            if self._is_about(term, group):
                found.append((self.pulls[term.key].place, term.weight))
        for carried, sums_by_key in ((group.terms.apart, self._away), (group.terms.list_pulls(), self.pulls)):
            for term in carried:
                if not wishes.is_meant(term):
                    continue
                if term.key not in sums_by_key:
                    return None
                found.append((sums_by_key[term.key].place, term.weight or 1))
        return found

    def _is_about(self, term: Term, group: Group) -> bool:
        return term.matches(group.namespace, group.labels, self._wishes.labels_of(group.namespace))

    def describe(self, fixed: Description) -> Description:
        """What a node is to the pods, beside its load. `fixed`: its domains and scores."""
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
        """The sums that hold for nodes of a description."""
        return [
            sums.by_domain.get(found, 0) if isinstance(found, str) else found
            for sums, found in zip(self.sums, description, strict=False)
        ]

    def amounts_at(self, domains: Sequence[str | None], shifts: Mapping[int, int]) -> Amounts:
        """The sums that hold for a node, shifted."""
        return [
            None if domain is None else sums.by_domain.get(domain, 0) + shifts.get(sums.place, 0)
            for sums, domain in zip(self.sums, domains, strict=True)
        ]

    # --- judging ------------------------------------------------------------------------------------------

    def refuse(
        self,
        amounts: Amounts,
        domains: Sequence[str | None] = (),
        shifts: Mapping[int, int] | None = None,
    ) -> Refusal | None:
        """What the pods that are there have against a node. `shifts`: sums of its domains that change."""
        shifts = shifts or {}
        for (constraint, sums), own in zip(self.hard, self._own, strict=True):
            amount, place = amounts[sums.place], sums.place
            if amount is None:
                return UNLABELLED
            domain = domains[place] if domains else None
            least = sums.find_least(constraint.min_domains, domain, shifts.get(place, 0))
            if amount + own - least > constraint.max_skew:
                return SKEWED
        if self._near and not self._is_near(amounts, shifts):
            return NOT_NEAR
        if any(amounts[sums.place] for sums in self._apart):
            return NOT_APART
        if any(amounts[sums.place] for sums in self._away.values()):
            return KEPT_AWAY
        return None

    def _is_near(self, amounts: Amounts, shifts: Mapping[int, int]) -> bool:
        found = [amounts[sums.place] for sums in self._near]
        if any(amount is None for amount in found):
            return False
        if all(found):
            return True
        # The first of pods that want to be near each other goes anywhere.
        is_first = not any(sum(one.by_domain.values()) + shifts.get(one.place, 0) for one in self._near)
        return is_first and self._is_near_itself
