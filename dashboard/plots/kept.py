"""A figure as a picture that needs nothing to be looked at: its lanes and lines, of one stretch of time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from typing import Any

from dashboard.plots.phases import VALUES
from dashboard.plots.requests import REQUEST_TONES
from lifecycle.simulation.pages.pictures import Bar, Course, Note, Picture, Strip
from lifecycle.simulation.reports.tones import STATES, Tone

Figure = dict[str, Any]
Points = tuple[tuple[int, float | None], ...]
TONES = {one.name: one for one in (*STATES, *REQUEST_TONES, *VALUES)}
ZONE = "forbidden"
_TAGS = re.compile(r"</?b>")


def make_picture(figure: Figure, stretch: tuple[int, int] | None = None) -> Picture:
    """The figure's own stretch of time, or the one that is asked for."""
    layout = figure["layout"]
    begin_ms, end_ms = stretch or tuple(map(int, layout["xaxis"]["range"]))
    notes = tuple(
        Note(one["at"], one["label"])
        for one in layout["meta"].get("flags", ())
        if begin_ms <= one["at"] <= end_ms
    )
    if "categoryarray" in layout["yaxis"]:
        strips = _list_strips(figure)
        return Picture(begin_ms, end_ms, strips, notes=notes)
    courses = tuple(_cut(one, begin_ms, end_ms) for one in _list_courses(figure["data"]))
    top = max((value for one in courses for _, value in one.points if value is not None), default=1)
    return Picture(begin_ms, end_ms, courses=courses, notes=notes, top=max(top, 1))


# --- lanes ------------------------------------------------------------------------------------------------


def _list_strips(figure: Figure) -> tuple[Strip, ...]:
    by_lane: dict[str, list[Bar]] = {}
    for trace in figure["data"]:
        bars = _list_bars(trace) if trace["type"] == "bar" else _list_marks(trace)
        for lane, bar in bars:
            by_lane.setdefault(lane, []).append(bar)
    return tuple(
        Strip(row.get("title") or row["label"], tuple(by_lane.get(row["key"], ())), row.get("header", False))
        for row in figure["layout"]["meta"]["rows"]
    )


def _list_bars(trace: Figure) -> Iterator[tuple[str, Bar]]:
    name = trace["name"]
    tone = TONES.get(name) or Tone(name, name, trace["marker"]["color"], "")
    rows = zip(trace["y"], trace["base"], trace["x"], trace["hovertext"], strict=True)
    for lane, start_ms, length_ms, words in rows:
        yield lane, Bar(start_ms, start_ms + length_ms, tone, _plain(words))


def _list_marks(trace: Figure) -> Iterator[tuple[str, Bar]]:
    """What happened at one instant is as thin as a bar can be; it has its own colour, and no name."""
    if trace.get("mode") != "markers":
        return
    rows = zip(trace["y"], trace["x"], trace["hovertext"], trace["marker"]["color"], strict=True)
    for lane, at_ms, words, colour in rows:
        yield lane, Bar(at_ms, at_ms, Tone(f"instant-{colour}", "", colour, ""), _plain(words))


def _plain(words: str) -> str:
    """What the browser shows beside a bar, as text."""
    return unescape(_TAGS.sub("", words.replace("<br>", "\n")))


# --- lines ------------------------------------------------------------------------------------------------


def _list_courses(data: Iterable[Figure]) -> Iterator[Course]:
    lines = [one for one in data if one.get("mode") == "lines" and one["name"] != ZONE and one["x"]]
    stacked = [one for one in lines if "stackgroup" in one]
    instants = sorted({at_ms for one in stacked for at_ms in one["x"]})
    below = [0.0] * len(instants)
    for one in stacked:
        above = [low + _value_at(one, at_ms) for low, at_ms in zip(below, instants, strict=True)]
        yield _make_course(
            one, tuple(zip(instants, above, strict=True)), tuple(zip(instants, below, strict=True))
        )
        below = above
    for one in lines:
        if one not in stacked:
            points = tuple(zip(one["x"], one["y"], strict=True))
            base = tuple((at_ms, 0) for at_ms in one["x"]) if one.get("fill") else None
            yield _make_course(one, points, base)


def _make_course(trace: Figure, points: Points, base: Points | None) -> Course:
    line = trace["line"]
    return Course(unescape(trace["name"]), line["color"], points, line["width"], line.get("dash", ""), base)


def _value_at(trace: Figure, at_ms: int) -> float:
    """What holds then; nothing before the first point, and after the last."""
    index = bisect_right(trace["x"], at_ms)
    is_over = index == len(trace["x"]) and at_ms > trace["x"][-1]
    return trace["y"][index - 1] or 0 if index and not is_over else 0


def _cut(course: Course, begin_ms: int, end_ms: int) -> Course:
    """Of one stretch of time: what held at its beginning begins it."""
    base = None if course.base is None else _cut_points(course.base, begin_ms, end_ms)
    return course._replace(points=_cut_points(course.points, begin_ms, end_ms), base=base)


def _cut_points(points: Sequence[tuple[int, float | None]], begin_ms: int, end_ms: int) -> Points:
    before = [value for at_ms, value in points if at_ms <= begin_ms][-1:]
    inside = [one for one in points if begin_ms < one[0] <= end_ms]
    last = [value for _, value in [*((begin_ms, one) for one in before), *inside]][-1:]
    # What goes on after the end is drawn up to there.
    goes_on = last if points and points[-1][0] > end_ms else []
    return (*((begin_ms, one) for one in before), *inside, *((end_ms, one) for one in goes_on))
