"""A story of the gallery as a small picture: run in the engine, a bar a pod in the colours of its states."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from dashboard.pages.home.gallery import find_plan
from dashboard.plots.spans import Span
from dashboard.plots.stories import FIELDS, PodStory, Stories
from lifecycle.engine import Changes
from lifecycle.engine.heart.trace import Transition, row_to_json
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.simulation import run

WIDTH, HEIGHT = 320, 88
MOST_BARS = 11
# Nothing that is worth a picture is too long for one.
LONGEST_MS = 6 * 60 * 60 * 1000


class _Watch:
    """Keeps what the first pods of a run went through."""

    def __init__(self) -> None:
        self.stories = Stories()

    def take(self, changes: Changes) -> None:
        for row in changes.rows:
            if isinstance(row, Transition) and row.field in FIELDS and row.subject.kind == POD_KIND.name:
                self.stories.feed(row_to_json(row))


@lru_cache(maxsize=64)
def draw(name: str) -> str | None:
    """A story's picture as SVG: pods in order of creation downwards, time to the right. None: no such one."""
    plan = find_plan(name)
    if plan is None:
        return None
    watch = _Watch()
    outcome, _ = run(plan, watch, LONGEST_MS)
    pods = sorted(watch.stories.by_uid.values(), key=lambda pod: (pod.created_ms, pod.name))
    return _picture(list(islice(pods, MOST_BARS)), max(1, outcome.at_ms))


def _picture(pods: list[PodStory], end_ms: int) -> str:
    step = HEIGHT / max(len(pods), 5)
    bars = (
        _bar(span, round(row * step + 1, 1), round(step - 2, 1), end_ms)
        for row, pod in enumerate(pods)
        for span in _shown(pod.spans, end_ms)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none">'
        f"{''.join(bars)}</svg>"
    )


def _shown(spans: Iterable[Span], end_ms: int) -> Iterable[Span]:
    """Those that are as wide as half a pixel at least."""
    return (span for span in spans if (span.end_ms or end_ms) - span.start_ms > end_ms / WIDTH / 2)


def _bar(span: Span, top: float, height: float, end_ms: int) -> str:
    left = span.start_ms * WIDTH / end_ms
    width = ((end_ms if span.end_ms is None else span.end_ms) - span.start_ms) * WIDTH / end_ms
    return (
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{height}" rx="1.5"'
        f' fill="{span.tone.colour}"/>'
    )
