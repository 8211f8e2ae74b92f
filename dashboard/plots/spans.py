"""Bars on lanes: what a timeline is made of, whatever its lanes mean.

A span is drawn from its start to its end; one without an end grows with the virtual clock, and the browser
knows which by `customdata`: the end of each bar, null while it is open.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dashboard.plots.theme import clock, duration, escape, ink, layout, marker, time_axis, without_uids
from lifecycle.simulation.reports.tones import Tone

# Beyond so many characters a hover label stops helping.
LINE_WIDTH, LINES = 64, 6
# Rows get thinner as they become many: (up to so many rows, height in pixels).
HOUR_MS = 3_600_000
ROW_HEIGHTS = ((40, 26), (120, 18), (10_000, 12))


@dataclass(slots=True)
class Span:
    """One value of one lane from `start_ms` until `end_ms`, or until now."""

    lane: str
    tone: Tone
    start_ms: int
    end_ms: int | None
    title: str
    notes: Sequence[str] = ()
    # The row that began it; None where none did.
    seq: int | None = None
    # What stands on its bar where there is room, with how long it lasted.
    word: str = ""
    # Where in its lane it begins, from the middle of the first row down, and how high it is, in rows.
    place: tuple[float, float] = (-0.31, 0.62)
    # Its hover text with what may change about it; kept here, so that it goes when the span goes.
    _told: tuple[int | None, Sequence[str], str] | None = None

    def hover(self) -> str:
        """What the browser shows beside the bar. Figures are made often, and most bars stay as they are."""
        told = self._told
        if told is None or told[0] != self.end_ms or told[1] != self.notes:
            text = hover(self.title, when(self.start_ms, self.end_ms), *self.notes)
            told = self._told = (self.end_ms, self.notes, text)
        return told[2]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened on a lane at one instant."""

    lane: str
    symbol: str
    colour: str
    at_ms: int
    title: str
    notes: Sequence[str] = ()
    # A row, or what else the page can ask about: `change/12`.
    seq: int | str | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the figure; the browser writes its label as HTML beside the plot."""

    key: str
    label: str
    title: str = ""
    path: str = ""
    note: str = ""
    # How often the containers of a pod were restarted.
    restarts: int = 0
    tone: str = ""
    header: bool = False
    # How its line is drawn, where it is the key to one: thick, solid, dash or dot.
    line: str = ""
    # How many rows high it is.
    slots: int = 1

    def to_json(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value and (name, value) != ("slots", 1)}

    def categories(self) -> list[str]:
        """The categories of its rows; bars name the first."""
        return [self.key, *(f"{self.key}#{number}" for number in range(1, self.slots))]


def line_key(name: str, tone: str, width: float, dash: str) -> Lane:
    """The key to a line of that look."""
    return Lane(key=name, label=name, tone=tone, line="thick" if width >= 3 else dash)


def hover(title: str, *notes: str) -> str:
    """A bold first line, then wrapped plain ones; everything escaped."""
    if len(title) > LINE_WIDTH:
        title = textwrap.shorten(title, LINE_WIDTH, placeholder="…")
    lines = [f"<b>{escape(title)}</b>"]
    for note in notes:
        lines += [escape(line) for line in _wrap(note)]
    return "<br>".join(lines)


def _wrap(note: str) -> Sequence[str]:
    """Most notes fit a line."""
    words = " ".join(without_uids(note).split())
    return _wrap_long(words) if len(words) > LINE_WIDTH else (words,) * bool(words)


@lru_cache(maxsize=1024)
def _wrap_long(words: str) -> tuple[str, ...]:
    """The long ones are slow to wrap, and mostly one of a few."""
    return tuple(textwrap.wrap(words, LINE_WIDTH)[:LINES])


def when(start_ms: int, end_ms: int | None) -> str:
    """`+12s → +45s · 33s`, or `since +12s`; from an hour on `+01:12:45.0`, so that no second is lost."""
    if end_ms is None:
        return f"since +{_instant_words(start_ms)}"
    if end_ms == start_ms:
        return f"at +{_instant_words(start_ms)}"
    return f"+{_instant_words(start_ms)} → +{_instant_words(end_ms)} · {duration(end_ms - start_ms)}"


def _instant_words(at_ms: int) -> str:
    return duration(at_ms) if at_ms < HOUR_MS else clock(at_ms)


def _bars(tone: Tone, spans: list[Span], now_ms: int) -> dict[str, Any]:
    ends = [span.end_ms for span in spans]
    return {
        "type": "bar",
        "orientation": "h",
        "name": tone.name,
        "y": [span.lane for span in spans],
        "base": [span.start_ms for span in spans],
        "x": [
            max(0, (now_ms if end is None else end) - span.start_ms)
            for span, end in zip(spans, ends, strict=True)
        ],
        "customdata": ends,
        # Not Plotly's: what the page asks for when a bar or a mark is clicked.
        "seqs": [span.seq for span in spans],
        # Nor these: what it writes on bars that are wide enough, and in which colour.
        "words": [span.word for span in spans],
        "ink": ink(tone),
        "hovertext": [span.hover() for span in spans],
        "offset": [span.place[0] for span in spans],
        "width": [span.place[1] for span in spans],
        "marker": marker(tone),
        "meta": {"grows": "bars"},
    }


def _marks(name: str, marks: Sequence[Mark], size: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [mark.at_ms for mark in marks],
        "y": [mark.lane for mark in marks],
        "seqs": [mark.seq for mark in marks],
        "hovertext": [hover(mark.title, when(mark.at_ms, mark.at_ms), *mark.notes) for mark in marks],
        "cliponaxis": False,
        "marker": {
            "size": size,
            "symbol": [mark.symbol for mark in marks],
            "color": [mark.colour for mark in marks],
            "line": {"width": 1, "color": "rgba(255,255,255,0.85)"},
        },
    }


def _instant(span: Span) -> Mark:
    """A value that held for no time at all is still true: a thin diamond, as a bar would not show."""
    return Mark(span.lane, "diamond-tall", span.tone.colour, span.start_ms, span.title, span.notes, span.seq)


def row_height(rows: int) -> int:
    """Pixels of one row when there are so many."""
    return next((height for limit, height in ROW_HEIGHTS if rows <= limit), ROW_HEIGHTS[-1][1])


def make_lanes(
    lanes: Sequence[Lane],
    tones: Sequence[Tone],
    spans: Iterable[Span],
    marks: Sequence[Mark],
    now_ms: int,
    window_ms: int | None = None,
) -> dict[str, Any]:
    """The whole figure: one bar trace a tone, always all of them, so that patches can name them by number."""
    long: dict[str, list[Span]] = {tone.name: [] for tone in tones}
    instants: list[Mark] = []
    for span in spans:
        if span.start_ms == span.end_ms:
            instants.append(_instant(span))
        else:
            long[span.tone.name].append(span)
    data = [_bars(tone, long[tone.name], now_ms) for tone in tones]
    data += [_marks("instants", instants, 9), _marks("events", marks, 10)]
    start_ms = 0 if window_ms is None else max(0, now_ms - window_ms)
    return {"data": data, "layout": _lanes_layout(lanes, start_ms, now_ms)}


def _lanes_layout(lanes: Sequence[Lane], start_ms: int, now_ms: int) -> dict[str, Any]:
    keys = [key for lane in lanes for key in lane.categories()]
    height = row_height(len(keys))
    frame = layout(barmode="overlay", bargap=0)
    margin = frame["margin"]
    xaxis = {**time_axis(), "range": [start_ms, max(now_ms, start_ms + 1000)]}
    yaxis = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": keys,
        "range": [len(keys) - 0.5, -0.5],
        "autorange": False,
        "fixedrange": True,
        "showticklabels": False,
        "ticks": "",
        "showgrid": False,
        "zeroline": False,
    }
    meta = {"rows": [lane.to_json() for lane in lanes], "rowHeight": height}
    return {
        **frame,
        "height": height * len(keys) + margin["t"] + margin["b"],
        "xaxis": xaxis,
        "yaxis": yaxis,
        "meta": meta,
    }
