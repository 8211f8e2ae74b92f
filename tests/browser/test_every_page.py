"""The page of every kind: quiet in the console, no other host asked, one axis, links, tips, and why."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.test_accessibility import FEW, MANIFEST

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KINDS = {
    "Deployment": "deployments/default/web/",
    "StatefulSet": "statefulsets/default/web/",
    "DaemonSet": "daemonsets/default/web/",
    "ReplicaSet": "replicasets/default/web/",
    "ReplicationController": "replicationcontrollers/default/web/",
    "Job": "jobs/default/web/",
    "CronJob": "cronjobs/default/web/",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers/default/web/",
    "PodDisruptionBudget": "poddisruptionbudgets/default/web/",
    "Service": "services/default/web/",
    "Node": "nodes/node-1/",
    "Pod": "pods/default/crashing/",
}
RANGES = """() => [...document.querySelectorAll('.chart')].filter((plot) => plot.layout)
  .map((plot) => plot.layout.xaxis.range)"""
MOST_LOOKS = 30
IS_ONE_AXIS = """(shown) => shown.every((range) => range.every(
  (at, end) => Math.abs(at - shown[0][end]) < 500))"""
EDGES = """() => [...document.querySelectorAll('.chart')].filter((plot) => plot.layout)
  .map((plot) => {
    const {left, right} = plot.querySelector('.nsewdrag').getBoundingClientRect();
    return [left, right];
  })"""
PLACE = """(plot) => {
  const {left, top, width} = plot.getBoundingClientRect();
  const trace = plot.data.find((one) => one.type === "bar" && one.y.length && one.name !== "ahead");
  if (!trace) return [left + width / 2, top + 120];
  const [from, to] = plot.layout.xaxis.range;
  const row = plot.layout.yaxis.categoryarray.indexOf(trace.y[0]) + 0.5;
  const at = Math.max(trace.base[0], from) + (Math.min(trace.base[0] + trace.x[0], to) - trace.base[0]) / 2;
  return [left + 8 + ((at - from) / (to - from)) * (width - 24), top + 46 + row * plot.layout.meta.rowHeight];
}"""


@pytest.mark.parametrize(
    "kinds, manifest",
    [
        ({kind: KINDS[kind] for kind in ("Deployment", "Pod")}, FEW),
        pytest.param(KINDS, MANIFEST, marks=pytest.mark.deep),
    ],
    ids=["first", "every"],
)
def test_each_kind_has_a_page_that_says_what_goes_on_why_and_no_more(
    page: Page, cluster: str, kinds: dict[str, str], manifest: str
):
    """What a page of any kind has to say, and that it says no more, in a browser."""
    heard: list[str] = []
    page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
    origin = page.url.split("/clusters/")[0]
    page.on("request", lambda asked: heard.append(asked.url) if _is_away(asked.url, origin) else None)
    page.get_by_label("Kubernetes YAML or JSON").fill(manifest)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".workloads")).to_contain_text("CronJob")
    page.get_by_label("Run as fast as possible").fill("70s")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    for kind, path in kinds.items():
        page.goto(f"/clusters/{cluster}/{path}")
        expect(page.locator("[data-live]")).to_have_text("Live")
        expect(page.locator("[data-skeleton]")).to_have_count(0)
        expect(page.locator("h1")).to_contain_text(kind)
        # A sentence, with a full stop.
        assert page.locator(".verdict").first.inner_text().strip().endswith("."), kind
        page.wait_for_function(f"() => ({RANGES})().length > 0")
        _check_one_axis(page)
        _check_tip(page)
        _check_why(page, kind)
    page.goto(f"/clusters/{cluster}/")
    expect(page.locator(".flags button").first).to_be_attached()
    subject = page.locator("a.subject", has_text="Pod default/crashing").first
    subject.click()
    expect(page.locator("h1")).to_contain_text("crashing")
    assert not heard, heard


# That of a cluster does so in `test_cluster_page`.
@pytest.mark.deep
def test_no_page_of_any_kind_goes_on_without_its_server(page: Page, cluster: str):
    """Problem 4: the clock stands, and with it what is drawn, and the page says of when they are."""
    sockets: list[WebSocketRoute] = []

    def join(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if len(sockets) > 1:
            socket.close()
        else:
            socket.connect_to_server()

    page.route_web_socket("**/ws/**", join)
    page.get_by_label("Kubernetes YAML or JSON").fill(MANIFEST)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".workloads")).to_contain_text("CronJob")
    page.get_by_label("Speed").select_option("10")
    page.wait_for_timeout(500)
    for kind, path in {"Cluster": "", **KINDS}.items():
        # The page before tries again: its socket is none of this one's.
        page.goto("about:blank")
        sockets.clear()
        page.goto(f"/clusters/{cluster}/{path}")
        expect(page.locator("[data-live]")).to_have_text("Live")
        page.wait_for_function(f"() => ({RANGES})().length > 0")
        sockets[0].close()
        expect(page.locator("[data-lost]"), kind).to_be_visible()
        expect(page.locator("[data-lost]"), kind).to_contain_text("What you see is of")
        assert _comes_to_stand(page), kind


def _comes_to_stand(page: Page) -> bool:
    """Whether clock and drawing do, if not at once: what was on its way is drawn yet."""
    shown = f"() => [document.querySelector('[data-clock]').textContent, ({RANGES})()]"
    seen: list[Any] = []
    for _ in range(MOST_LOOKS):
        seen.append(page.evaluate(shown))
        if seen[-3:] == [seen[-1]] * 3:
            return True
        page.wait_for_timeout(200)
    return False


def _is_away(address: str, origin: str) -> bool:
    own = (origin, origin.replace("http", "ws", 1), "data:", "blob:")
    return not address.startswith(own)


def _check_one_axis(page: Page) -> None:
    """All charts of a page show the same stretch in the same columns, and one line where the pointer is."""
    page.wait_for_function(f"() => ({IS_ONE_AXIS})(({RANGES})())")
    edges = page.evaluate(EDGES)
    assert all(abs(one - first) < 1 for shown in edges for one, first in zip(shown, edges[0], strict=True)), (
        page.url,
        edges,
    )
    before = page.evaluate(RANGES)[0]
    chart = page.locator(".chart:visible").first
    chart.focus()
    page.keyboard.press("+")
    shorter = f"(most) => ({RANGES})().every(([from, to]) => to - from < most)"
    page.wait_for_function(shorter, arg=(before[1] - before[0]) * 0.9)
    page.wait_for_function(f"() => ({IS_ONE_AXIS})(({RANGES})())")
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    lines = page.locator(".chart:visible").evaluate_all(
        """(plots) => plots.filter((plot) => plot.layout)
          .map((plot) => plot.style.getPropertyValue('--pointer'))"""
    )
    assert len(set(lines)) == 1 and lines[0], (page.url, lines)
    page.mouse.move(0, 0)
    page.keyboard.press("Home")
    page.wait_for_function(
        f"(least) => ({RANGES})().every(([from, to]) => to - from > least)", arg=(before[1] - before[0]) * 0.9
    )


def _check_tip(page: Page) -> None:
    """Beside the pointer is said what is drawn there, and never the words of an earlier state."""
    x, y = page.locator(".chart").first.evaluate(PLACE)
    page.mouse.move(x, y)
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box is not None and abs(box["x"] - x) < 460 and abs(box["y"] - y) < 400
    lines = tip.inner_text().splitlines()
    if "· Ready" in lines[0]:
        assert not any("ContainersNotReady" in line for line in lines), lines
    page.mouse.move(0, 0)


def _check_why(page: Page, kind: str) -> None:
    """The keyboard alone gets the chain of what led to an event."""
    reason = page.locator(".events > li > .reason").first
    if not reason.count():
        return
    reason.focus()
    page.keyboard.press("Enter")
    panel = page.locator("[data-why-panel]")
    expect(panel).to_be_visible()
    chain = panel.locator(".chain li")
    assert chain.count() > 1 or kind in ("Node", "PodDisruptionBudget", "HorizontalPodAutoscaler"), kind
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
