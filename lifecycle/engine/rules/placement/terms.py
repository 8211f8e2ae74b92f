"""Rules about other pods: near which a pod wants to be, apart from which, and how it is to be spread. Pure.

Models the terms of pod affinity and the constraints of topology spread, as the scheduler reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.names import HOSTNAME, PREFERRED, REQUIRED, ZONE
from ...objects.selector import Selector
from .label_keys import narrow

DO_NOT_SCHEDULE, SCHEDULE_ANYWAY = "DoNotSchedule", "ScheduleAnyway"
NEAR, APART = "podAffinity", "podAntiAffinity"
_OF_A_REQUIRED_TERM = 1
"""What a term that a pod requires weighs for those it is about (hardPodAffinityWeight)."""

Labels = Mapping[str, str]
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Term:
    """Pods meant by their labels and namespaces, in a domain of a topology key. `weight`: of a preference."""

    key: str
    namespaces: frozenset[str]
    of_namespaces: Selector
    selector: Selector
    weight: int = 0

    def matches(self, namespace: str, labels: Labels, namespace_labels: Labels) -> bool:
        """Whether a pod is meant."""
        is_there = namespace in self.namespaces or self.of_namespaces.matches(namespace_labels)
        return is_there and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class Constraint:
    """How far apart the numbers of pods in the domains of a topology key may be.

    `selectors`: whom it counts, all of them hold. `min_domains`: with fewer the least number counts as 0.
    """

    key: str
    max_skew: int
    selectors: tuple[Selector, ...]
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False

    def matches(self, labels: Labels) -> bool:
        """Whether a pod of the namespace is one of those that it spreads."""
        return all(one.matches(labels) for one in self.selectors)

    @property
    def counts_nobody(self) -> bool:
        """Whether no pod that is there is counted: so it is with a selector of everything (Kubernetes)."""
        return all(one.is_everything for one in self.selectors)


@dataclass(frozen=True, slots=True)
class PodTerms:
    """All terms of one pod. `preferred`: those it prefers apart from others have a negative weight."""

    near: tuple[Term, ...] = ()
    apart: tuple[Term, ...] = ()
    preferred: tuple[Term, ...] = ()

    def list_pulls(self) -> Iterator[Term]:
        """What the pod, once it is there, makes other pods prefer."""
        yield from self.preferred
        for one in self.near:
            yield Term(one.key, one.namespaces, one.of_namespaces, one.selector, _OF_A_REQUIRED_TERM)


NO_TERMS = PodTerms()


def has_terms(affinity: Json) -> bool:
    """Whether a pod's affinity is about other pods."""
    return bool(affinity) and bool(affinity.get(NEAR) or affinity.get(APART))


def read_terms(affinity: Json, namespace: str, labels: Labels) -> PodTerms:
    """The terms of a pod with these labels, `matchLabelKeys` and `mismatchLabelKeys` filled in."""
    if not has_terms(affinity):
        return NO_TERMS
    near, apart = affinity.get(NEAR) or {}, affinity.get(APART) or {}
    preferred = [(one, 1) for one in near.get(PREFERRED) or ()]
    preferred += [(one, -1) for one in apart.get(PREFERRED) or ()]
    return PodTerms(
        tuple(_read_term(one, namespace, labels) for one in near.get(REQUIRED) or ()),
        tuple(_read_term(one, namespace, labels) for one in apart.get(REQUIRED) or ()),
        tuple(
            _read_term(one.get("podAffinityTerm") or {}, namespace, labels, sign * (one.get("weight") or 0))
            for one, sign in preferred
        ),
    )


def _read_term(raw: Json, namespace: str, labels: Labels, weight: int = 0) -> Term:
    named, of_namespaces = raw.get("namespaces") or (), raw.get("namespaceSelector")
    own = (namespace,) if not named and of_namespaces is None else ()
    # The API server has done so already, unless an older engine made the pod.
    selector = narrow(raw, labels).get("labelSelector")
    return Term(
        raw.get("topologyKey") or "",
        frozenset((*named, *own)),
        Selector(of_namespaces),
        Selector(selector),
        weight,
    )


def read_constraints(raw: Sequence[Json], labels: Labels, when: str) -> tuple[Constraint, ...]:
    """The constraints of a pod that hold absolutely (DO_NOT_SCHEDULE), or those that are preferred."""
    return tuple(
        Constraint(
            one.get("topologyKey") or "",
            one.get("maxSkew") or 1,
            (Selector(narrow(one, labels).get("labelSelector")),),
            one.get("minDomains") or 1,
            (one.get("nodeAffinityPolicy") or "Honor") == "Honor",
            one.get("nodeTaintsPolicy") == "Honor",
        )
        for one in raw
        if one.get("whenUnsatisfiable") == when
    )


def make_default_constraints(selectors: Sequence[Selector]) -> tuple[Constraint, ...]:
    """How pods of Services and workloads are spread that say nothing of it themselves (preferred)."""
    if not selectors:
        return ()
    return (Constraint(HOSTNAME, 3, tuple(selectors)), Constraint(ZONE, 5, tuple(selectors)))
