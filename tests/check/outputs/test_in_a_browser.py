"""The page of a check in a real browser that has no network: axe-core finds nothing, narrow and wide."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from lifecycle.benches.servers.chromium import launch
from lifecycle.check.outputs.as_html import make_html
from tests.check.conftest import say

pytestmark = [pytest.mark.browser, pytest.mark.deep]

LOOKS = [(width, scheme) for width in (1440, 390) for scheme in ("light", "dark")]
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def test_the_page_is_read_without_a_network(report, tmp_path):
    path = tmp_path / "check.html"
    path.write_text(make_html(say(report, "<script>document.title = 'hacked'</script>")))
    asked: list[str] = []
    with sync_playwright() as playwright, launch(playwright) as browser:
        # axe-core is a script, which the page forbids.
        page = browser.new_context(offline=True, bypass_csp=True).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.evaluate(OPEN_ALL)
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page).response["violations"]
            assert [one["id"] for one in found] == [], (width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.title() == "podline check: 2 findings: 2 serious"
    assert asked == [path.as_uri()]


def test_a_cell_opens_its_finding(report, tmp_path):
    path = tmp_path / "check.html"
    path.write_text(make_html(report))
    with sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_context(offline=True, java_script_enabled=False).new_page()
        page.goto(path.as_uri())
        last = report.findings[-1]
        assert not page.locator(f"[id='{last.id}']").is_visible()
        page.locator(f"a[href='#{last.id}']").click()
        page.locator(f"[id='{last.id}']").wait_for(state="visible")
