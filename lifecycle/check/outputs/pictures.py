"""A film as a picture: SVG for pages, letters for wherever no picture is shown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from lifecycle.check.film import Film, Lane, Mark, Span
from lifecycle.check.outputs.telling import clean
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.lost_requests import tell_share
from lifecycle.simulation.reports.tones import STATES, TONES

WIDTH = 720
_SIDE, _LANE, _BAR, _LABEL = 8, 28, 11, 11
_ROW_OF_MARKS, _ROWS_OF_MARKS, _AXIS = 15, 3, 20
_LETTER = 7
_LOST = "crashing"
"""Lost requests have its colour."""
_STEPS_MS = tuple(
    seconds * 1000 for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 43_200)
)
_MOST_TICKS = 8
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
PATTERNS = "".join(
    f'<pattern id="on-{one.name}" width="8" height="8" patternUnits="userSpaceOnUse">'
    f'<path d="{_TILES[one.pattern]}" {_STROKE}/></pattern>'
    for one in STATES
    if one.pattern
)
"""What pictures of a page share: it stands once in the page."""


def draw_svg(film: Film, worst_ms: int, title: str) -> str:
    """A lane for each pod, one for each Service that lost requests, a line for all that was done."""
    marks = [*film.marks, Mark(worst_ms, "worst")]
    lanes = [*film.services, *film.pods]
    top = _ROW_OF_MARKS * _ROWS_OF_MARKS + 4
    height = top + _LANE * len(lanes) + _AXIS
    parts = [
        f'<svg class="film" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{_say(title)}">',
        *_draw_ticks(film, top, height),
        *(part for number, one in enumerate(lanes) for part in _draw_lane(film, one, top + _LANE * number)),
        *_draw_marks(film, marks, height - _AXIS),
    ]
    return "".join([*parts, "</svg>"])


def _say(text: str) -> str:
    return escape(clean(text), quote=True)


def _place(film: Film, at_ms: int) -> float:
    """Where an instant is drawn."""
    share = (at_ms - film.begin_ms) / (film.end_ms - film.begin_ms)
    return round(_SIDE + (WIDTH - 2 * _SIDE) * min(max(share, 0), 1), 1)


def list_ticks(film: Film) -> list[int]:
    """Round instants, a few of them."""
    span_ms = film.end_ms - film.begin_ms
    step_ms = next((one for one in _STEPS_MS if span_ms <= one * _MOST_TICKS), 86_400_000)
    first_ms = -(-film.begin_ms // step_ms) * step_ms
    return list(range(first_ms, film.end_ms + 1, step_ms))


def _draw_ticks(film: Film, top: int, height: int) -> Iterator[str]:
    for at_ms in list_ticks(film):
        x = _place(film, at_ms)
        anchor = "start" if x < 40 else "end" if x > WIDTH - 40 else "middle"
        yield f'<path class="tick" d="M{x},{top}V{height - _AXIS}"/>'
        yield f'<text x="{x}" y="{height - 5}" text-anchor="{anchor}">{tell_instant(at_ms)}</text>'


def _draw_lane(film: Film, lane: Lane, top: int) -> Iterator[str]:
    yield f'<text x="{_SIDE}" y="{top + _LABEL}">{_say(lane.name)}</text>'
    for span in lane.spans:
        left, right = _place(film, span.start_ms), _place(film, span.end_ms)
        tone = TONES.get(_LOST if span.state == "lost" else span.state, TONES["unknown"])
        box = f'x="{left}" y="{top + 14}" width="{max(round(right - left, 1), 1.5)}" height="{_BAR}" rx="2"'
        yield f'<g><title>{_say(_tell_span(span))}</title><rect {box} fill="{tone.colour}"/>'
        yield f'<rect {box} fill="url(#on-{tone.name})"/></g>' if tone.pattern else "</g>"


def _tell_span(span: Span) -> str:
    until = f" to {tell_instant(span.end_ms)}" if span.end_ms > span.start_ms else ""
    if span.state == "lost":
        what = f"{tell_share(span.lost)} requests lost" if span.lost else "requests lost at once"
    else:
        what = TONES[span.state].label if span.state in TONES else span.state
    return f"{what}, {tell_instant(span.start_ms)}{until}"


def _draw_marks(film: Film, marks: Sequence[Mark], bottom: int) -> Iterator[str]:
    """A line each, and as many words as have room in the rows above."""
    free = [0.0] * _ROWS_OF_MARKS
    for one in sorted(marks):
        x, kind = _place(film, one.at_ms), "worst" if one.text == "worst" else "mark"
        yield f'<path class="{kind}" d="M{x},2V{bottom}"/>'
        width = _LETTER * len(one.text)
        left = min(x + 3, WIDTH - width)
        row = next((number for number, end in enumerate(free) if end <= left), None)
        if row is not None:
            free[row] = left + width + _LETTER
            y = 11 + _ROW_OF_MARKS * row
            yield f'<text class="{kind}" x="{left}" y="{y}">{_say(one.text)}</text>'


# --- letters ------------------------------------------------------------------------------------------------

_LETTERS = {
    "pending": ".", "starting": "s", "ready": "=", "notReady": "n", "stuck": "!", "crashing": "x",
    "terminating": "t", "succeeded": "c", "failed": "f", "unknown": "?", "lost": "#",
}  # fmt: skip
LEGEND = (
    "= ready, s starting, n not ready, t terminating, . pending, ! stuck, x crashing, f failed, c succeeded,"
    " ? unknown, # requests lost, | something is done, ^ the worst"
)
_COLUMNS, _MOST_NAME = 72, 36


def draw_letters(film: Film, worst_ms: int, most_lanes: int = 30) -> list[str]:
    """A line for each lane, a letter for each share of the time: of several states the last that began."""
    lanes = [*film.services, *film.pods]
    widest = min(max((len(one.name) for one in lanes), default=0), _MOST_NAME)
    said = f"{tell_instant(film.begin_ms)} to {tell_instant(film.end_ms)}"
    lines = [f"{' ' * widest}  {said}"]
    lines += [f"{clean(one.name)[:widest]:<{widest}}  {_spell(film, one)}" for one in lanes[:most_lanes]]
    lines.append(f"{' ' * widest}  {_spell_marks(film, worst_ms)}".rstrip())
    left_out = max(len(lanes) - most_lanes, 0) + film.left_out
    return [*lines, tell_left_out(left_out)] if left_out else lines


def tell_left_out(pods: int) -> str:
    """How many pods are not drawn."""
    return f"{pods} pod{' more is' if pods == 1 else 's more are'} not drawn"


def _column(film: Film, at_ms: int) -> int:
    share = (at_ms - film.begin_ms) * _COLUMNS // (film.end_ms - film.begin_ms)
    return min(max(share, 0), _COLUMNS - 1)


def _spell(film: Film, lane: Lane) -> str:
    letters = [" "] * _COLUMNS
    for span in lane.spans:
        first = _column(film, span.start_ms)
        last = max(_column(film, span.end_ms - 1), first)
        letters[first : last + 1] = _LETTERS.get(span.state, "?") * (last + 1 - first)
    return "".join(letters).rstrip()


def _spell_marks(film: Film, worst_ms: int) -> str:
    letters = [" "] * _COLUMNS
    for one in film.marks:
        letters[_column(film, one.at_ms)] = "|"
    letters[_column(film, worst_ms)] = "^"
    return "".join(letters)
