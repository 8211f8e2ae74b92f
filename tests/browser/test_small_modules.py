"""Modules that reckon what a page writes: ages, places of flags, pictures, stretches of time."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from lifecycle.engine.rules.columns.ages import human_duration
from tests.browser import test_modules
from tests.browser.test_modules import call

pytestmark = pytest.mark.browser

empty = test_modules.empty

DAY = 86_400


def test_ages_read_as_kubectl_has_them(empty: Page):
    seconds = [0, 1, 59, 119, 120, 200, 599, 600, 3599, 10_799, 10_800, 12_600, 28_799, 28_800]
    seconds += [172_799, 172_800, 180_000, 8 * DAY - 1, 8 * DAY, 700 * DAY, 730 * DAY, 800 * DAY, 3000 * DAY]
    ages = call(empty, "ages", "a[0].map((one) => m.age(one * 1000))", seconds)
    assert ages == [human_duration(one * 1000) for one in seconds]


FLAGS = "m.arrange(a[0], a[1], a[2]).map(({side, room, more}) => [room ? side : null, more])"


@pytest.mark.parametrize(
    "xs, texts, expected",
    [
        pytest.param([100], ["scale 3 → 5"], [["right", 0]], id="room to the right"),
        pytest.param([780], ["scale 3 → 5"], [["left", 0]], id="at the right edge"),
        pytest.param([100, 300], ["scale 3 → 5", "drain"], [["right", 0], ["right", 0]], id="two"),
        pytest.param([700, 780], ["drain", "drain"], [["left", 0], ["left", 0]], id="both to the left"),
        pytest.param(
            [100, 110], ["image 1.4.2 → 1.5.0", "scale 3 → 5"], [[None, 0], ["right", 1]], id="one is counted"
        ),
        pytest.param(
            [300, 310],
            ["image 1.4.2 → 1.5.0", "scale 3 → 5"],
            [["left", 0], ["right", 0]],
            id="one on each side",
        ),
        pytest.param(
            [300, 780, 790],
            ["drain", "a" * 20, "b" * 20],
            [["right", 0], ["left", 1], [None, 0]],
            id="no room",
        ),
        pytest.param(
            [300, 300, 300, 300],
            ["a" * 20] * 4,
            [["left", 0], [None, 0], [None, 0], ["right", 2]],
            id="four at once: two are written, two are counted",
        ),
    ],
)
def test_no_flag_is_lost_without_a_word(empty: Page, xs: list[int], texts: list[str], expected: Any):
    told = call(empty, "charts/flags", FLAGS, xs, texts, 800)
    assert told == expected
    assert sum(side is not None for side, _ in told) + sum(more for _, more in told) == len(xs)


STRETCH = """(() => {
  const view = new m.View();
  view.add({
    plot: document.createElement("div"), reach: { from: 0, to: null, ahead: 1_000_000 }, viewChanged() {},
  });
  view.windowMs = a[0];
  view.showLife(a[1], a[2]);
  return view.stretch(1_500_000);
})()"""


@pytest.mark.parametrize(
    "window_ms, begun, over, expected",
    [
        pytest.param(None, 100_000, 200_000, [100_000, 203_000], id="all of a Job that is over"),
        pytest.param(50_000, 100_000, 200_000, [150_000, 201_500], id="its last part"),
        pytest.param(None, 100_000, 101_000, [100_000, 130_000], id="a short one"),
        pytest.param(900_000, 1_400_000, None, [1_400_000, 1_503_000], id="one that has just begun"),
        pytest.param(900_000, None, None, [600_000, 1_527_000], id="a whole cluster"),
    ],
)
def test_the_window_fits_the_life_of_what_a_page_is_about(empty: Page, window_ms, begun, over, expected):
    assert call(empty, "charts/view", STRETCH, window_ms, begun, over) == expected


PICTURE = """(() => {
  const layout = {
    height: 200, margin: { r: 16, b: 8 }, meta: { rowHeight: 20 }, font: {}, xaxis: {},
    yaxis: { categoryarray: ["a"] },
  };
  const rows = [{ label: "web", header: true }, { label: "<b>1</b>", colour: "#0f9d77" }];
  const flags = [{ at: 5000, label: "scale 3 → 5" }];
  const traces = [
    { name: "notReady", fillcolor: "#cf8400", x: [1] }, { name: "ready", fillcolor: "#0f9d77", x: [] },
  ];
  const picture = m.makePicture(
    { traces, layout, range: [0, 60_000], width: 600, rows, flags, title: "Cluster <demo>",
      verdict: "1 pod is <stuck>." },
    { paper: "#fff", ink: "#000", line: "#ccc" },
  );
  const { title, annotations, width } = picture.layout;
  return [title.text, annotations.map(({ text }) => text), width > 600];
})()"""


def test_a_picture_says_what_the_page_writes_beside_the_plot(empty: Page):
    title, texts, is_wider = call(empty, "charts/picture", PICTURE)
    assert (title, is_wider) == ("Cluster &lt;demo&gt;", True)
    assert texts == [
        "<b>web</b>",
        '<span style="color:#0f9d77">■</span> &lt;b&gt;1&lt;/b&gt;',
        "scale 3 → 5",
        '<span style="color:#cf8400">■</span> Not ready',
        "1 pod is &lt;stuck&gt;.",
    ]


LINES = """m.pickAlone(
  ["available", "at least (replicas - maxUnavailable)", "revision 2 · web-1", "forbidden"]
    .map((name) => ({ name })),
  a[0],
).map(({ name }) => name.split(" (")[0])"""


@pytest.mark.parametrize(
    "alone, drawn",
    [
        pytest.param(None, ["available", "at least", "revision 2 · web-1", "forbidden"], id="all at first"),
        pytest.param({"label": "available"}, ["available"], id="a line"),
        pytest.param({"label": "at least"}, ["at least"], id="a line whose name says more"),
        pytest.param(
            {"label": "revision 2", "title": "revision 2 · web-1"}, ["revision 2 · web-1"], id="an area"
        ),
    ],
)
def test_a_click_in_the_legend_shows_one_line_alone(empty: Page, alone, drawn):
    assert call(empty, "charts/legend", LINES, alone) == drawn
