"""Applying a patch to the old figure gives the new one: the promise the browser relies on."""

from __future__ import annotations

from copy import deepcopy

from dashboard.plots.patches import is_empty, make_patch
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from tests.dashboard.rows import pod_life, transition


def apply(figure, patch):
    """What static/js/charts/patches.js does; `x` of bars is left to the clock."""
    for number, change in patch["traces"].items():
        trace = figure["data"][int(number)]
        trace.update(change["whole"])
        for field, values in change["points"].items():
            for index, value in values.items():
                if int(index) == len(trace[field]):
                    trace[field].append(value)
                else:
                    trace[field][int(index)] = value
    figure["layout"].update(patch["layout"])
    return figure


def without_clock(figure):
    figure = deepcopy(figure)
    figure["layout"].pop("xaxis")
    for trace in figure["data"]:
        if trace["type"] == "bar":
            trace.pop("x")
    return figure


def test_every_patch_of_a_life_leads_to_the_figure_of_the_server():
    rows = [*pod_life("a"), *pod_life("b", 700), transition(9000, "deletion", "requested", "a")]
    rows.append(transition(12_000, "exists", "deleted", "a"))
    stories = Stories()
    drawn = make_timeline(stories, 0)
    for row in sorted(rows, key=lambda row: row["at_ms"]):
        stories.feed(row)
        figure = make_timeline(stories, row["at_ms"])
        patch = make_patch(drawn, figure)
        drawn = figure if patch is None else apply(deepcopy(drawn), patch)
        assert without_clock(drawn) == without_clock(figure)


def test_time_alone_is_no_patch():
    stories = Stories()
    for row in pod_life():
        stories.feed(row)
    assert is_empty(make_patch(make_timeline(stories, 9000), make_timeline(stories, 19_000)))


def test_a_patch_says_only_the_points_that_changed():
    stories = Stories()
    for row in [*pod_life("a"), *pod_life("b")]:
        stories.feed(row)
    before = make_timeline(stories, 9000)
    stories.feed(transition(9500, "state", "notReady", "b", old="ready"))
    patch = make_patch(before, make_timeline(stories, 9500))
    ready = next(str(n) for n, trace in enumerate(before["data"]) if trace["name"] == "ready")
    assert patch["traces"][ready]["points"]["customdata"] == {"1": 9500}


def test_bars_that_vanish_ask_for_the_whole_figure():
    stories, fewer = Stories(), Stories()
    for row in [*pod_life("a"), *pod_life("b")]:
        stories.feed(row)
    for row in pod_life("a"):
        fewer.feed(row)
    assert make_patch(make_timeline(stories, 9000), make_timeline(fewer, 9000)) is None
