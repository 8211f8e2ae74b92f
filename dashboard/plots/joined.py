"""Bars of a pod that changes more often than can be seen: what is drawn of it are stretches of time.

Only where there would be too many bars: the stretches are as short as their number allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from dashboard.plots.density import ORDER
from dashboard.plots.spans import Span

MOST_BARS = 6000
"""So many bars all rows of a picture may have together."""
FEWEST_BARS = 20
SHORTEST_MS = 250
STRETCHES_A_STEP = 4
_GRAVITY = {name: place for place, name in enumerate(ORDER)}


def find_stretch(span_ms: int, rows: int) -> int:
    """Milliseconds of a stretch, 250 doubled some times: stretches stay as they are while time moves."""
    most, stretch_ms = max(FEWEST_BARS, MOST_BARS // max(1, rows)), SHORTEST_MS
    while span_ms // stretch_ms > most:
        stretch_ms *= 2
    return stretch_ms


@dataclass(slots=True)
class Joined:
    """What the first `count` bars of a pod became, which do not change any more."""

    stretch_ms: int = 0
    count: int = 0
    bars: list[Span] = field(default_factory=list)


def join(
    spans: Sequence[Span], stretch_ms: int, name: str, now_ms: int, kept: Joined | None = None
) -> list[Span]:
    """The bars, but of those of a while ago short ones that begin within a stretch as one: in the gravest
    state there was.

    `kept` is what it was of the same bars, fewer of them: figures are made often, and their past stays.
    """
    if len(spans) <= FEWEST_BARS:
        return [*spans]
    kept = kept or Joined()
    if kept.stretch_ms != stretch_ms or kept.count > len(spans):
        kept.stretch_ms, kept.count, kept.bars = stretch_ms, 0, []
    # A figure that has fewer bars than before is sent whole: seldom, and mostly for all pods at once.
    # The last bar may yet be taken back, and then the one before it goes on.
    step_ms = stretch_ms * STRETCHES_A_STEP
    until_ms = min(now_ms // step_ms - 1, spans[-2].start_ms // step_ms) * step_ms
    later = range(kept.count, len(spans))
    ended = next((at for at in later if spans[at].start_ms >= until_ms), len(spans))
    kept.bars += _join_all(spans[kept.count : ended], stretch_ms, name)
    kept.count = ended
    return [*kept.bars, *spans[kept.count :]]


def _join_all(spans: Sequence[Span], stretch_ms: int, name: str) -> Iterator[Span]:
    for _place, found in groupby(spans, key=lambda span: _find_place(span, stretch_ms)):
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
