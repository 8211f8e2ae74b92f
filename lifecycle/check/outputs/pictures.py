"""A film as a picture: SVG for pages, letters for wherever no picture is shown. Pure."""

from __future__ import annotations

from lifecycle.check.film import Film, Lane, Span
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.lost_requests import tell_share
from lifecycle.simulation.pages.pictures import Bar, Note, Picture, Strip, draw_svg
from lifecycle.simulation.pages.texts import clean
from lifecycle.simulation.reports.tones import TONES

_LOST = "crashing"
"""Lost requests have its colour."""


def draw_film(film: Film, worst_ms: int, title: str) -> str:
    """A lane for each pod, one for each Service that lost requests, a line for all that was done."""
    strips = tuple(
        Strip(lane.name, tuple(_make_bar(one) for one in lane.spans)) for lane in (*film.services, *film.pods)
    )
    notes = (*(Note(one.at_ms, one.text) for one in film.marks), Note(worst_ms, "worst", is_worst=True))
    return draw_svg(Picture(film.begin_ms, film.end_ms, strips, notes=notes), title)


def _make_bar(span: Span) -> Bar:
    tone = TONES.get(_LOST if span.state == "lost" else span.state, TONES["unknown"])
    return Bar(span.start_ms, span.end_ms, tone, _tell_span(span))


def _tell_span(span: Span) -> str:
    until = f" to {tell_instant(span.end_ms)}" if span.end_ms > span.start_ms else ""
    if span.state == "lost":
        what = f"{tell_share(span.lost)} requests lost" if span.lost else "requests lost at once"
    else:
        what = TONES[span.state].label if span.state in TONES else span.state
    return f"{what}, {tell_instant(span.start_ms)}{until}"


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
