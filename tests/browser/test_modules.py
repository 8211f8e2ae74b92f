"""Modules that need a page, without a server: they are served from the folder they live in.

What needs no page is tested in `tests/scripts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from tests.dashboard.rows import event, pod_life

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
        return
    file = BUNDLE if path == "plotly.js" else STATIC / path
    if file.is_file():
        route.fulfill(path=file, content_type="text/javascript")
    else:
        # Unanswered, whoever imports it would wait for ever.
        route.fulfill(status=404, body=f"there is no {path}")


@pytest.fixture(scope="module")
def empty(browser: Browser) -> Iterator[Page]:
    """A page with Plotly, the policy, and nothing else."""
    page = browser.new_page()
    page.route(f"{ADDRESS}**", serve)
    page.goto(ADDRESS)
    yield page
    page.close()


def call(page: Page, module: str, expression: str, *arguments: object) -> object:
    """`expression` with the module as `m` and the arguments as `a`."""
    return page.evaluate(
        f"async (a) => {{ const m = await import('/js/{module}.js'); return {expression}; }}", list(arguments)
    )


def test_lanes_and_events_write_strangers_text_as_text(empty):
    found = call(
        empty,
        "charts/lanes",
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
        "charts/pick",
        """(async () => {
          const {tip} = await import("/js/charts/tips.js");
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


def test_what_the_starts_of_a_pod_say_is_one_line_and_what_comes_again_takes_its_place(empty):
    """A container that is begun anew says the same again: its words stand once, as does what is counted."""
    app, other = {"fieldPath": "spec.containers{app}"}, {"name": "web-2", "uid": "uid-2"}
    start = [
        event(0, "Scheduled", "to node-1", eventId="a"),
        event(10, "Pulling", "app", **app, eventId="b"),
        event(20, "Scheduled", "to node-2", **other, eventId="c"),
        event(3000, "Pulled", "app", **app, eventId="d"),
        event(3200, "Created", "app", **app, eventId="e"),
        event(4200, "Started", "app", **app, eventId="f"),
    ]
    page, two = "/c/pods/default/web-1/", ["Scheduled", "to node-2", "/c/pods/default/web-2/"]
    words = "Scheduled, Pulling, Pulled, Created, Started within 4.2s"
    assert call(empty, "feed", FOLDED, start) == [["Started", words, page], two]
    after = [
        event(5000, "Unhealthy", "503", **app, eventId="u"),
        event(6000, "Unhealthy", "503", **app, eventId="u", count=2, first_ms=5000),
        event(7000, "Pulled", "present", **app, eventId="g"),
        event(9200, "Started", "app", **app, eventId="f", count=2, first_ms=4200),
    ]
    again = "Scheduled, Pulling, Pulled, Created, Started"
    assert call(empty, "feed", FOLDED, [*start, *after]) == [
        ["Started ×2 over 5s", again, page],
        ["Unhealthy ×2 over 1s", "503", page],
        two,
    ]


DRAWN = """(async () => {
  const paper = document.body.appendChild(document.createElement("div"));
  const [{ data, layout }] = a;
  const traces = m.outline(data, [], layout);
  const shown = { ...layout, width: 800, yaxis: { ...layout.yaxis, type: "linear" } };
  await Plotly.react(paper, traces, shown);
  const { xaxis, yaxis } = paper._fullLayout;
  const rows = layout.yaxis.categoryarray;
  const bars = data.filter(({ type, y }) => type === "bar" && y.length);
  const paths = [...paper.querySelectorAll(".scatterlayer .js-fill")];
  const at = (x, y) => new DOMPoint(xaxis.d2p(x), yaxis.d2p(y));
  const filled = bars.map((bar, number) => bar.y.filter((lane, index) => {
    const y = rows.indexOf(lane) + bar.offset[index] + bar.width[index] / 2;
    return paths[number].isPointInFill(at(bar.base[index] + bar.x[index] / 2, y));
  }).length);
  const between = rows.flatMap((_, row) => bars.flatMap(({ base }) => base.map((x) => at(x + 1, row + 0.5))));
  const spilt = paths.flatMap((path) => between.filter((point) => path.isPointInFill(point))).length;
  let elements = 0;
  const make = document.createElementNS;
  document.createElementNS = (...asked) => {
    elements += asked[1] === "path";
    return make.apply(document, asked);
  };
  await Plotly.react(paper, m.outline(data, [], layout), { ...shown, width: 801 });
  document.createElementNS = make;
  paper.remove();
  return [traces.map(({ name }) => name), filled, spilt, elements];
})()"""


def test_bars_are_drawn_as_one_outline_of_each_colour_however_many_they_are(empty: Page):
    """An element for each bar made tasks of 60 ms out of 10,000 pods."""
    stories = Stories()
    for number in range(60):
        for row in pod_life(f"pod-{number}", number):
            stories.feed(row)
    figure = make_timeline(stories, 30_000)
    counts = {trace["name"]: len(trace["y"]) for trace in figure["data"] if trace["type"] == "bar"}
    names, filled, spilt, elements = call(empty, "charts/outlines", DRAWN, figure)
    assert names == list(counts)
    # Each bar is a part of its colour's path, and nothing between the bars is.
    assert filled == [count for count in counts.values() if count] and min(filled) >= 60
    assert spilt == 0
    # Drawn anew, a colour makes as many elements however many its bars are.
    assert elements <= 4 * len(filled)


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
        "charts/labels",
        """(() => {
          const labels = new m.Labels(document.createElement("div"));
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
        "charts/lanes",
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
