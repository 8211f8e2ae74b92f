"""Pods that change more often than can be seen, and what of their figures is sent anew."""

from __future__ import annotations

import pytest

from dashboard.plots.joined import FEWEST_BARS, MOST_BARS, find_stretch, join
from dashboard.plots.patches import make_patch
from dashboard.plots.spans import Span
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from lifecycle.simulation.reports.tones import TONES
from tests.dashboard.rows import pod_life, transition

pytestmark = pytest.mark.slow


def flip(seconds: int, name: str = "web-1") -> list[dict]:
    """Ready and not ready by turns, each second."""
    states = ["ready", "notReady"]
    return [
        transition(10_000 + second * 1000, "state", states[second % 2], name, old=states[(second + 1) % 2])
        for second in range(seconds)
    ]


def spans_of(*bounds: tuple[str, int, int | None]) -> list[Span]:
    return [Span("shop/web-1", TONES[state], start, end, state) for state, start, end in bounds]


@pytest.mark.parametrize(
    "span_ms, rows, stretch_ms",
    [(60_000, 60, 1000), (900_000, 60, 16_000), (900_000, 1, 250), (900_000, 300, 64_000), (0, 0, 250)],
)
def test_stretches_are_as_short_as_their_number_allows(span_ms: int, rows: int, stretch_ms: int) -> None:
    assert find_stretch(span_ms, rows) == stretch_ms


def test_what_is_short_and_begins_within_a_stretch_is_one_bar_in_the_gravest_state() -> None:
    quiet = [("ready", at * 1000, (at + 1) * 1000) for at in range(20)]
    busy = [("ready", 20_000, 20_100), ("crashing", 20_100, 20_200), ("ready", 20_200, 20_900)]
    long = [("ready", 20_900, 40_000), ("ready", 40_000, 50_000), ("ready", 50_000, None)]
    spans = spans_of(*quiet, *busy, *long)
    joined = join(spans, 1000, "web-1", 44_000)
    assert [(span.tone.name, span.start_ms, span.end_ms) for span in joined] == [
        *quiet,
        ("crashing", 20_000, 20_900),
        *long,
    ]
    assert join(spans, 1000, "web-1", 27_999) == spans, "so lately each is told"
    assert joined[-4].title == "web-1 · Ready and Crashing by turns"
    assert joined[-4].notes == ("3 changes",)


def test_few_bars_stay_as_they_are() -> None:
    spans = spans_of(*[("ready", at, at + 1) for at in range(FEWEST_BARS)])
    assert join(spans, 10_000, "web-1", 90_000) == spans


def test_bars_are_bounded_however_often_pods_change() -> None:
    stories = Stories()
    names = [f"web-{number}" for number in range(40)]
    for name in names:
        for row in [*pod_life(name), *flip(3600, name)]:
            stories.feed(row)
    figure = make_timeline(stories, 3_610_000)
    count = sum(len(trace["y"]) for trace in figure["data"] if trace["type"] == "bar")
    assert len(names) * FEWEST_BARS < count <= 2 * MOST_BARS


def test_bars_that_are_kept_are_those_that_would_be_made() -> None:
    stories = Stories()
    for row in [*pod_life(), *flip(200), transition(209_000, "state", "ready", old="notReady")]:
        stories.feed(row)
        (story,) = stories.by_uid.values()
        kept = join(story.spans, 4000, "web-1", row["at_ms"], story.joined)
        if row["field"] == "state":
            assert kept == join(story.spans, 4000, "web-1", row["at_ms"])
    story.forget(100_500)
    assert join(story.spans, 4000, "web-1", 209_000, story.joined) == join(
        story.spans, 4000, "web-1", 209_000
    )


def test_a_figure_is_sent_whole_seldom() -> None:
    stories = Stories()
    for row in [*pod_life(), *flip(600)]:
        stories.feed(row)
    figures = [make_timeline(stories, at_ms, 60_000) for at_ms in (610_000,)]
    patches = []
    for second in range(64):
        at_ms = 610_000 + second * 1000
        stories.feed(transition(at_ms, "state", "crashing" if second % 2 else "ready"))
        figures.append(make_timeline(stories, at_ms, 60_000))
        patches.append(make_patch(*figures[-2:]))
    assert sum(patch is None for patch in patches) <= 64 // 4 + 1


def test_a_change_of_one_pod_sends_nothing_of_others() -> None:
    stories = Stories()
    for name in ("web-1", "web-2", "web-3"):
        for row in [*pod_life(name), *flip(10, name)]:
            stories.feed(row)
    before = make_timeline(stories, 20_000)
    stories.feed(transition(21_000, "state", "crashing", "web-1", old="notReady"))
    patch = make_patch(before, make_timeline(stories, 21_000))
    assert patch is not None
    points = {number: {*fields["points"].get("customdata", {})} for number, fields in patch["traces"].items()}
    # One bar ends, and one begins.
    assert sorted(len(indexes) for indexes in points.values()) == [1, 1]


def test_what_ended_before_the_window_is_forgotten() -> None:
    stories = Stories()
    for row in [*pod_life(), *flip(100)]:
        stories.feed(row)
    (story,) = stories.by_uid.values()
    story.forget(100_500)
    assert [span.start_ms for span in story.spans] == [at * 1000 for at in range(100, 110)]
    assert story.state == "notReady"
