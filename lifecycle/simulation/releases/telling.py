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
    WHAT,
    Difference,
    Fact,
    Place,
    find_shift_ms,
)
from lifecycle.simulation.releases.levers import Lever, tell_levers
from lifecycle.version import VERSION

SCHEMA_VERSION = 1
MOST_NAMES = 3
MOST_VALUES = 6
MOST_BESIDE = 24
"""Values of so few letters stand beside each other."""
FOLLOWING = ("state", "ready", "condition.ContainersReady")
FOLLOWING_OF_CONTAINERS = (".ready", ".started", ".restartCount")
"""What follows from the phase, the status and the states of containers is named after these, and no more."""
NO_CHANGE = "by no gate and no switch: how the API server reads, fills in and shows objects"


class _Group(NamedTuple):
    """Objects of which the same is to be said."""

    title: str
    topic: str
    old: tuple[str, ...]
    new: tuple[str, ...]


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
    for levers in sorted({*step.causes.values()}, key=lambda one: (not one, one)):
        yield ""
        yield from tell_levers(levers) or [NO_CHANGE]
        if len(levers) > 1:
            yield "(only these together)"
        own = [one for one, cause in step.causes.items() if cause == levers]
        yield from _tell_differences(sorted(own), step.older, step.newer)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _tell_differences(own: Sequence[Difference], older: Lived, newer: Lived) -> Iterator[str]:
    groups: dict[_Group, list[Place]] = {}
    shifts: dict[str, list[tuple[Place, int]]] = {}
    for place, aspect in own:
        old, new = older.facts.get(place, NOTHING), newer.facts.get(place, NOTHING)
        if aspect == WHAT:
            group = _Group(_title(place), place.topic, old.values, new.values)
            groups.setdefault(group, []).append(place)
        else:
            shifts.setdefault(_title(place), []).append((place, find_shift_ms(old, new)))
    told = {one.title for one in groups if not _is_following(one.topic)}
    following: dict[str, list[str]] = {}
    for group, places in groups.items():
        if group.title in told and _is_following(group.topic):
            following.setdefault(_tell_places(places), []).append(group.topic)
        else:
            yield from _tell_group(group, places, older, newer)
    for names, topics in following.items():
        yield f"  {names}: and so {list_names(topics)}"
    for moved in shifts.values():
        yield _tell_shifts(moved)


def _title(place: Place) -> str:
    """Objects of one owner are told together."""
    return _name(place.kind, place.namespace, place.owner or place.name)


def _name(kind: str, namespace: str, name: str) -> str:
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _is_following(topic: str) -> bool:
    return topic in FOLLOWING or (topic.startswith("container.") and topic.endswith(FOLLOWING_OF_CONTAINERS))


def _tell_group(group: _Group, places: Sequence[Place], older: Lived, newer: Lived) -> Iterator[str]:
    if places[0].topic.startswith("said: "):
        release = (newer if group.new else older).release.name
        yield f"  only {release}: {(group.new or group.old)[0]}"
        return
    if all(len(one) < 2 and len("".join(one)) < MOST_BESIDE for one in (group.old, group.new)):
        values = [
            f"{one.release.name} {_tell_at(one.facts.get(places[0], NOTHING))}" for one in (older, newer)
        ]
        yield f"  {_tell_places(places)}: {group.topic}: {', '.join(values)}"
        return
    yield f"  {_tell_places(places)}: {group.topic}"
    for lived in (older, newer):
        fact = lived.facts.get(places[0], NOTHING)
        told = fact if len(places) == 1 else fact._replace(instants_ms=())
        yield f"    {lived.release.name:<8}{_tell_fact(told, _count_common(group.old, group.new))}"


def _tell_at(fact: Fact) -> str:
    """What has one value at most."""
    at = f" at {_tell_seconds(fact.instants_ms[0])}" if fact.instants_ms else ""
    return f"{fact.values[0]}{at}" if fact.values else "-"


def _count_common(old: Sequence[str], new: Sequence[str]) -> int:
    """So many values come first that are the same."""
    same = takewhile(lambda both: both[0] == both[1], zip(old, new, strict=False))
    return sum(1 for _ in same)


def _tell_fact(fact: Fact, common: int) -> str:
    """What it was, from the last on that is the same."""
    if not fact.values:
        return "-"
    instants = fact.instants_ms or (None,) * len(fact.values)
    told = [
        value if at_ms is None else f"{value} at {_tell_seconds(at_ms)}"
        for value, at_ms in zip(fact.values, instants, strict=True)
    ]
    first = max(common - 1, 0)
    shown = ["..."] * (first > 0) + told[first : first + MOST_VALUES]
    more = len(told) - first - MOST_VALUES
    return ", then ".join([*shown, *([f"{more} more"] if more > 0 else [])])


def _tell_seconds(span_ms: int) -> str:
    """`5.4s`, `1m38.2s`"""
    minutes, rest_ms = divmod(abs(span_ms), 60_000)
    return f"{f'{minutes}m' if minutes else ''}{rest_ms / 1000:.1f}s"


def _tell_shifts(moved: Sequence[tuple[Place, int]]) -> str:
    topics = sorted({place.topic for place, _ in moved})
    shifts = sorted(shift for _, shift in moved)
    spans = [f"{_tell_seconds(one)} {'later' if one > 0 else 'earlier'}" for one in (shifts[0], shifts[-1])]
    span = " to ".join(dict.fromkeys(spans))
    return f"  {_tell_places([place for place, _ in moved])}: {span}: {', '.join(topics)}"


def _tell_places(places: Sequence[Place]) -> str:
    if places[0][:4] == RUN:
        return "the run"
    return _tell_names(list(dict.fromkeys(_name(one.kind, one.namespace, one.name) for one in places)))


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
        "because": [_lever(lever) for lever in levers],
    }


def _fact(fact: Fact) -> dict[str, Any]:
    return {"values": list(fact.values), "at_ms": list(fact.instants_ms)}


def _lever(lever: Lever) -> dict[str, Any]:
    change = lever.change
    return {
        "kind": lever.kind,
        "name": lever.name,
        "was": lever.is_on,
        "component": change.component,
        "says": change.says,
        "upstream": change.upstream,
    }
