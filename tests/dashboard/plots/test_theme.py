"""The palette holds what it promises: seen on both backgrounds, told apart by colour-blind people."""

from __future__ import annotations

from itertools import combinations
from urllib.parse import quote

import pytest

from dashboard.plots.glyphs import shape_of
from dashboard.plots.phases import VALUES
from dashboard.plots.theme import css_rule, duration, escape, marker, round_step
from lifecycle.engine.objects.shown import STATE_WORDS
from lifecycle.simulation.reports.tones import STATES, TONES

BACKGROUNDS = {"light": "#ffffff", "dark": "#141b26"}
# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
}


def linear(colour):
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]


def luminance(colour):
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def oklab(rgb):
    red, green, blue = (max(value, 0) for value in rgb)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
    )


def seen(colour, vision):
    rgb = linear(colour)
    return oklab(
        [sum(weight * value for weight, value in zip(row, rgb, strict=True)) for row in VISION[vision]]
    )


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("tone", STATES, ids=lambda tone: tone.name)
def test_every_state_stands_out_from_both_backgrounds(tone, background):
    high, low = sorted((luminance(tone.colour), luminance(BACKGROUNDS[background])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 3


@pytest.mark.parametrize("vision", VISION)
def test_states_without_a_pattern_are_told_apart_by_colour(vision):
    plain = [tone for tone in STATES if not tone.pattern]
    for one, other in combinations(plain, 2):
        distance = sum(
            (a - b) ** 2 for a, b in zip(seen(one.colour, vision), seen(other.colour, vision), strict=True)
        )
        assert distance**0.5 >= 0.06, (vision, one.name, other.name)


def test_states_with_a_pattern_have_one_of_their_own():
    patterns = [tone.pattern for tone in STATES if tone.pattern]
    assert len(patterns) == len(set(patterns))


def test_without_colour_a_state_is_told_by_its_pattern_and_by_the_shape_of_its_dot():
    told = [tone for tone in STATES if tone.name != "ready"]
    assert all(tone.pattern for tone in told)
    shapes = {shape_of(tone.name) for tone in told}
    assert len(shapes) == len(told) and "" not in shapes
    assert not TONES["ready"].pattern and not shape_of("ready")


@pytest.mark.parametrize("tone", [*STATES, *VALUES], ids=lambda tone: tone.name)
def test_legends_show_the_patterns_that_bars_have(tone):
    assert ("pattern" in marker(tone)) == ("--pattern" in css_rule(tone)) == bool(tone.pattern)
    drawn = marker(tone).get("pattern", {}).get("path")
    assert drawn is None or quote(drawn) in css_rule(tone)


@pytest.mark.parametrize("top, step", [(1, 1), (6, 1), (7, 2), (31, 10), (1875, 500), (10_000, 2000)])
def test_an_axis_has_round_steps(top, step):
    assert round_step(top) == step


@pytest.mark.parametrize(
    "milliseconds, text",
    [
        (0, "0ms"),
        (40, "40ms"),
        (12_300, "12.3s"),
        (187_000, "3m 07s"),
        (3_720_000, "1h 02m"),
        (90_000_000, "1d 01h"),
    ],
)
def test_durations_read_as_a_person_would_say_them(milliseconds, text):
    assert duration(milliseconds) == text


def test_escaping_leaves_no_markup():
    assert escape("<b>&amp;") == "&lt;b&gt;&amp;amp;"


def test_a_legend_has_the_words_of_a_verdict() -> None:
    """A page's filter takes its words from the legend."""
    assert {one.name: one.label for one in STATES} == STATE_WORDS
