"""Differences between two releases of which the same is to be said, together. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.releases.comparing import Lived
from lifecycle.simulation.releases.facts import NOTHING, WHAT, Difference, Place, find_shift_ms

FOLLOWING = ("state", "ready", "condition.ContainersReady")
FOLLOWING_OF_CONTAINERS = (".ready", ".started", ".restartCount")
"""What follows from the phase, the status and the states of containers is named after these, and no more."""
SAYS = "said: "
"""Topics that are a sentence of their own begin so."""


class Values(NamedTuple):
    """Places of one topic of which all were the same under either release."""

    places: tuple[Place, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def said(self) -> str:
        """The sentence that is said under one of the two alone; "" where it is about something else."""
        return (self.new or self.old)[0] if self.places[0].topic.startswith(SAYS) else ""


class Following(NamedTuple):
    """What only follows from what was told of the same objects."""

    places: tuple[Place, ...]
    topics: tuple[str, ...]


class Moved(NamedTuple):
    """What was the same at other instants: of each place by how much that moved that moved most."""

    places: tuple[Place, ...]
    shifts_ms: tuple[int, ...]


Group = Values | Following | Moved


def group_differences(own: Sequence[Difference], older: Lived, newer: Lived) -> Iterator[Group]:
    """What one change brought about: first what things were, then what follows, then when they were so."""
    places_of: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[Place]] = {}
    moved: dict[str, list[tuple[Place, int]]] = {}
    for place, aspect in own:
        old, new = older.facts.get(place, NOTHING), newer.facts.get(place, NOTHING)
        if aspect == WHAT:
            places_of.setdefault((_title(place), place.topic, old.values, new.values), []).append(place)
        else:
            moved.setdefault(_title(place), []).append((place, find_shift_ms(old, new)))
    told = {title for title, topic, *_ in places_of if not _is_following(topic)}
    following: dict[tuple[tuple[str, ...], ...], list[tuple[str, list[Place]]]] = {}
    for (title, topic, was, became), places in places_of.items():
        if title in told and _is_following(topic):
            objects = tuple(dict.fromkeys(place[:3] for place in places))
            following.setdefault(objects, []).append((topic, places))
        else:
            yield Values(tuple(places), was, became)
    for found in following.values():
        yield Following(tuple(found[0][1]), tuple(topic for topic, _ in found))
    for pairs in moved.values():
        yield Moved(tuple(place for place, _ in pairs), tuple(shift for _, shift in pairs))


def _title(place: Place) -> str:
    """Objects of one owner are told together."""
    return name_object(place.kind, place.namespace, place.owner or place.name)


def name_object(kind: str, namespace: str, name: str) -> str:
    """`Pod shop/web-0`, `Node node-1`"""
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _is_following(topic: str) -> bool:
    return topic in FOLLOWING or (topic.startswith("container.") and topic.endswith(FOLLOWING_OF_CONTAINERS))
