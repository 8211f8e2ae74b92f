"""Density: how many pods were in each state over time, of any number of them.

Kept as changes by stretch of time, and told backwards from what is true now. A stretch is drawn as it was at
its end: what came and went within one is not seen, and there are up to 160 of them in a picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dashboard.plots.spans import Span
from lifecycle.simulation.reports.tones import TONES

Owner = tuple[str, str | None]
"""A namespace and what stands in it, `ReplicaSet/web-6d4`; None for pods that nobody owns."""
Held = tuple[Owner, str]
"""Whose a pod is, and its state."""

SHORTEST_MS, MOST_STRETCHES = 250, 160
MOST_BARS = 1500
"""So many bars may all bands of a picture have together, if each stretch has a few states."""
STATES_A_STRETCH = 3
# From the top of a band down: what is wrong is seen first, what is well is the ground.
ORDER = (
    "crashing",
    "stuck",
    "failed",
    "unknown",
    "notReady",
    "pending",
    "starting",
    "terminating",
    "ready",
    "succeeded",
)
LEAST_SHARE = 0.05
"""Even one of ten thousand is seen."""


@dataclass(frozen=True, slots=True)
class Run:
    """So many pods of each state from `start_ms` until `end_ms`, or until now."""

    start_ms: int
    end_ms: int | None
    states: Counter[str]


class Density:
    """How often pods changed state, by owner and stretch of time."""

    def __init__(self, since_ms: int, now_ms: int) -> None:
        self.since_ms = since_ms
        self.size_ms = SHORTEST_MS
        self.changes: dict[Owner, dict[int, Counter[str]]] = {}
        self.widen(now_ms)

    def change(self, at_ms: int, before: Held | None, after: Held | None) -> None:
        """A pod was made (None before), went (None after) or is something else now."""
        if before == after:
            return
        for held, by in ((before, -1), (after, 1)):
            if held:
                self.add(held[0], at_ms // self.size_ms, held[1], by)

    def add(self, owner: Owner, stretch: int, state: str, by: int) -> None:
        """So many more, or fewer, pods of that state from some instant of a stretch on."""
        stretches = self.changes.setdefault(owner, {})
        stretches.setdefault(stretch, Counter())[state] += by

    def widen(self, now_ms: int) -> None:
        """Stretches twice as long once there are too many of them; a window that moves on forgets."""
        while (now_ms - self.since_ms) // self.size_ms > MOST_STRETCHES:
            self.size_ms *= 2
            for owner, stretches in self.changes.items():
                self.changes[owner] = _join(stretches, 2)

    def move(self, since_ms: int) -> None:
        """Forget what was before an instant."""
        if since_ms // self.size_ms == self.since_ms // self.size_ms:
            return
        self.since_ms, first = since_ms, since_ms // self.size_ms
        for owner, stretches in list(self.changes.items()):
            for stretch in [stretch for stretch in stretches if stretch < first]:
                del stretches[stretch]
            if not stretches:
                del self.changes[owner]

    def tell_runs(self, owners: Iterable[Owner], living: Counter[str], factor: int = 1) -> list[Run]:
        """Forwards, the last without an end. `living`: these owners' pods now; `factor` stretches are one."""
        joined: dict[int, Counter[str]] = {}
        for owner in owners:
            for stretch, states in self.changes.get(owner, {}).items():
                joined.setdefault(stretch // factor, Counter()).update(states)
        runs, states, end_ms = [], Counter(living), None
        for stretch in sorted(joined, reverse=True):
            if not any(joined[stretch].values()):
                continue
            start_ms = max(self.since_ms, stretch * factor * self.size_ms)
            runs.append(Run(start_ms, end_ms, +states))
            states, end_ms = Counter(states), start_ms
            states.subtract(joined[stretch])
        if end_ms is None or end_ms > self.since_ms:
            runs.append(Run(self.since_ms, end_ms, +states))
        return runs[::-1]


def _join(stretches: dict[int, Counter[str]], factor: int) -> dict[int, Counter[str]]:
    joined: dict[int, Counter[str]] = {}
    for stretch, states in stretches.items():
        joined.setdefault(stretch // factor, Counter()).update(states)
    return joined


def count_joined(bands: int) -> int:
    """How many stretches become one, so that so many bands are drawn in time."""
    factor = 1
    while bands * MOST_STRETCHES * STATES_A_STRETCH // factor > MOST_BARS * 2 and factor < 16:
        factor *= 2
    return factor


def make_band(lane: str, name: str, runs: list[Run], slots: int) -> list[Span]:
    """The bars of a band that is `slots` rows high: as high as there were pods, the most of them fill it."""
    most = max((run.states.total() for run in runs), default=0)
    return [bar for run in runs for bar in _stack(lane, name, run, most, slots - 0.3)]


def _stack(lane: str, name: str, run: Run, most: int, height: float) -> list[Span]:
    """From the ground up, so that what is well stands at the bottom."""
    said = _say(run.states)
    total, bars = run.states.total(), []
    shares = {state: max(LEAST_SHARE, run.states[state] / most) for state in ORDER if run.states[state]}
    scale = height * (total / most) / sum(shares.values()) if shares else 0.0
    bottom = height - 0.35
    for state in reversed(shares):
        width = shares[state] * scale
        bottom -= width
        tone = TONES[state]
        title = f"{name}: {run.states[state]} of {total} {tone.label.lower()}"
        place = (round(bottom, 3), round(width, 3))
        bars.append(Span(lane, tone, run.start_ms, run.end_ms, title, said, place=place))
    return bars


def _say(states: Counter[str]) -> tuple[str, ...]:
    words = [f"{states[state]} {TONES[state].label.lower()}" for state in ORDER if states[state]]
    return (", ".join(words),)
