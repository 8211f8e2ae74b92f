"""Lanes of several runs one under the other on one axis: drawn once, with a cursor through all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.plots.theme import clock, duration
from lifecycle.simulation.pages.pictures import list_ticks
from lifecycle.simulation.reports.tones import STATES, TONES, Tone

MOST_TICKS = 6
# Percent of the axis: what is later has no room for its word, on a phone.
LAST_TICK = 90
MOST_TOLD = 8
LEAST_MARGIN_MS = 1000


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one instant until another something was so. `word`: what is said of it. `height`: in percent."""

    start_ms: int
    end_ms: int
    tone: Tone
    word: str
    height: int = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """A stretch as it is drawn: where it begins and how wide it is, in percent of the axis."""

    left: float
    width: float
    stretch: Stretch

    @property
    def when(self) -> str:
        """`00:00:03.0 to 00:00:12.4`"""
        return f"{clock(self.stretch.start_ms)} to {clock(self.stretch.end_ms)}"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row. `page`: its address, where it has one. `told`: all of it in words."""

    name: str
    bars: Sequence[Bar]
    page: str = ""

    @property
    def told(self) -> str:
        """For who does not see it."""
        if not self.bars:
            return f"{self.name}: not there"
        told = [f"{bar.stretch.word} {bar.when}" for bar in self.bars[:MOST_TOLD]]
        more = len(self.bars) - MOST_TOLD
        return f"{self.name}: {', '.join(told)}{f', and {more} more' if more > 0 else ''}"


@dataclass(frozen=True, slots=True)
class Side:
    """The lanes of one run. `left_out`: how many are not drawn."""

    name: str
    lanes: Sequence[Lane]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Tick:
    """A round instant on the axis."""

    left: float
    word: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Sides on one axis."""

    begin_ms: int
    end_ms: int
    sides: Sequence[Side]

    @property
    def step_ms(self) -> int:
        """By so much the cursor goes."""
        return max(1, (self.end_ms - self.begin_ms) // 500)

    @property
    def begin(self) -> str:
        """The instant at the left."""
        return clock(self.begin_ms)

    @property
    def ticks(self) -> list[Tick]:
        """A few of them."""
        instants = list_ticks(self, MOST_TICKS)
        ticks = (Tick(place(self, one), duration(one) if one else "0") for one in instants)
        return [tick for tick in ticks if tick.left <= LAST_TICK]

    @property
    def tones(self) -> list[Tone]:
        """Those that are drawn, in the order of the palette."""
        drawn = {bar.stretch.tone for side in self.sides for lane in side.lanes for bar in lane.bars}
        return [tone for tone in STATES if tone in drawn]


def place(picture: Picture, at_ms: int) -> float:
    """Where an instant is, in percent of the axis."""
    share = (at_ms - picture.begin_ms) / max(1, picture.end_ms - picture.begin_ms)
    return round(100 * min(max(share, 0), 1), 2)


def make_lane(picture: Picture, name: str, stretches: Iterable[Stretch], page: str = "") -> Lane:
    """A row of a picture; what is outside of its axis is left out."""
    bars = []
    for one in stretches:
        if one.end_ms >= picture.begin_ms and one.start_ms <= picture.end_ms:
            left = place(picture, one.start_ms)
            bars.append(Bar(left, round(place(picture, one.end_ms) - left, 2), one))
    return Lane(name, bars, page)


def make_stretch(start_ms: int, end_ms: int, state: str) -> Stretch:
    """A pod in a state."""
    tone = TONES.get(state, TONES["unknown"])
    return Stretch(start_ms, end_ms, tone, tone.label)


def zoom(instants: Iterable[int], least_ms: int, most_ms: int) -> tuple[int, int]:
    """The axis on which all of these are seen, with room beside them, within bounds.

    Bounds are no changes: an axis that ends long after the last change shows nothing.
    """
    within = [one for one in instants if least_ms < one < most_ms]
    first_ms, last_ms = min(within, default=least_ms), max(within, default=most_ms)
    margin_ms = max(LEAST_MARGIN_MS, (last_ms - first_ms) // 8)
    begin_ms = max(least_ms, first_ms - margin_ms)
    return begin_ms, max(min(most_ms, last_ms + margin_ms), begin_ms + 1)
