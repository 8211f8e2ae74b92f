"""What differs between releases, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from lifecycle.input.problems import list_names
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.releases import apis
from lifecycle.simulation.releases.apis import Api
from lifecycle.simulation.releases.comparing import Lived, Step
from lifecycle.simulation.releases.facts import (
    NOTHING,
    RUN,
    Difference,
    Fact,
    Place,
)
from lifecycle.simulation.releases.grouping import (
    Following,
    Moved,
    Values,
    group_differences,
    name_object,
)
from lifecycle.simulation.releases.levers import Lever, tell_levers
from lifecycle.version import VERSION

SCHEMA_VERSION = 1
MOST_NAMES = 3
MOST_VALUES = 6
MOST_BESIDE = 24
"""Values of so few letters stand beside each other."""
NO_CHANGE = "by no gate and no switch: how the API server reads, fills in and shows objects"


def tell(steps: Sequence[Step], used: Sequence[Api]) -> Iterator[str]:
    """All of it, line by line."""
    for number, step in enumerate(steps):
        if number:
            yield ""
        yield from _tell_step(step)
    if used:
        yield ""
        yield "Versions of kinds that are deprecated or gone:"
        for one in used:
            states = ", ".join(f"{name}: {state}" for name, state in one.states.items() if state)
            yield f"  {_tell_names(one.subjects)}: {one.text} ({states})"


def _tell_step(step: Step) -> Iterator[str]:
    older, newer = step.older.release.name, step.newer.release.name
    refused = [one for one in (step.older, step.newer) if one.settings is None]
    if refused:
        yield f"Kubernetes {older} to {newer}: nothing to compare, since the input is refused"
        for one in refused:
            yield from (f"  {one.release.name}: {problem}" for problem in one.problems)
        return
    if not step.causes:
        yield f"Kubernetes {older} to {newer}: all comes out the same"
        return
    places = {one.place for one in step.causes}
    objects = len({place[:3] for place in places})
    ways = {cause for cause in step.causes.values() if cause}
    yield (
        f"Kubernetes {older} to {newer}: {_count(len(step.causes), 'thing')} of {_count(objects, 'object')}"
        f" come out otherwise, by {_count(len(ways), 'change')} (shown by {_count(step.runs, 'run')} without)"
    )
    for levers in list_causes(step):
        yield ""
        yield from tell_levers(levers) or [NO_CHANGE]
        if len(levers) > 1:
            yield "(only these together)"
        own = [one for one, cause in step.causes.items() if cause == levers]
        yield from _tell_differences(sorted(own), step.older, step.newer)


def list_causes(step: Step) -> list[tuple[Lever, ...]]:
    """The changes that something comes from, what comes from none last."""
    return sorted({*step.causes.values()}, key=lambda one: (not one, one))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _tell_differences(own: Sequence[Difference], older: Lived, newer: Lived) -> Iterator[str]:
    for group in group_differences(own, older, newer):
        match group:
            case Values():
                yield from _tell_values(group, older, newer)
            case Following(places, topics):
                yield f"  {tell_places(places)}: and so {list_names(topics)}"
            case Moved():
                yield _tell_moved(group)


def _tell_values(group: Values, older: Lived, newer: Lived) -> Iterator[str]:
    places = group.places
    if group.said:
        yield f"  only {(newer if group.new else older).release.name}: {group.said}"
        return
    if all(len(one) < 2 and len("".join(one)) < MOST_BESIDE for one in (group.old, group.new)):
        values = [
            f"{one.release.name} {_tell_at(one.facts.get(places[0], NOTHING))}" for one in (older, newer)
        ]
        yield f"  {tell_places(places)}: {places[0].topic}: {', '.join(values)}"
        return
    yield f"  {tell_places(places)}: {places[0].topic}"
    for lived in (older, newer):
        fact = lived.facts.get(places[0], NOTHING)
        told = fact if len(places) == 1 else fact._replace(instants_ms=())
        yield f"    {lived.release.name:<8}{_tell_fact(told, count_common(group.old, group.new))}"


def _tell_at(fact: Fact) -> str:
    """What has one value at most."""
    at = f" at {tell_seconds(fact.instants_ms[0])}" if fact.instants_ms else ""
    return f"{fact.values[0]}{at}" if fact.values else "-"


def count_common(old: Sequence[str], new: Sequence[str]) -> int:
    """So many values come first that are the same."""
    same = takewhile(lambda both: both[0] == both[1], zip(old, new, strict=False))
    return sum(1 for _ in same)


class Shown(NamedTuple):
    """What is shown of a fact, as (value, instant): so many come `before` it, so many `after`."""

    before: int
    values: tuple[tuple[str, int | None], ...]
    after: int


def cut_fact(fact: Fact, common: int) -> Shown:
    """What it was, from the last on that is the same."""
    instants = fact.instants_ms or (None,) * len(fact.values)
    told = tuple(zip(fact.values, instants, strict=True))
    first = max(common - 1, 0)
    shown = told[first : first + MOST_VALUES]
    return Shown(min(first, len(told)), shown, max(len(told) - first - MOST_VALUES, 0))


def _tell_fact(fact: Fact, common: int) -> str:
    if not fact.values:
        return "-"
    before, values, after = cut_fact(fact, common)
    told = [value if at_ms is None else f"{value} at {tell_seconds(at_ms)}" for value, at_ms in values]
    return ", then ".join(["..."] * (before > 0) + told + [f"{after} more"] * (after > 0))


def tell_seconds(span_ms: int) -> str:
    """`5.4s`, `1m38.2s`"""
    minutes, rest_ms = divmod(abs(span_ms), 60_000)
    return f"{f'{minutes}m' if minutes else ''}{rest_ms / 1000:.1f}s"


def _tell_moved(moved: Moved) -> str:
    topics = sorted({place.topic for place in moved.places})
    return f"  {tell_places(moved.places)}: {tell_shifts(moved.shifts_ms)}: {', '.join(topics)}"


def tell_shifts(shifts_ms: Sequence[int]) -> str:
    """`1.0s earlier to 5.4s later`"""
    spans = [
        f"{tell_seconds(one)} {'later' if one > 0 else 'earlier'}" for one in (min(shifts_ms), max(shifts_ms))
    ]
    return " to ".join(dict.fromkeys(spans))


def tell_places(places: Sequence[Place]) -> str:
    """The names of their objects."""
    if places[0][:4] == RUN:
        return "the run"
    return _tell_names(list(dict.fromkeys(name_object(*place[:3]) for place in places)))


def _tell_names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return list_names([*names[:MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


# --- JSON -------------------------------------------------------------------------------------------------


def make_json(
    lives: Sequence[Lived], steps: Sequence[Step], used: Sequence[Api], exit_status: int
) -> dict[str, Any]:
    """One object; arrays are never null."""
    return {
        "schema_version": SCHEMA_VERSION,
        "podline": VERSION,
        "kubernetes": [one.release.name for one in lives],
        "exit_status": exit_status,
        "runs": [_life(one) for one in lives],
        "differences": [
            _difference(one, step.causes[one], step) for step in steps for one in sorted(step.causes)
        ],
        "apis": [apis.to_json(one) for one in used],
    }


def _life(lived: Lived) -> dict[str, Any]:
    outcome = lived.outcome
    return {
        "kubernetes": lived.release.name,
        "version": lived.release.version,
        "exit_status": None if outcome is None else outcome.exit_status,
        "end": None if outcome is None else {"why": outcome.why, "at_ms": outcome.at_ms},
        "refused": list(map(str, lived.problems)),
    }


def _difference(one: Difference, levers: tuple[Lever, ...], step: Step) -> dict[str, Any]:
    place = one.place
    return {
        "from": step.older.release.name,
        "to": step.newer.release.name,
        "kind": place.kind,
        "namespace": place.namespace or None,
        "name": place.name or None,
        "owner": place.owner or None,
        "topic": place.topic,
        "aspect": one.aspect,
        "old": _fact(step.older.facts.get(place, NOTHING)),
        "new": _fact(step.newer.facts.get(place, NOTHING)),
        "because": [lever_to_json(lever) for lever in levers],
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"values": list(fact.values), "at_ms": list(fact.instants_ms)}


def lever_to_json(lever: Lever) -> dict[str, Any]:
    """Plain data."""
    change = lever.change
    return {
        "kind": lever.kind,
        "name": lever.name,
        "was": lever.is_on,
        "component": change.component,
        "says": change.says,
        "upstream": change.upstream,
    }
