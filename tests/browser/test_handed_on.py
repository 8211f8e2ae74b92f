"""What leaves the building: a file that opens without a server, a link by which anybody looks and no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import STILL

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EVIL = "</script></pre><img src=x onerror=document.title='gotcha'>"
MANIFEST = f"""
apiVersion: v1
kind: Pod
metadata:
  name: lone
  annotations: {{podline.dev/behavior: "app: {{runs: [{{for: 1s, exit: 1}}]}}"}}
spec:
  containers:
  - name: app
    image: "busybox:1.36"
    command: [sh, -c, "echo '{EVIL.replace("'", "")}'; exit 1"]
    env: [{{name: X, value: "{EVIL}"}}]
"""
NARROW, WIDE = 390, 1440
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
POD = "pods/default/lone/"


@pytest.fixture
def shown(page: Page, cluster: str) -> Page:
    """The page of a pod with hostile text in what it was given."""
    page.get_by_label("Kubernetes YAML or JSON").fill(MANIFEST)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".workloads, .lane-labels").filter(has_text="lone").first).to_be_visible()
    page.goto(f"/clusters/{cluster}/{POD}")
    expect(page.locator("[data-live]")).to_have_text("Live")
    return page


# On a phone; the deep tests look at both widths, and at what makes the file and the link.
@pytest.mark.parametrize(
    "widths", [(NARROW,), pytest.param((WIDE, NARROW), marks=pytest.mark.deep)], ids=["first", "every"]
)
def test_what_is_handed_on_shows_a_page_and_changes_and_runs_nothing(
    shown: Page, browser: Browser, cluster: str, tmp_path: Path, widths: tuple[int, ...]
) -> None:
    check_file(shown, browser, tmp_path / "kept.html", widths)
    check_link(shown, browser, cluster, widths)


def check_file(shown: Page, browser: Browser, kept: Path, widths: tuple[int, ...]) -> None:
    """A downloaded page opens without a network, and runs nothing."""
    shown.locator("[data-menu] summary", has_text="Download").press("Enter")
    if WIDE in widths:
        assert not Axe().run(shown).response["violations"]
    table = shown.get_by_role("link", name="History as CSV").get_attribute("href") or ""
    assert "lone" in shown.request.get(table).text()
    copy = shown.locator("[data-copy-address]")
    copy.click()
    expect(copy).to_have_text("Copied")
    with shown.expect_download() as download:
        shown.get_by_role("link", name="One HTML file").click()
    download.value.save_as(kept)
    context = browser.new_context(offline=True, **STILL)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(kept.as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text("lone")
    expect(page.locator("svg.film").first).to_be_visible()
    page.get_by_text("Recorded:").click()
    expect(page.locator("details[open] pre")).to_contain_text('"name":"lone"')
    assert page.title() != "gotcha" and page.locator("img, script").count() == 0
    assert not said and asked == [kept.as_uri()]
    check_looks(page, widths)
    context.close()


def check_link(shown: Page, browser: Browser, cluster: str, widths: tuple[int, ...]) -> None:
    """Whoever has a link looks live, and changes nothing, until it is revoked."""
    # Of two menus one is open.
    shown.keyboard.press("Escape")
    shown.locator("[data-menu] summary", has_text="Share").press("Enter")
    shown.get_by_role("button", name="Make a link").click()
    link = shown.get_by_label("The link").input_value()
    if WIDE in widths:
        assert not Axe().run(shown).response["violations"]
    context = browser.new_context(**STILL)
    guest = context.new_page()
    said: list[str] = []
    guest.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    guest.goto(link)
    expect(guest.locator("[data-live]")).to_have_text("Live")
    expect(guest.locator("[data-skeleton]")).to_have_count(0)
    expect(guest.get_by_text("Somebody shared this with you")).to_be_visible()
    assert guest.locator("form[hx-post], form[method=post]").count() == 0
    # Pages beside it are there as well, as long as the link is.
    guest.get_by_role("link", name=cluster, exact=True).click()
    expect(guest.locator("[data-live]")).to_have_text("Live")
    check_looks(guest, widths)
    assert not said
    shown.goto(f"/clusters/{cluster}/people/")
    if WIDE in widths:
        assert not Axe().run(shown).response["violations"]
    shown.get_by_role("button", name="Revoke").click()
    expect(shown.get_by_text("None.")).to_be_visible()
    expect(guest.locator("[data-lost]")).to_be_visible()
    gone = guest.goto(link)
    assert gone is not None and gone.status == 404
    context.close()


def check_looks(page: Page, widths: tuple[int, ...]) -> None:
    """Nothing of a page is cut off, and nobody is kept from reading it."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(OVERFLOW) == 0
        assert not Axe().run(page).response["violations"]
