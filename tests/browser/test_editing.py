"""What scripts do where an object is edited: fields are offered, faults marked, small forms write."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.test_rollout import MANIFEST, apply

pytestmark = [pytest.mark.browser, pytest.mark.slow]


# The deep tests look at it on a wide page, and in the dark, as well.
LOOKS = ((390, "light"), (390, "dark"), (1440, "light"), (1440, "dark"))


@pytest.mark.parametrize(
    "looks", [LOOKS[:1], pytest.param(LOOKS, marks=pytest.mark.deep)], ids=["first", "every"]
)
def test_an_object_is_edited_by_keyboard_and_by_small_forms(
    page: Page, cluster: str, looks: tuple[tuple[int, Literal["light", "dark"]], ...]
):
    apply(page, MANIFEST.format(name="web"))
    expect(page.locator("#answer")).to_contain_text("created")
    here = f"/clusters/{cluster}/deployments/default/web/"
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto(here, wait_until="domcontentloaded")
    expect(page.get_by_role("button", name="Edit YAML")).to_be_visible()
    # Nothing of the editor comes before it is opened.
    assert not [url for url in loaded if "codemirror" in url or "/edit/" in url or "edit.css" in url]
    page.goto(f"{here}?edit", wait_until="domcontentloaded")
    text = page.get_by_role("textbox", name="YAML of Deployment web")
    expect(text).to_be_focused()
    part = page.locator("#edit")

    # A letter is a letter, not a key of the page; what is offered is of the field tables.
    page.keyboard.press("Control+End")
    page.keyboard.type("  pa")
    expect(page.get_by_role("option", name="paused")).to_be_visible()
    # What is offered is taken only when it has stood there for a moment.
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    page.keyboard.type("jk")
    expect(part.locator("[data-field]")).to_have_text("spec.paused: boolean")
    page.keyboard.press("Control+Enter")
    expect(part.locator(".answer .path")).to_have_text("spec.paused")
    expect(part.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(text).to_contain_text("paused: jk")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("false")
    # What the cluster says of a field stands at the field of the small form, too.
    part.get_by_text("Strategy", exact=True).click()
    field = part.get_by_label("progressDeadlineSeconds")
    field.fill("1")
    field.press("Enter")
    part.get_by_role("button", name="Difference").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("-3")
    field.press("Enter")
    expect(part.get_by_text("A whole number is needed, 1 or more")).to_be_visible()
    field.fill("7")
    field.press("Enter")
    expect(text).to_contain_text("progressDeadlineSeconds: 7")
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 1000})
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, context="#edit")
        assert not found.response["violations"], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    text.focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    part.get_by_role("button", name="Apply").click()
    expect(part.locator(".answer")).to_contain_text("configured")
    expect(part.locator(".cm-lint-marker-error")).to_have_count(0)
    part.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Edit YAML")).to_be_focused()

    # Nobody is asked whether to leave what was written: it goes along.
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.keyboard.press("Enter")
    part.get_by_text("Strategy", exact=True).click()
    part.get_by_label("maxUnavailable").fill("0")
    part.get_by_label("maxUnavailable").press("Tab")
    part.get_by_role("button", name="Compare in a fork").click()
    page.wait_for_url(f"**/clusters/{cluster}/compare/{cluster}-fork/", wait_until="domcontentloaded")
    page.get_by_role("button", name="Let both run on").click()
    expect(page.get_by_role("table").filter(has_text="From first to last change")).to_be_visible()
