"""Lanes and lines over virtual time as SVG: no script, and a pattern beside each colour. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.pages.texts import say
from lifecycle.simulation.reports.tones import STATES, Tone

WIDTH = 720
SIDE, AXIS = 8, 20
_LANE, _BAR, _LABEL = 28, 11, 11
_ROW_OF_MARKS, _ROWS_OF_MARKS = 15, 3
_LETTER = 7
_PLOT = 150
"""How high lines are drawn."""
_STEPS_MS = tuple(
    seconds * 1000 for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 43_200)
)
_MOST_TICKS = 8
_DASHES = {"dash": "6 4", "dot": "2 3"}
# Lines and shapes on tiles of 8 by 8: a state is told without its colour too.
_TILES = {
    "|": "M2,0V8M6,0V8",
    "-": "M0,2H8M0,6H8",
    "/": "M-2,2L2,-2M0,8L8,0M6,10L10,6",
    "\\": "M-2,6L2,10M0,0L8,8M6,-2L10,2",
    "x": "M0,0L8,8M8,0L0,8",
    ".": "M2,2h1M6,6h1",
    ">": "M2,0L6,4L2,8",
    "o": "M4,2A2,2 0 1 1 3.99,2Z",
    "^": "M0,6L4,2L8,6",
}
_STROKE = 'fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="1.2"'


class Bar(NamedTuple):
    """Something was so from one instant until another. `words`: what is said of it."""

    start_ms: int
    end_ms: int
    tone: Tone
    words: str


class Strip(NamedTuple):
    """A lane of bars; a `head` has none, and stands above those that belong to it."""

    name: str
    bars: tuple[Bar, ...] = ()
    is_head: bool = False


class Course(NamedTuple):
    """A number that holds until it changes; None: not known. `is_area`: filled, down to `base`."""

    name: str
    colour: str
    points: tuple[tuple[int, float | None], ...]
    width: float = 2
    dash: str = ""
    base: tuple[tuple[int, float | None], ...] | None = None


class Note(NamedTuple):
    """Something was done, or seen, at an instant. `is_worst`: what the picture is about."""

    at_ms: int
    text: str
    is_worst: bool = False


class Picture(NamedTuple):
    """What is drawn between two instants: lanes, or lines up to the number `top`."""

    begin_ms: int
    end_ms: int
    strips: tuple[Strip, ...] = ()
    courses: tuple[Course, ...] = ()
    notes: tuple[Note, ...] = ()
    top: float = 1


class Stretch(Protocol):
    """A stretch of virtual time."""

    @property
    def begin_ms(self) -> int:
        """Its first instant."""

    @property
    def end_ms(self) -> int:
        """Its last instant."""


def make_patterns(tones: Iterable[Tone] = STATES) -> str:
    """What pictures of a page share: it stands once in the page."""
    return "".join(
        f'<pattern id="on-{one.name}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path d="{_TILES[one.pattern]}" {_STROKE}/></pattern>'
        for one in tones
        if one.pattern in _TILES
    )


def list_tones(pictures: Iterable[Picture]) -> list[Tone]:
    """Those that are drawn, in the order in which they are first met; of states, in that of the palette."""
    drawn = {bar.tone.name: bar.tone for one in pictures for strip in one.strips for bar in strip.bars}
    known = [one for one in STATES if drawn.get(one.name) == one]
    return known + [one for one in drawn.values() if one not in known]


def draw_svg(picture: Picture, title: str) -> str:
    """The picture as a part of a page."""
    top, height = measure(picture)
    parts = [
        f'<svg class="film" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{say(title)}">',
        *draw_inside(picture, top, height),
    ]
    return "".join([*parts, "</svg>"])


def measure(picture: Picture) -> tuple[int, int]:
    """Below which lanes and lines begin, and how high all of it is."""
    top = _ROW_OF_MARKS * _ROWS_OF_MARKS + 4
    return top, top + _LANE * len(picture.strips) + (_PLOT if picture.courses else 0) + AXIS


def draw_inside(picture: Picture, top: int, height: int) -> Iterator[str]:
    """All but the frame."""
    yield from _draw_ticks(picture, top, height)
    for number, one in enumerate(picture.strips):
        yield from _draw_strip(picture, one, top + _LANE * number)
    yield from _draw_courses(picture, top + _LANE * len(picture.strips))
    yield from _draw_notes(picture, height - AXIS)


def draw_box(tone: Tone, box: str) -> str:
    """A rectangle in the colour of a tone, with its pattern on it."""
    pattern = f'<rect {box} fill="url(#on-{tone.name})"/>' if tone.pattern in _TILES else ""
    return f'<rect {box} fill="{tone.colour}"/>{pattern}'


def _place(shown: Stretch, at_ms: int) -> float:
    """Where an instant is drawn."""
    share = (at_ms - shown.begin_ms) / max(shown.end_ms - shown.begin_ms, 1)
    return round(SIDE + (WIDTH - 2 * SIDE) * min(max(share, 0), 1), 1)


def list_ticks(shown: Stretch, most: int = _MOST_TICKS) -> list[int]:
    """Round instants, a few of them."""
    span_ms = shown.end_ms - shown.begin_ms
    days = -(-span_ms // (86_400_000 * most))
    step_ms = next((one for one in _STEPS_MS if span_ms <= one * most), 86_400_000 * max(days, 1))
    first_ms = -(-shown.begin_ms // step_ms) * step_ms
    return list(range(first_ms, shown.end_ms + 1, step_ms))


def _draw_ticks(picture: Picture, top: int, height: int) -> Iterator[str]:
    for at_ms in list_ticks(picture):
        x = _place(picture, at_ms)
        anchor = "start" if x < 40 else "end" if x > WIDTH - 40 else "middle"
        yield f'<path class="tick" d="M{x},{top}V{height - AXIS}"/>'
        yield f'<text x="{x}" y="{height - 5}" text-anchor="{anchor}">{tell_instant(at_ms)}</text>'


def _draw_strip(picture: Picture, strip: Strip, top: int) -> Iterator[str]:
    weight = ' font-weight="600"' if strip.is_head else ""
    yield f'<text x="{SIDE}" y="{top + _LABEL}"{weight}>{say(strip.name)}</text>'
    for one in strip.bars:
        if one.end_ms < picture.begin_ms or one.start_ms > picture.end_ms:
            continue
        left, right = _place(picture, one.start_ms), _place(picture, one.end_ms)
        box = f'x="{left}" y="{top + 14}" width="{max(round(right - left, 1), 1.5)}" height="{_BAR}" rx="2"'
        yield f"<g><title>{say(one.words)}</title>{draw_box(one.tone, box)}</g>"


def _draw_courses(picture: Picture, top: int) -> Iterator[str]:
    if not picture.courses:
        return
    for one in picture.courses:
        for stretch in _split(one.points):
            line = _draw_steps(picture, stretch, top)
            if one.base is not None:
                back = _draw_steps(picture, list(one.base), top).split(" ")
                outline = " ".join([line, *reversed(back)])
                yield f'<polygon points="{outline}" fill="{say(one.colour)}" fill-opacity=".45"/>'
            dash = f' stroke-dasharray="{_DASHES[one.dash]}"' if one.dash in _DASHES else ""
            look = f'fill="none" stroke="{say(one.colour)}" stroke-width="{one.width}"{dash}'
            yield f'<polyline points="{line}" {look}><title>{say(one.name)}</title></polyline>'
    for number in sorted({0, int(picture.top)}):
        y = _height_of(picture, number, top)
        yield f'<text x="{SIDE}" y="{y - 3}">{number}</text>'


def _split(
    points: Sequence[tuple[int, float | None]],
) -> Iterator[list[tuple[int, float | None]]]:
    """The stretches of time in which the number is known."""
    held: list[tuple[int, float | None]] = []
    for at_ms, value in points:
        if value is not None:
            held.append((at_ms, value))
        elif held:
            yield [*held, (at_ms, held[-1][1])]
            held = []
    if held:
        yield held


def _draw_steps(picture: Picture, points: Sequence[tuple[int, float | None]], top: int) -> str:
    """Level until the next point, then there."""
    told: list[str] = []
    before: float | None = None
    for at_ms, value in points:
        x, y = _place(picture, at_ms), _height_of(picture, value or 0, top)
        told += ([f"{x},{before}"] if before is not None else []) + [f"{x},{y}"]
        before = y
    return " ".join(told)


def _height_of(picture: Picture, value: float, top: int) -> float:
    return round(top + (_PLOT - 2) * (1 - value / (picture.top or 1) * 0.92), 1)


def _draw_notes(picture: Picture, bottom: int) -> Iterator[str]:
    """A line each, and as many words as have room in the rows above."""
    free = [0.0] * _ROWS_OF_MARKS
    for one in sorted(picture.notes):
        x, kind = _place(picture, one.at_ms), "worst" if one.is_worst else "mark"
        yield f'<path class="{kind}" d="M{x},2V{bottom}"/>'
        width = _LETTER * len(one.text)
        left = min(x + 3, WIDTH - width)
        row = next((number for number, end in enumerate(free) if end <= left), None)
        if row is not None:
            free[row] = left + width + _LETTER
            y = 11 + _ROW_OF_MARKS * row
            yield f'<text class="{kind}" x="{left}" y="{y}">{say(one.text)}</text>'
