"""Bars of a pod that changes more often than can be seen: what is drawn of it are stretches of time.

Only where there would be too many bars: the stretches are as short as their number allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from dashboard.plots.density import ORDER
from dashboard.plots.spans import Span

MOST_BARS = 6000
"""So many bars all rows of a picture may have together."""
FEWEST_BARS = 20
SHORTEST_MS = 250
_GRAVITY = {name: place for place, name in enumerate(ORDER)}


def find_stretch(span_ms: int, rows: int) -> int:
    """Milliseconds of a stretch, 250 doubled some times: stretches stay as they are while time moves."""
    most, stretch_ms = max(FEWEST_BARS, MOST_BARS // max(1, rows)), SHORTEST_MS
    while span_ms // stretch_ms > most:
        stretch_ms *= 2
    return stretch_ms


def join(spans: Sequence[Span], stretch_ms: int, name: str) -> Iterator[Span]:
    """The bars, but short ones that begin within a stretch as one: in the gravest state there was."""
    if len(spans) <= FEWEST_BARS:
        yield from spans
        return
    for _stretch, found in groupby(spans, key=lambda span: _find_place(span, stretch_ms)):
        together = list(found)
        yield from (together if len(together) < 3 else [_join(together, name)])


def _find_place(span: Span, stretch_ms: int) -> tuple[int, int]:
    """Long bars and growing ones are alone at theirs."""
    first = span.start_ms // stretch_ms
    is_short = span.end_ms is not None and span.end_ms - span.start_ms < stretch_ms
    return (first, -1) if is_short else (first, span.start_ms)


def _join(together: list[Span], name: str) -> Span:
    worst = min(together, key=lambda span: _GRAVITY.get(span.tone.name, len(_GRAVITY)))
    labels = list(dict.fromkeys(span.tone.label for span in together))
    first, last = together[0], together[-1]
    title = f"{name} · {' and '.join(labels)} by turns"
    notes = (f"{len(together)} changes",)
    return Span(first.lane, worst.tone, first.start_ms, last.end_ms, title, notes, seq=last.seq)
