"""The main job, end to end: a manifest goes in, pods come alive, another image swaps them within budget."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import FORM
from tests.browser.figures import bars, lines, rows, wait_for_rows

pytestmark = [pytest.mark.browser, pytest.mark.slow]

INITIAL_DELAY_MS, PERIOD_MS, REPLICAS = 2000, 1000, 3
# The kubelet looks at its runtime once a second: so much later it tells that a container runs.
LOOK_MS = 1000
MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: 3
  minReadySeconds: 1
  strategy:
    rollingUpdate: {{maxSurge: 1, maxUnavailable: 1}}
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      terminationGracePeriodSeconds: 10
      containers:
      - name: app
        image: nginx:1.26
        readinessProbe:
          httpGet: {{path: /, port: 80}}
          initialDelaySeconds: 2
          periodSeconds: 1
"""
AHEAD_TRACES = (
    "(count) => document.querySelector('.chart').data?.filter((one) => one.name === 'ahead').length === count"
)


def apply(page: Page, manifest: str) -> None:
    page.get_by_label("Kubernetes YAML or JSON").fill(manifest)
    page.get_by_role("button", name="Apply", exact=True).click()


def set_speed(page: Page, speed: str) -> None:
    page.get_by_label("Speed").select_option(speed)
    expect(page.locator("[data-speed]")).to_contain_text(f"{speed}×")


def test_the_form_of_home_makes_a_cluster_that_is_live(page: Page):
    page.goto("/", wait_until="domcontentloaded")
    for name, value in FORM.items():
        expect(page.locator(f"form[action='/clusters/'] [name={name}]")).to_have_value(value)
    page.get_by_label("Name").fill("from-the-form")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Live")
    assert page.url.endswith("/clusters/from-the-form/")


def test_a_manifest_becomes_a_live_timeline_and_a_rollout_keeps_its_budget(page: Page, cluster: str):
    apply(page, MANIFEST.format(name="web"))
    wait_for_rows(page, "default/web-", None, REPLICAS)
    set_speed(page, "10")
    wait_for_rows(page, "default/web-", "ready", REPLICAS)
    check_ready_instants(page)
    old = rows(page, "default/web-", "ready")

    page.get_by_role("link", name="web", exact=True).last.click()
    figure = "rollout:default/Deployment/web"
    image = page.get_by_label("New image")
    expect(image).to_have_value("nginx:1.26")
    image.fill("nginx:1.27")
    page.get_by_role("button", name="Change image").click()
    expect(page.locator("#answer")).to_contain_text("rolling out revision 2")
    wait_for_swap(page, figure)
    check_budget(lines(page, figure))
    check_swap(page, old)


def check_ready_instants(page: Page) -> None:
    """Ready comes with the first probe that can succeed: after the initial delay, within one period more."""
    ready = {bar["row"]: bar["start"] for bar in bars(page) if bar["state"] == "ready"}
    running = {bar["row"]: bar["start"] for bar in bars(page) if bar["state"] == "notReady"}
    for row, ready_ms in ready.items():
        if row.startswith("default/web-"):
            waited_ms = ready_ms - running[row]
            assert 0 <= waited_ms - INITIAL_DELAY_MS + LOOK_MS <= LOOK_MS + PERIOD_MS + 500, (row, waited_ms)


def wait_for_swap(page: Page, figure: str) -> None:
    page.wait_for_function(
        """(name) => {
          const traces = document.querySelector(`[data-figure="${name}"] .chart`)?.data ?? [];
          const last = (start) => traces.find((trace) => trace.name.startsWith(start))?.y.at(-1);
          return last("revision 2") === 3 && last("revision 1") === 0 && last("available") === 3;
        }""",
        arg=figure,
    )


def check_budget(drawn: dict[str, list[tuple[int, int]]]) -> None:
    """Once all were available, available never drops below its bound, and replicas never exceed theirs."""
    [low] = {value for _, value in drawn["at least (replicas − maxUnavailable)"]}
    [high] = {value for _, value in drawn["at most (replicas + maxSurge)"]}
    assert (low, high) == (2, 4)
    available = [value for _, value in drawn["available"]]
    since_full = available[available.index(REPLICAS) :]
    assert min(since_full) >= low, drawn["available"]
    areas = [points for name, points in drawn.items() if name.startswith("revision")]
    # An area has every instant of its revision's life, and none before or after it.
    totals = Counter[int]()
    for points in areas:
        totals.update(dict(points))
    assert REPLICAS <= max(totals.values()) <= high, areas


def check_swap(page: Page, old: set[str]) -> None:
    """Every old pod was asked to go and is gone; new ones are ready."""
    timeline = "timeline:default/Deployment/web"
    page.wait_for_function(
        """(name) => document.querySelector(`[data-figure="${name}"] .chart`).data
          .every((trace) => trace.name !== "terminating" || trace.customdata.every((end) => end !== null))""",
        arg=timeline,
    )
    drawn = bars(page, timeline)
    left = {bar["row"] for bar in drawn if bar["state"] == "terminating"}
    ready = {bar["row"] for bar in drawn if bar["state"] == "ready" and bar["end"] is None}
    assert old <= left
    assert len(ready) == REPLICAS
    assert not ready & old


def test_running_bars_grow_with_the_virtual_clock_and_stand_when_it_does(page: Page, cluster: str):
    apply(page, MANIFEST.format(name="web"))
    wait_for_rows(page, "default/web-", None, REPLICAS)
    first = longest(page)
    page.wait_for_function(
        "(before) => Math.max(...document.querySelector('.chart').data.flatMap((t) => t.x)) > before",
        arg=first,
    )
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    # The drawing that was under way when the clock stood still comes, on a busy machine late.
    page.wait_for_function(
        """() => {
          const before = window.drawn;
          window.drawn = JSON.stringify(document.querySelector(".chart").data.map(({x}) => x));
          window.alike = window.drawn === before ? (window.alike || 0) + 1 : 0;
          return window.alike === 3;
        }""",
        polling=700,
    )
    standing = longest(page)
    page.wait_for_timeout(700)
    assert longest(page) == standing


def longest(page: Page) -> int:
    return max(bar["start"] + bar["length"] for bar in bars(page))


WEB = MANIFEST.format(name="web")
BAD = {
    "no YAML": ("a: [", ["not valid YAML", "line"]),
    "wrong type": (WEB.replace("replicas: 3", "replicas: three"), ["spec.replicas"]),
    "unknown field": (WEB.replace("image:", "imagee:"), ["spec.template.spec.containers[0].imagee"]),
    "selector": (WEB.replace("labels: {app: web}", "labels: {app: other}"), ["selector"]),
    "hostile name": (MANIFEST.format(name="'<script>alert(1)</script>'"), ["metadata.name"]),
}


def test_bad_input_is_answered_at_its_field_and_nothing_is_stored(page: Page, cluster: str):
    answer = page.locator("#answer [role=alert]").first
    for kind, (manifest, words) in BAD.items():
        apply(page, manifest)
        for word in words:
            expect(answer, kind).to_contain_text(word)
        assert not bars(page), kind


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.deep)])
def test_nothing_is_wider_than_a_phone(page: Page, cluster: str, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", f"/clusters/{cluster}/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


# Which words are answered, and how, is asked without a browser.
@pytest.mark.deep
def test_a_condition_nobody_understands_is_answered(page: Page, cluster: str):
    page.get_by_label("Run as fast as possible for, or until").fill("when it is <b>done</b>")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#controls [role=alert]")).to_contain_text("done")


def test_what_comes_next_is_drawn_pale_and_can_be_switched_off(page: Page, cluster: str):
    """Paused in mid-rollout: the pods still to come have rows, and the note says what is pale."""
    # However long it takes to press the button, the pods are not ready yet.
    apply(page, MANIFEST.format(name="web").replace("initialDelaySeconds: 2", "initialDelaySeconds: 120"))
    # Without a pod there would be no chart once nothing pale is drawn.
    expect(page.locator(".lane-labels .lane:not(.to-come)")).to_have_count(REPLICAS)
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("[data-ahead]")).to_contain_text("if nobody changes anything")
    page.wait_for_function(AHEAD_TRACES, arg=1)
    page.get_by_role("button", name="Look ahead").click()
    page.wait_for_function(AHEAD_TRACES, arg=0)
    expect(page.locator("[data-ahead]")).to_be_hidden()
    # The browser keeps it, and other tests have the same.
    page.get_by_role("button", name="Look ahead").click()
    page.wait_for_function(AHEAD_TRACES, arg=1)


@pytest.mark.deep
def test_what_comes_next_has_its_rows_where_nothing_is_yet(page: Page, cluster: str):
    """Paused first, then applied: all the pods are still to come, each in a pale row of its own."""
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    apply(page, MANIFEST.format(name="web"))
    expect(page.locator("[data-ahead]")).to_contain_text("if nobody changes anything")
    expect(page.locator(".lane-labels .lane.to-come:visible")).to_have_count(REPLICAS)
    page.wait_for_function(AHEAD_TRACES, arg=1)
    expect(page.locator("[data-empty]").first).to_be_hidden()
    page.get_by_role("button", name="Look ahead").click()
    expect(page.locator("[data-empty]").first).to_be_visible()
    page.get_by_role("button", name="Look ahead").click()
    expect(page.locator("[data-empty]").first).to_be_hidden()


def test_a_run_as_fast_as_possible_stops_at_its_end_shows_any_instant_whole_and_can_go_on(
    page: Page, cluster: str
):
    apply(page, MANIFEST.format(name="web"))
    expect(page.locator(".lane-labels .lane").first).to_be_visible()
    page.get_by_label("Run as fast as possible for, or until").fill("5m")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    # Five minutes after the instant at which the button was pressed.
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"00:0[5-7]:\d\d\.\d"))
    box = page.locator(".chart").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 34)
    expect(page.locator(".past")).to_contain_text(f"{cluster} as it was at 00:0")
    assert not page.get_by_role("button", name="Apply", exact=True).count()
    # From there on as well every address is the cluster's own.
    page.locator(".lane-labels a").first.click()
    expect(page).to_have_url(re.compile(rf"/clusters/{cluster}/deployments/default/web/\?at=\d+ms$"))
    expect(page.locator(".past")).to_contain_text(f"{cluster} as it was at 00:0")
    page.get_by_role("link", name="Back to now").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(cluster)
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("1×")
