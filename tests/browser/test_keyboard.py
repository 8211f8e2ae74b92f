"""The keyboard alone reaches all that a page has: every control and link, every bar and mark, every panel."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import READ
from tests.browser.test_accessibility import FEW, MANIFEST
from tests.browser.test_every_page import KINDS
from tests.seeds import one_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Numbers all that takes the focus, in the page's order; hears what gets it, and how that is seen.
PREPARE = """() => {
  const takers = "a[href], button, input, select, textarea, summary, [tabindex]";
  const isThere = (one) => one.tabIndex >= 0 && !one.disabled && one.type !== "hidden"
    && one.checkVisibility({visibilityProperty: true}) && !one.closest("[inert]");
  const found = [...document.querySelectorAll(takers)].filter(isThere);
  found.forEach((one, index) => { one.dataset.walk = index; });
  // From the top of the page on.
  const top = document.createElement("i");
  top.tabIndex = -1;
  document.body.prepend(top);
  top.focus();
  window.walked = [];
  document.addEventListener("focusin", ({target}) => {
    // An editor shows the ring of its field, a button that of the file field before it.
    const label = target.matches("[type=file]") && target.nextElementSibling;
    const shown = [target, target.closest(".editor"), label];
    const isSeen = shown.filter(Boolean).some((one) => {
      const {outlineStyle, outlineWidth} = getComputedStyle(one);
      const {width, height, right, bottom} = one.getBoundingClientRect();
      const isInside = width > 0 && height > 0 && right > 0 && bottom > 0;
      return isInside && outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
    });
    window.walked.push([target.dataset.walk ?? "", isSeen, target.outerHTML.slice(0, 120)]);
  });
  return found.map((one) => one.outerHTML.slice(0, 120));
}"""
HELD = "() => document.querySelector('.cursor:not([hidden])') !== null"
LANES = """(plot) => {
  const shown = plot.data.filter((trace) => trace.type === "bar" || trace.mode === "markers");
  return plot.layout.yaxis.type === "category" ? new Set(shown.flatMap((trace) => trace.y)).size : 1;
}"""
SAID = "() => document.querySelector('.chart:focus ~ [aria-live]')?.textContent ?? ''"


def walk(page: Page) -> list[str]:
    """What is wrong with a walk by Tab from the top of the page to its end."""
    there: list[str] = page.evaluate(PREPARE)
    walked: list[tuple[str, bool, str]] = []
    order: list[int] = []
    # What came to a live page after it was numbered, logs for one, takes a step as well.
    for steps in (len(there), *[1] * 20):
        for _ in range(steps):
            page.keyboard.press("Tab")
        walked = page.evaluate("() => window.walked")
        order = [int(number) for number, _, _ in walked if number]
        if len({*order}) == len(there):
            break
    wrong = [f"never reached: {there[number]}" for number in sorted({*range(len(there))} - {*order})]
    wrong += [f"focus is not seen: {what}" for _, is_seen, what in walked if not is_seen]
    if order != sorted(order):
        wrong.append(f"not in the order of the page: {order}")
    return [f"{page.url}: {one}" for one in wrong]


def go_through_charts(page: Page) -> list[str]:
    """Arrows lead to every row of every chart that has anything, and Enter tells why; Escape leads back."""
    wrong = []
    for chart in page.locator(".chart:visible").all():
        if not chart.evaluate("(plot) => Boolean(plot.data?.length)"):
            continue
        chart.focus()
        rows = chart.evaluate(LANES)
        said = set()
        for _ in range(rows):
            page.keyboard.press("ArrowDown")
            said.add(page.evaluate(SAID))
        if not page.evaluate(HELD) or len(said) < min(rows, 2):
            wrong.append(f"{page.url}: of {rows} rows {len(said)} were told")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        panel = page.locator("[data-why-panel]")
        if panel.is_visible():
            page.keyboard.press("Escape")
            expect(panel).to_be_hidden()
            if not chart.evaluate("(plot) => plot === document.activeElement"):
                wrong.append(f"{page.url}: focus does not come back to the chart")
        page.keyboard.press("Escape")
    return wrong


def go_through_menus(page: Page) -> list[str]:
    """Enter opens each, Tab goes through all that it has, Escape leads back."""
    wrong = []
    for menu in page.locator("[data-menu]:visible").all():
        menu.locator("summary").press("Enter")
        for one in menu.locator("a[href], button, select").all():
            page.keyboard.press("Tab")
            if not one.evaluate("(one) => one === document.activeElement"):
                wrong.append(f"{page.url}: not reached in its menu: {one.inner_text()}")
        page.keyboard.press("Escape")
        expect(menu).not_to_have_attribute("open", "")
        expect(menu.locator("summary")).to_be_focused()
    return wrong


def fill(page: Page, manifest: str) -> None:
    """What it says, after a minute."""
    page.get_by_label("Kubernetes YAML or JSON").fill(manifest)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".workloads")).to_contain_text("CronJob")
    page.get_by_label("Run as fast as possible").fill("70s")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")


def open_dialog(page: Page) -> None:
    """`?` opens the list of keys, Escape closes it."""
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


EVERY = ["", *KINDS.values(), "?at=5s", "deployments/default/web/?at=60s"]
# That of a workload has all that pages have: charts, menus, a panel; the deep tests walk every one.
FIRST = ["deployments/default/web/"]


@pytest.mark.parametrize(
    "paths, manifest",
    [(FIRST, FEW), pytest.param(EVERY, MANIFEST, marks=pytest.mark.deep)],
    ids=["first", "every"],
)
def test_the_keyboard_alone_reaches_everything(page: Page, cluster: str, paths: list[str], manifest: str):
    fill(page, manifest)
    heard: list[Any] = []
    page.on("console", lambda said: heard.append(said.text) if said.type in ("error", "warning") else None)
    wrong = []
    for path in paths:
        page.goto(f"/clusters/{cluster}/{path}")
        expect(page.locator("[data-live]")).to_have_count(1)
        expect(page.locator("[data-skeleton]")).to_have_count(0)
        # A menu closes as another is opened.
        closed = page.locator("details:not([open], [data-menu]) > summary:visible")
        while closed.count():
            closed.first.press("Enter")
        # What is read only when it is opened is there then.
        if page.locator("[data-yaml]").count():
            expect(page.locator("[data-yaml] pre")).to_be_visible()
        page.wait_for_load_state("networkidle")
        wrong += walk(page)
        wrong += go_through_menus(page)
        wrong += go_through_charts(page)
        page.locator("h1").click()
        open_dialog(page)
    assert wrong == [], "\n".join(wrong)
    assert not heard, heard


# For each picture of the gallery a story is run.
@pytest.mark.parametrize("path", one_in(3, ["/api/docs/", "/", "/gallery/"]))
def test_pages_without_a_cluster_are_walked_too(page: Page, path: str):
    page.goto(path, wait_until=READ)
    wrong = walk(page)
    assert wrong == [], "\n".join(wrong)


def test_the_page_of_the_rest_api_asks_by_the_keyboard_and_leaves_out_what_is_empty(page: Page, cluster: str):
    page.goto("/api/docs/")
    form = page.locator("form[data-api-path$='/events']")
    form.get_by_label("cluster").fill(cluster)
    form.get_by_label("limit").fill("3")
    form.get_by_label("format").select_option("ndjson")
    with page.expect_request("**/events?**") as asked:
        form.get_by_label("limit").press("Enter")
    assert asked.value.url.endswith(f"/api/clusters/{cluster}/events?limit=3&format=ndjson")
