"""How pods went under each release: only those that went otherwise, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from lifecycle.check.film import PodLife, take_row
from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import Transition
from lifecycle.lost_requests import Courses

MOST_LANES, MOST_SPANS = 24, 200
Lane = list[tuple[int, int, str]]
"""From one instant until another a pod was in a state."""


class FilmSink:
    """Follows the pods of a run."""

    def __init__(self) -> None:
        self._lives: dict[str, PodLife] = {}
        self._names: dict[str, str] = {}
        self._courses: dict[str, Courses] = {}

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        for row in changes.rows:
            if isinstance(row, Transition):
                take_row(row, self._lives, self._courses)
                self._names[row.subject.uid] = f"{row.subject.namespace or ''}/{row.subject.name}"

    def finish(self, end_ms: int) -> dict[str, Lane]:
        """By namespace and name; one that comes after another of its name goes on in its lane."""
        lanes: dict[str, Lane] = {}
        for uid, life in self._lives.items():
            life.close(end_ms)
            spans = ((span.start_ms, span.end_ms, span.state) for span in life.spans)
            lanes.setdefault(self._names[uid], []).extend(spans)
        return lanes


def choose_lanes(films: Mapping[str, Mapping[str, Lane]], told: Collection[str]) -> dict[str, Any]:
    """By pod and release the lanes of those pods that are `told` of and that did not go alike under all."""
    chosen: dict[str, dict[str, Lane]] = {}
    for name in told:
        lanes = {release: lanes.get(name, []) for release, lanes in films.items()}
        if len(chosen) < MOST_LANES and len({tuple(lane) for lane in lanes.values()}) > 1:
            chosen[name] = {release: lane[:MOST_SPANS] for release, lane in lanes.items()}
    return chosen
