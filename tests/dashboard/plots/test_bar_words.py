"""Words on bars, and what tells states apart beside their colour."""

from __future__ import annotations

import pytest

from dashboard.plots.phases import VALUES
from dashboard.plots.stories import Stories
from dashboard.plots.theme import css_rule, ink
from dashboard.plots.timeline import make_timeline
from lifecycle.simulation.reports.tones import STATES, TONES, Tone
from tests.dashboard.rows import pod_life, transition


def test_a_bar_says_the_status_of_its_time_and_of_a_ready_pod_that() -> None:
    stories = Stories()
    rows = pod_life()
    rows += [
        transition(9000, "status", "CrashLoopBackOff"),
        transition(9000, "state", "crashing", old="ready", reason="CrashLoopBackOff"),
        transition(20_000, "status", "Running"),
        transition(20_000, "state", "ready", old="crashing"),
    ]
    for row in rows:
        stories.feed(row)
    figure = make_timeline(stories, 30_000)
    words = {trace["name"]: trace["words"] for trace in figure["data"] if trace.get("words")}
    assert words == {
        "pending": ["Pending"],
        "starting": ["ContainerCreating"],
        "ready": ["Ready", "Ready"],
        "notReady": ["Running"],
        "crashing": ["CrashLoopBackOff"],
    }


def test_words_are_told_as_they_are_and_written_as_text() -> None:
    stories = Stories()
    stories.feed(transition(0, "exists", "created"))
    stories.feed(transition(0, "status", "<b>x"))
    stories.feed(transition(0, "state", "stuck"))
    figure = make_timeline(stories, 30_000)
    assert [trace["words"] for trace in figure["data"] if trace.get("words")] == [["<b>x"]]


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("tone", [*STATES, *VALUES], ids=lambda tone: tone.name)
def test_words_can_be_read_on_their_bars(tone: Tone) -> None:
    first, second = sorted((luminance(ink(tone)), luminance(tone.colour)))
    # Stripes of a pattern are lighter than the bar: dark words stand out of them even more.
    assert (second + 0.05) / (first + 0.05) >= (4.0 if tone.pattern else 4.5)


def test_chips_and_dots_have_the_patterns_of_bars() -> None:
    patterned = {tone.name for tone in STATES if tone.pattern}
    assert {tone.name for tone in STATES if "--pattern" in css_rule(tone)} == patterned
    assert {"crashing", "stuck", "failed", "terminating"} <= patterned
    assert css_rule(TONES["ready"]) == ".tone-ready { --tone: #0f9d77; }"
