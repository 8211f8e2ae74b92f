"""The browser's own modules, without a server: they are served from the folder they live in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from dashboard.plots.patches import make_patch
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from lifecycle.engine.heart.series import tell_at
from tests.dashboard.rows import event, pod_life, transition
from tests.dashboard.test_patches import apply

pytestmark = pytest.mark.browser

STATIC = Path(__file__).resolve().parents[2] / "static"
BUNDLE = STATIC / "vendor" / "plotly-basic.min.js"
ADDRESS = "http://podline.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'"
HOSTILE = "<script>alert(1)</script><b>bold</b>&amp;"


def serve(route: Route) -> None:
    path = route.request.url.removeprefix(ADDRESS)
    if not path:
        page = '<!doctype html><script src="/plotly.js"></script><body>'
        route.fulfill(body=page, headers={"Content-Type": "text/html", "Content-Security-Policy": POLICY})
    else:
        route.fulfill(path=BUNDLE if path == "plotly.js" else STATIC / path, content_type="text/javascript")


@pytest.fixture(scope="module")
def empty(browser: Browser) -> Iterator[Page]:
    """A page with Plotly, the policy, and nothing else."""
    page = browser.new_page()
    page.route(f"{ADDRESS}**", serve)
    page.goto(ADDRESS)
    yield page
    page.close()


given_series = pytest.mark.parametrize(
    "row, now_ms",
    [
        pytest.param({"count": 3, "last_ms": 7, "detail": detail}, now_ms, id=f"{name} at {now_ms} ms")
        for name, detail in {
            "closed": {"period_ms": 5000},
            "alone": {"period_ms": 5000, "paid_ms": 300_007},
            "slow": {"period_ms": 450_000, "paid_ms": 7_600_000},
            "owing": {"period_ms": 7000, "paid_ms": 7_400_000},
            "beside": {"period_ms": 2000, "paid_ms": 600_000, "beside": [[9, 2000], [3, 7000]], "turn": 1},
        }.items()
        for now_ms in (7, 35_000, 3_600_000, 10**10)
    ],
)


def call(page: Page, module: str, expression: str, *arguments: object) -> object:
    """`expression` with the module as `m` and the arguments as `a`."""
    return page.evaluate(
        f"async (a) => {{ const m = await import('/js/{module}.js'); return {expression}; }}", list(arguments)
    )


@pytest.mark.parametrize(
    "milliseconds, text",
    [
        (0, "0s"),
        (40, "40ms"),
        (12_300, "12.3s"),
        (60_000, "1m"),
        (187_000, "3m 07s"),
        (3_720_000, "1h 02m"),
        (86_400_000, "1d"),
        (90_000_000, "1d 01h"),
    ],
)
def test_durations(empty, milliseconds, text):
    assert call(empty, "format", "m.duration(a[0])", milliseconds) == text


def test_the_clock_reads_like_a_clock(empty):
    assert call(empty, "format", "m.clock(a[0])", 90_061_250) == "1d 01:01:01.2"


@pytest.mark.parametrize(
    "span, width, labels",
    [
        ([0, 60_000], 500, ["0s", "15s", "30s", "45s", "1m"]),
        ([0, 30_000], 1000, ["0s", "5s", "10s", "15s", "20s", "25s", "30s"]),
        ([100_000, 3_700_000], 400, ["15m", "30m", "45m", "1h"]),
        ([0, 400], 300, ["0s", "200ms", "400ms"]),
        ([3_700_000, 3_720_000], 400, ["01:01:40", "01:01:45", "01:01:50", "01:01:55", "01:02:00"]),
        ([126_000_000, 129_600_000], 400, ["1d 11:00", "1d 11:15", "1d 11:30", "1d 11:45", "1d 12:00"]),
    ],
)
def test_ticks_are_round_and_few(empty, span, width, labels):
    assert call(empty, "format", "m.ticks(a[0], a[1]).labels", span, width) == labels


def test_the_browser_applies_patches_as_the_server_means_them(empty):
    stories, figures = Stories(), []
    for row in [*pod_life("a"), *pod_life("b", 100), transition(9000, "exists", "deleted", "a")]:
        stories.feed(row)
        figures.append(json.loads(json.dumps(make_timeline(stories, row["at_ms"]))))
    for before, after in pairwise(figures):
        patch = make_patch(before, after)
        if patch is None:
            continue
        drawn = call(
            empty, "patches", "(m.applyPatch(a[0], a[1]), m.growFigure(a[0], 9999), a[0])", before, patch
        )
        expected = apply(deepcopy(before), patch)
        for mine, theirs in zip(drawn["data"], expected["data"], strict=True):
            assert mine["y"] == theirs["y"]
            assert mine["hovertext"] == theirs["hovertext"]
            if mine["type"] == "bar":
                assert mine["customdata"] == theirs["customdata"]
                ends = [9999 if end is None else end for end in theirs["customdata"]]
                lengths = [end - base for end, base in zip(ends, theirs["base"], strict=True)]
                assert mine["x"] == lengths


def test_time_is_carried_on_and_never_jumps_back_a_little(empty):
    now = call(
        empty,
        "clock",
        """(() => {
          const clock = new m.Clock();
          clock.hear(10_000, 10);
          const before = clock.now();
          clock.hear(9_900, 10);
          const after = clock.now();
          clock.hear(500, 0);
          return [before >= 10_000, after >= before, clock.now()];
        })()""",
    )
    assert now == [True, True, 500]


def test_lanes_and_events_write_strangers_text_as_text(empty):
    found = call(
        empty,
        "lanes",
        """(async () => {
          const list = document.createElement("ol");
          const lane = {label: a[0], title: a[0], note: a[0], path: "pods/x/"};
          m.drawLanes(list, {rowHeight: 26, rows: [lane]}, "/c/");
          const {EventFeed} = await import("/js/feed.js");
          const feed = document.createElement("div");
          const template = document.createElement("template");
          const item = document.createElement("li");
          for (const name of ["time", "reason", "message", "subject", "why"]) {
            item.append(document.createElement("span"));
            item.lastChild.dataset[name] = "";
          }
          template.content.append(item);
          feed.append(document.createElement("ol"), template);
          const text = {name: a[0], namespace: a[0], reason: a[0], message: a[0]};
          new EventFeed(feed).add([{kind: "Pod", at_ms: 1, count: 1, ...text}]);
          const all = [...list.querySelectorAll("*"), ...feed.querySelectorAll("*")].map((e) => e.localName);
          return [all.includes("script") || all.includes("b"), list.querySelector("a").textContent,
            feed.querySelector("[data-message]").textContent];
        })()""",
        HOSTILE,
    )
    assert found == [False, HOSTILE, HOSTILE]


def test_a_tip_shows_strangers_text_as_it_is_and_stays_in_the_window(empty):
    stories = Stories()
    for row in pod_life(HOSTILE):
        stories.feed(row)
    figure = make_timeline(stories, 9000)
    found = call(
        empty,
        "pick",
        """(async () => {
          const {tip} = await import("/js/tips.js");
          const [{data, layout}, width] = [a[0], 800];
          const {x: [length], base: [start], y: [lane]} = data.find((trace) => trace.name === "ready");
          const x = m.placeOf(layout.xaxis.range, start + length / 2, width);
          const y = m.TOP + (m.rowOf(layout, lane) + 0.5) * layout.meta.rowHeight;
          const item = m.findItem({data, layout}, x, y, width);
          tip.show(item.lines, innerWidth - 3, innerHeight - 3);
          const shown = document.querySelector("[role=tooltip]");
          const box = shown.getBoundingClientRect();
          const isInside = Math.min(box.left, box.top) >= 0 && box.right <= innerWidth
            && box.bottom <= innerHeight;
          return [shown.textContent, shown.querySelectorAll("script, b").length, isInside,
            m.findItem({data, layout}, x, y + 400, width)];
        })()""",
        figure,
    )
    assert HOSTILE[:40] in found[0]
    assert found[1:] == [0, True, None]


def test_a_tip_on_lines_tells_what_each_of_them_says_at_that_instant(empty):
    lines = [
        {"mode": "lines", "x": [0, 10, 20], "y": [0, 3, 3], "meta": {"grows": "line"}},
        {"mode": "lines", "x": [5, 15], "y": [1, 0]},
    ]
    for name, line in zip(("ready", "revision 1"), lines, strict=True):
        line["hovertext"] = [f"<b>{name}: {value}</b><br>at" for value in line["y"]]
    told = [call(empty, "pick", "m.tellLines(...a)?.lines", lines, at) for at in (2, 12, 400)]
    assert told == [
        ["00:00:00.0", "ready: 0"],
        ["00:00:00.0", "ready: 3", "revision 1: 1"],
        ["00:00:00.4", "ready: 3"],
    ]


@given_series
def test_a_page_counts_a_series_as_the_engine_does(empty, row, now_ms):
    told = call(empty, "series", "m.tellAt(...a)", row, now_ms)
    count, last_ms = tell_at(row["count"], row["last_ms"], row["detail"], now_ms)
    assert told == {"count": count, "lastMs": last_ms}


def test_an_open_series_goes_on_being_counted_by_the_pages_clock(empty):
    row = event(0, "Unhealthy", "no", detail={"period_ms": 5000, "paid_ms": 300_000}, group="")
    said = call(empty, "feed", COUNTED, row)
    assert said == ["Unhealthy ×2 over 5s", "Unhealthy ×5 over 20s"]


COUNTED = """(async () => {
  const feed = document.createElement("div");
  feed.innerHTML = `<ol></ol><template><li><time data-time></time><button data-reason data-why></button>
    <span><span data-message></span></span></li></template>`;
  let nowMs = 5000;
  new m.EventFeed(feed, "", {}, { now: () => nowMs }).add([a[0]]);
  const say = () => feed.querySelector("button").textContent;
  const before = say();
  nowMs = 20_000;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return [before, say()];
})()"""


FOLDED = """(async () => {
  const {EventFeed} = await import("/js/feed.js");
  const feed = document.createElement("div");
  feed.innerHTML = `<ol></ol><template><li><time data-time></time><button data-reason data-why></button>
    <span><span data-message></span><a data-subject></a></span></li></template>`;
  new EventFeed(feed, "/c/", {"/Pod": "pods"}).add(a[0]);
  return [...feed.querySelectorAll("ol")[0].children].map((item) => [
    item.querySelector("[data-reason]").textContent,
    item.querySelector("summary")?.textContent ?? item.querySelector("[data-message]").textContent,
    item.querySelector("a").getAttribute("href"),
  ]);
})()"""


def test_what_a_start_says_is_one_line_and_what_comes_again_takes_its_own_place(empty):
    app = {"fieldPath": "spec.containers{app}"}
    start = [
        event(0, "Scheduled", "to node-1"),
        event(10, "Pulling", "app", **app),
        event(20, "Scheduled", "to node-2", name="web-2"),
        event(3000, "Pulled", "app", **app),
        event(3200, "Created", "app", **app),
        event(4200, "Started", "app", **app),
    ]
    after = [
        event(5000, "Unhealthy", "503", **app, eventId="u"),
        event(6000, "Unhealthy", "503", **app, eventId="u", count=2, first_ms=5000),
        event(7000, "Pulled", "present", **app),
        event(7100, "Started", "again", **app),
    ]
    page = "/c/pods/default/web-1/"
    assert call(empty, "feed", FOLDED, [*start, *after]) == [
        ["Started", "Pulled, Started within 100ms", page],
        ["Unhealthy ×2 over 1s", "503", page],
        ["Started", "Scheduled, Pulling, Pulled, Created, Started within 4.2s", page],
        ["Scheduled", "to node-2", "/c/pods/default/web-2/"],
    ]


PICK = """(async () => {
  const picked = new m.PickedFiles({ suffixes: [".yaml", ".json"], bytes: 100, files: 4 });
  await picked.addFiles(a[0].map(([name, size]) => new File(["x".repeat(size)], name)));
  return [picked.name, picked.bytes, picked.sent.map(([path]) => path), picked.named];
})().catch((problem) => problem.message)"""


@pytest.mark.parametrize(
    "files, expected",
    [
        (
            [["a.yaml", 9], ["b.png", 900], [".c.yaml", 900], ["d.zip", 40]],
            ["4 files and folders", 49, ["a.yaml", "d.zip"], ["b.png", ".c.yaml"]],
        ),
        ([["deployment", 9]], ["deployment", 9, ["deployment"], []]),
        ([["a.yaml", 60], ["b.json", 60]], "are too much at once"),
        ([["a", 1], ["b", 1], ["c", 1], ["d", 1], ["e.yaml", 1]], "More than 4 files are too many at once"),
    ],
)
def test_only_files_that_may_hold_manifests_are_sent_and_not_too_many(empty: Page, files, expected):
    found = call(empty, "picked_files", f"await {PICK}", files)
    assert expected in found if isinstance(expected, str) else found == expected


SEEN = """(() => {
  const [rows, range, inSight] = a;
  const trace = (name, ends) => ({
    type: "bar", name, y: rows.map((row) => row[0]), base: rows.map((row) => row[1]), x: rows.map(ends),
    offset: rows.map(() => -0.3), width: rows.map(() => 0.6), seqs: rows.map((row) => row[2]),
  });
  const layout = {yaxis: {categoryarray: [...new Set(rows.map((row) => row[0]))]}};
  const data = [trace("ready", () => 5), trace("crashing", () => 3)];
  const seen = m.pickSeen({data, layout}, range, 1000, inSight);
  return Object.fromEntries(seen.map((trace) => [trace.name, trace.seqs.map((seq, index) => (
    [seq, trace.base[index], trace.x[index]]))]));
})()"""


def many_bars(rows: int, bars: int) -> list[list[object]]:
    """Row, start and number of bars that begin every 10 ms, in each row."""
    return [[f"row-{row}", bar * 10, row * bars + bar] for row in range(rows) for bar in range(bars)]


def test_of_many_bars_those_out_of_sight_are_not_drawn(empty: Page):
    seen = call(empty, "sight", SEEN, many_bars(20, 10), [30, 60], {"first": 3, "last": 4})
    assert {name: [seq for seq, *_ in bars] for name, bars in seen.items()} == {
        "ready": [row * 10 + bar for row in (3, 4) for bar in (3, 4, 5, 6)],
        "crashing": [row * 10 + bar for row in (3, 4) for bar in (3, 4, 5, 6)],
    }


def test_of_bars_too_narrow_to_be_told_apart_the_gravest_is_drawn(empty: Page):
    seen = call(empty, "sight", SEEN, many_bars(1, 1000), [0, 10_000], {"first": 0, "last": 9})
    # A bar is half a pixel wide, and so one stands for all of two pixels.
    assert set(seen) == {"crashing"}
    assert len(seen["crashing"]) == 500
    assert all((start, length) == (bar * 20, 20) for bar, (_, start, length) in enumerate(seen["crashing"]))


def test_few_bars_are_all_drawn(empty: Page):
    seen = call(empty, "sight", SEEN, many_bars(10, 10), [30, 60], {"first": 3, "last": 4})
    assert [len(bars) for bars in seen.values()] == [100, 100]


DRAWN = """(async () => {
  const paper = document.body.appendChild(document.createElement("div"));
  const [{ data, layout }] = a;
  const traces = m.outline(data, null, layout);
  await Plotly.react(paper, traces, { ...layout, width: 800, yaxis: { ...layout.yaxis, type: "linear" } });
  const paths = [...paper.querySelectorAll(".scatterlayer .js-fill")];
  paper.remove();
  return [traces.map(({ name }) => name), paths.map((path) => path.getAttribute("d").split("M").length - 1)];
})()"""


def test_bars_are_drawn_as_one_outline_of_each_colour_however_many_they_are(empty: Page):
    """An element for each bar made tasks of 60 ms out of 10,000 pods."""
    stories = Stories()
    for number in range(60):
        for row in pod_life(f"pod-{number}", number):
            stories.feed(row)
    figure = make_timeline(stories, 30_000)
    counts = {trace["name"]: len(trace["y"]) for trace in figure["data"] if trace["type"] == "bar"}
    names, drawn = call(empty, "outlines", DRAWN, figure)
    assert names == list(counts)
    # Each bar is a part of its colour's path.
    assert drawn == [count for count in counts.values() if count] and min(drawn) >= 60


def test_words_on_bars_are_strangers_text(empty: Page):
    bar = {
        "type": "bar",
        "name": "stuck",
        "y": ["a"],
        "base": [0],
        "x": [60_000],
        "words": [HOSTILE],
        "ink": "#000000",
    }
    layout = {"meta": {"rowHeight": 26}, "yaxis": {"categoryarray": ["a"]}}
    found = call(
        empty,
        "bar_words",
        """(async () => {
          const {Labels} = await import("/js/labels.js");
          const labels = new Labels(document.createElement("div"));
          labels.show(m.listWords([a[0]], a[1], [0, 60_000], 2000));
          const first = labels.layer.firstElementChild;
          const elements = labels.layer.querySelectorAll("script, b");
          const told = [first.textContent, first.className, elements.length];
          labels.show([]);
          return [...told, first.hidden];
        })()""",
        bar,
        layout,
    )
    assert found == [f"{HOSTILE} 1m", "bartext on-pattern", 0, True]


def test_rows_that_say_the_same_stay_the_same_elements(empty: Page):
    kept = call(
        empty,
        "lanes",
        """(() => {
          const list = document.createElement("ol");
          const draw = (...labels) => (
            m.drawLanes(list, {rowHeight: 26, rows: labels.map((label) => ({label}))}, "/"));
          draw("a", "b", "c");
          const [, b, c] = list.children;
          draw("c", "x", "b");
          const texts = [...list.children].map((item) => item.textContent);
          return [texts, list.children[0] === c, list.children[2] === b];
        })()""",
    )
    assert kept == [["c", "x", "b"], True, True]
