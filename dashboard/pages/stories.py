"""A story of the gallery in words: its manifest, what is done when, and what must come of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import yaml

from dashboard.plots.theme import duration
from lifecycle.input.instants import parse_instant
from lifecycle.input.manifests import read_documents
from lifecycle.input.scenario import is_scenario
from lifecycle.models import Cluster, Command
from lifecycle.simulation.stories import find_story, list_stories

Json = dict[str, Any]
BEFORE_MS, AFTER_MS = 10_000, 60_000
"""So much is shown before and after an instant that is to be looked at."""
_NUMBERED = re.compile(r"-\d{1,6}$")


@dataclass(frozen=True, slots=True)
class Step:
    """What is done at an instant. `since_ms` and `until_ms`: the stretch of time in which it shows."""

    at: str
    words: str
    since_ms: int
    until_ms: int


@dataclass(frozen=True, slots=True)
class Told:
    """A story as people read it. `claims`: what must come of it. `objects`: names in its manifest."""

    name: str
    sentence: str
    manifest: str
    steps: tuple[Step, ...]
    claims: tuple[str, ...]
    objects: frozenset[str]


@lru_cache(maxsize=64)
def tell_story(name: str) -> Told | None:
    """None when there is none of that name."""
    if name not in list_stories():
        return None
    text = find_story(name).read_text()
    documents = read_documents(text)
    found = next((one.data for one in documents if is_scenario(one)), {})
    spec: Json = dict(found.get("spec") or {})
    steps = tuple(_tell_step(dict(entry)) for entry in spec.get("steps") or ())
    claims = tuple(_write(dict(entry)) for entry in spec.get("expect") or ())
    objects = frozenset(str((one.data.get("metadata") or {}).get("name")) for one in documents)
    return Told(name, str(spec.get("description") or name), text.strip(), steps, claims, objects)


def _tell_step(entry: Json) -> Step:
    at_ms = parse_instant(str(entry.pop("at", "0s")), 0)
    return Step(
        duration(at_ms) if at_ms else "0s", _write(entry), max(0, at_ms - BEFORE_MS), at_ms + AFTER_MS
    )


def _write(entry: Json) -> str:
    """`setImage: {deployment: web, container: app, image: nginx:1.27}`"""
    lines = (f"{name}: {_write_value(value)}" for name, value in entry.items())
    return ", ".join(lines)


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    written: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6)
    return written.removesuffix("\n").removesuffix("\n...").strip()


def find_story_of(cluster: Cluster) -> Told | None:
    """The story that a cluster plays: it has its name, perhaps with a number, and begins with its object."""
    plain = _name_clusters()
    name = plain.get(cluster.name) or plain.get(_NUMBERED.sub("", cluster.name))
    told = tell_story(name) if name else None
    if told is None:
        return None
    first = Command.objects.filter(cluster=cluster, kind="apply").order_by("order").first()
    begun = ((first.payload.get("object") or {}).get("metadata") or {}).get("name") if first else None
    return told if begun in told.objects else None


@cache
def _name_clusters() -> dict[str, str]:
    """By the name that a cluster of it has, each story."""
    return {name.replace(".", "-"): name for name in list_stories()}
