"""One input under several releases: what it comes to under each, and what of that differs by which change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from itertools import pairwise

from lifecycle.engine.heart.settings import Settings
from lifecycle.engine.releases.known import find_release
from lifecycle.engine.releases.release import Release
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.reading import Reading
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.plan import Plan
from lifecycle.simulation.releases.apis import Api, list_apis
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
from lifecycle.simulation.run import Outcome, Sink, Tee, run


class Lived(NamedTuple):
    """What an input came to under a release. Without `settings` nothing was run, for its `problems`."""

    release: Release
    facts: Facts
    settings: Settings | None = None
    outcome: Outcome | None = None
    problems: Sequence[Problem] = ()


Switched = Mapping[str, bool]
Live = Callable[[Release], Lived]
"""The input under a release. Raises ManifestError."""
Retry = Callable[[Release, Switched, Switched, Collection[Difference]], Facts]
"""The facts under a release with some gates and switches set otherwise, at least those that may differ."""


MakePlan = Callable[[Reading, Release, Switched, Switched], Plan]
"""What was read under a release as a plan, some gates and switches set otherwise. Raises ManifestError."""
Watch = Callable[[Release, bool], Sequence[Sink]]
"""Who follows a run under a release, and whether that is one that only looks for a change behind it."""


@dataclass(frozen=True, slots=True)
class Step:
    """From one release to the next: what differs, each with the changes behind it."""

    older: Lived
    newer: Lived
    causes: Mapping[Difference, tuple[Lever, ...]]
    runs: int
    """So many were made to find the changes."""


class Compared(NamedTuple):
    """What an input comes to under each release, what of it differs, and the versions of kinds in it."""

    lives: Sequence[Lived]
    steps: Sequence[Step]
    apis: Sequence[Api]


NOT_SET: Switched = {}


def nobody(release: Release, is_retry: bool) -> Sequence[Sink]:
    """No one follows."""
    return ()


def compare_releases(
    releases: Sequence[Release],
    readings: Mapping[Release, Reading],
    make_plan: MakePlan,
    watch: Watch = nobody,
) -> Compared:
    """Run what was read under each of the releases, and find the changes behind what comes out otherwise."""

    def live(release: Release) -> Lived:
        plan = make_plan(readings[release], release, NOT_SET, NOT_SET)
        facts, outcome = find_facts(plan, watch(release, False))
        return Lived(release, facts, plan.settings, outcome)

    def retry(release: Release, gates: Switched, switches: Switched, _of: object) -> Facts:
        plan = make_plan(readings[release], release, gates, switches)
        return find_facts(plan, watch(release, True))[0]

    lives = live_all(releases, live)
    used = list_apis(readings[releases[-1]].heads, releases)
    return Compared(lives, compare_all(lives, retry), used)


def read_releases(text: str) -> list[Release]:
    """`1.34,1.36` as releases, the older first, each once. Raises ValueError."""
    found = {find_release(one.strip()): None for one in text.split(",")}
    return sorted(found, key=lambda one: (one.minor, one.patch))


def live_all(releases: Sequence[Release], live: Live) -> list[Lived]:
    """The input under each release."""
    return [_live(release, live) for release in releases]


def _live(release: Release, live: Live) -> Lived:
    try:
        return live(release)
    except ManifestError as error:
        return Lived(release, {}, problems=error.problems)


def find_facts(plan: Plan, beside: Sequence[Sink] = ()) -> tuple[dict[Place, Fact], Outcome]:
    """What a run of a plan comes to, and what is said of the input before it. `beside`: who follows it."""
    sink = FactSink()
    outcome, cluster = run(plan, Tee([sink, *beside]))
    facts = sink.finish(outcome, cluster)
    notes = [*plan.list_notes(), *(f"missing: {one}" for one in plan.missing), *map(str, plan.refused)]
    # Each is a fact of its own: one more says nothing of the others.
    return facts | {Place(*RUN, f"said: {note}"): Fact((note,)) for note in notes}, outcome


def compare_all(lives: Sequence[Lived], retry: Retry) -> list[Step]:
    """Each release beside the one before it; where one refuses the input nothing is compared."""
    return [_compare(older, newer, retry) for older, newer in pairwise(lives)]


def _compare(older: Lived, newer: Lived, retry: Retry) -> Step:
    if older.settings is None or newer.settings is None:
        return Step(older, newer, {}, 0)
    differences = find_differences(older.facts, newer.facts)
    tried: dict[frozenset[str], frozenset[Difference]] = {}

    def try_without(levers: Sequence[Lever]) -> Set[Difference]:
        key = frozenset(one.name for one in levers)
        if key not in tried:
            facts = retry(newer.release, *split_levers(levers), differences)
            tried[key] = find_differences(older.facts, facts)
        return tried[key]

    levers = list_levers(older.settings, newer.settings)
    found = attribute(differences, levers, try_without)
    return Step(older, newer, {one: found.get(one, ()) for one in differences}, len(tried))
