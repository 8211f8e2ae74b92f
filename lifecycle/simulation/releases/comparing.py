"""One input under several releases: what it comes to under each, and what of that differs by which change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import pairwise

from lifecycle.engine.releases.known import find_release
from lifecycle.engine.releases.release import Release
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.releases.attribution import attribute
from lifecycle.simulation.releases.facts import (
    RUN,
    Difference,
    Fact,
    Facts,
    FactSink,
    Place,
    find_differences,
)
from lifecycle.simulation.releases.levers import Lever, list_levers, split_levers
from lifecycle.simulation.run import Outcome, run

MakePlan = Callable[[Release, Mapping[str, bool], Mapping[str, bool]], Plan]
"""The input as a plan under a release, with gates and switches set otherwise. Raises ManifestError."""


class Lived(NamedTuple):
    """What an input came to under a release; `problems`: why nothing was run, then there is no `outcome`."""

    release: Release
    facts: Facts
    plan: Plan | None = None
    outcome: Outcome | None = None
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """From one release to the next: what differs, each with the changes behind it."""

    older: Lived
    newer: Lived
    causes: Mapping[Difference, tuple[Lever, ...]]
    runs: int
    """So many were made to find the changes."""


def read_releases(text: str) -> list[Release]:
    """`1.34,1.36` as releases, the older first, each once. Raises ValueError."""
    found = {find_release(one.strip()): None for one in text.split(",")}
    return sorted(found, key=lambda one: (one.minor, one.patch))


def live_all(releases: Sequence[Release], make_plan: MakePlan) -> list[Lived]:
    """The input under each release."""
    return [_live(release, make_plan) for release in releases]


def _live(release: Release, make_plan: MakePlan) -> Lived:
    try:
        plan = make_plan(release, {}, {})
    except ManifestError as error:
        return Lived(release, {}, problems=error.problems)
    facts, outcome = find_facts(plan)
    return Lived(release, facts, plan, outcome)


def find_facts(plan: Plan) -> tuple[dict[Place, Fact], Outcome]:
    """What a run of a plan comes to, and what is said of the input before it."""
    sink = FactSink()
    outcome, cluster = run(plan, sink)
    facts = sink.finish(outcome, cluster)
    notes = [*plan.list_notes(), *(f"missing: {one}" for one in plan.missing), *map(str, plan.refused)]
    # Each is a fact of its own: one more says nothing of the others.
    return facts | {Place(*RUN, f"said: {note}"): Fact((note,)) for note in notes}, outcome


def compare_all(lives: Sequence[Lived], make_plan: MakePlan) -> list[Step]:
    """Each release beside the one before it; where one refuses the input nothing is compared."""
    return [_compare(older, newer, make_plan) for older, newer in pairwise(lives)]


def _compare(older: Lived, newer: Lived, make_plan: MakePlan) -> Step:
    if older.plan is None or newer.plan is None:
        return Step(older, newer, {}, 0)
    tried: dict[frozenset[str], frozenset[Difference]] = {}

    def try_without(levers: Sequence[Lever]) -> Set[Difference]:
        key = frozenset(one.name for one in levers)
        if key not in tried:
            facts, _outcome = find_facts(make_plan(newer.release, *split_levers(levers)))
            tried[key] = find_differences(older.facts, facts)
        return tried[key]

    differences = find_differences(older.facts, newer.facts)
    levers = list_levers(older.plan.settings, newer.plan.settings)
    found = attribute(differences, levers, try_without)
    return Step(older, newer, {one: found.get(one, ()) for one in differences}, len(tried))
