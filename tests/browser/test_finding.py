"""Finding pods and events, and an address that keeps what is asked for."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.figures import rows, wait_for_rows

pytestmark = pytest.mark.browser

PODS = "\n---\n".join(
    f"{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}},"
    f" spec: {{containers: [{{name: app, image: '{image}', command: {command}}}]}}}}"
    for name, image, command in (
        ("calm", "busybox:1.36", "[sleep, '100000']"),
        ("broken", "busybox:1.36", "['false']"),
    )
)


def test_what_is_asked_for_the_stretch_and_the_selection_are_kept_by_the_address(page: Page, cluster: str):
    page.get_by_label("Kubernetes YAML or JSON").fill(PODS)
    page.get_by_role("button", name="Apply", exact=True).click()
    wait_for_rows(page, "default/", None, 2)
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("calm")
    expect(page).to_have_url(re.compile(r"/\?q=calm$"))
    _wait_for(page, {"default/calm"})
    subjects = page.locator(".events .subject")
    expect(subjects.first).to_contain_text("calm")
    assert not any("broken" in text for text in subjects.all_inner_texts())
    page.reload()
    expect(page.get_by_role("searchbox")).to_have_value("calm")
    _wait_for(page, {"default/calm"})
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("")
    _wait_for(page, {"default/calm", "default/broken"})
    page.get_by_role("searchbox").fill("nothing-like-it")
    expect(page.get_by_text("No pod is like that")).to_be_visible()
    expect(page.get_by_text("No pods yet")).to_be_hidden()
    assert page.evaluate("document.querySelector('.chart').data.length") == 0, "what is hidden tells nothing"
    page.get_by_role("searchbox").fill("")
    check_chip(page)
    check_kept(page)


def check_chip(page: Page) -> None:
    """A chip of the legend asks for its state."""
    wait_for_rows(page, "default/calm", "ready", 1)
    chip = page.get_by_role("button", name="Ready", exact=False).first
    chip.click()
    expect(page.get_by_role("searchbox")).to_have_value("status:ready")
    expect(chip).to_have_attribute("aria-pressed", "true")
    chip.click()
    expect(page.get_by_role("searchbox")).to_have_value("")


def check_kept(page: Page) -> None:
    """The stretch and the selection are in the address as well."""
    chart = page.locator(".chart").first
    expect(chart).to_be_visible()
    chart.press("+")
    expect(page).to_have_url(re.compile("from=.*to="))
    # It may be folded away by now, with the others of its pod's start.
    page.locator(".events > li > .reason").first.dispatch_event("click")
    expect(page.locator("[data-why-panel]")).to_be_visible()
    expect(page).to_have_url(re.compile("sel="))
    page.reload()
    expect(page.locator("[data-why-panel]")).to_be_visible()
    expect(page.locator("[data-follow]")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("[data-follow]").click()
    page.wait_for_function("() => location.search === ''")


def _wait_for(page: Page, expected: set[str]) -> None:
    page.wait_for_function(
        """(count) => new Set(document.querySelector(".chart").data?.flatMap((one) =>
          one.type === "bar" && one.customdata ? one.y : [])).size === count""",
        arg=len(expected),
    )
    assert rows(page, "default/") == expected
