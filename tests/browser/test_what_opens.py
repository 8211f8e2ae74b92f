"""axe-core finds nothing on what the keyboard opens over a page: both themes, on a desk and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import ENDING, FEW, find_violations
from tests.browser.test_check_page import STUCK

pytestmark = [pytest.mark.browser, pytest.mark.deep]

# Between these two it comes out otherwise.
COMPARED = ("v1.35", "v1.36")
ENDS_AT_ONCE = f"{{apiVersion: v1, kind: Pod, metadata: {{name: once}}, spec: {ENDING}}}"


def test_what_opens_over_a_cluster_by_the_keyboard_is_for_everybody(page: Page, cluster: str):
    """A stretch, a command, a link, the table."""
    apply_few(page)
    run_for_a_minute(page)
    page.goto(f"/clusters/{cluster}/")
    expect(page.locator("[data-skeleton]")).to_have_count(0)
    found = []
    for open_by_keys in (open_stretch, open_palette, open_link, open_table):
        open_by_keys(page)
        found += find_violations(page)
        page.set_viewport_size({"width": 1440, "height": 900})
    assert found == [], "\n".join(found)


def apply_few(page: Page) -> None:
    page.get_by_label("Kubernetes YAML or JSON").fill(FEW)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".workloads")).to_contain_text("CronJob")


def run_for_a_minute(page: Page) -> None:
    page.get_by_label("Run as fast as possible").fill("1m")
    page.keyboard.press("Enter")
    expect(page.locator("[data-speed]")).to_have_text("paused")


def open_stretch(page: Page) -> None:
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("s")
    expect(page.locator("[data-stretch]")).to_contain_text("In these")


def open_palette(page: Page) -> None:
    page.locator("h1").click()
    page.keyboard.press(":")
    expect(page.get_by_role("combobox", name="Command")).to_be_focused()
    page.keyboard.type("cord")
    expect(page.locator("dialog.palette").get_by_role("option")).to_have_count(1)


def open_link(page: Page) -> None:
    page.keyboard.press("Escape")
    share = page.locator("[data-menu] summary", has_text="Share")
    share.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("The link")).to_be_visible()


def open_table(page: Page) -> None:
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Table").press("Enter")
    expect(page.get_by_role("grid")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".grid [aria-selected=true]")).to_have_count(1)


def test_an_editor_is_for_everybody(page: Page, cluster: str):
    """With the difference, with what would come of it, and with what somebody else wrote meanwhile."""
    apply_few(page)
    page.goto(f"/clusters/{cluster}/deployments/default/web/?edit")
    part, text = page.locator("#edit"), page.get_by_role("textbox", name="YAML of Deployment web")
    expect(text).to_be_focused()
    write_least_seconds(page, 3)
    part.get_by_role("button", name="Difference").press("Enter")
    expect(part.locator(".answer")).to_contain_text("spec.minReadySeconds")
    found = find_violations(page)
    part.get_by_role("button", name="Preview").press("Enter")
    expect(part.locator(".answer table")).to_have_count(0)
    expect(part.locator(".answer .said").first).to_be_visible()
    found += find_violations(page)
    other = page.context.new_page()
    other.goto(f"/clusters/{cluster}/deployments/default/web/?edit")
    expect(other.get_by_role("textbox", name="YAML of Deployment web")).to_be_focused()
    write_least_seconds(other, 4)
    other.keyboard.press("Control+Enter")
    expect(other.locator("#edit .answer")).to_contain_text("configured")
    other.close()
    text.focus()
    page.keyboard.press("Control+Enter")
    expect(part.get_by_role("alert")).to_contain_text("was changed by somebody else")
    found += find_violations(page)
    assert found == [], "\n".join(found)


def write_least_seconds(page: Page, count: int) -> None:
    """Below the spec of a Deployment, with which its text ends."""
    page.keyboard.press("Control+End")
    page.keyboard.type(f"  minReadySeconds: {count}")


def test_what_was_tried_ahead_is_for_everybody(page: Page, cluster: str):
    """The page of a finished check, with what was found."""
    page.get_by_label("Kubernetes YAML or JSON").fill(STUCK)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#answer")).to_contain_text("created")
    run_for_a_minute(page)
    page.goto(f"/clusters/{cluster}/check/")
    page.locator("summary", has_text="Choose ordeals").press("Enter")
    page.get_by_role("checkbox", name=re.compile("^drain-each ")).press("Space")
    page.get_by_role("button", name="Start").press("Enter")
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    found = find_violations(page)
    page.get_by_role("button", name=re.compile("^drain-each of ")).first.press("Enter")
    expect(page.locator("#findings-title")).to_be_visible()
    found += find_violations(page)
    assert found == [], "\n".join(found)


def test_what_comes_out_otherwise_is_for_everybody(page: Page):
    """The page of releases, with differences."""
    page.goto("/releases/")
    page.get_by_label("Kubernetes YAML or JSON").fill(ENDS_AT_ONCE)
    for box in page.locator("input[name=releases]").all():
        if box.is_checked() != (box.get_attribute("value") in COMPARED):
            box.press("Space")
    page.get_by_label("Kubernetes YAML or JSON").press("Control+Enter")
    expect(page.locator("#comparison-title")).to_contain_text("of Kubernetes show")
    expect(page.locator("[data-beside]").first).to_be_visible()
    found = find_violations(page)
    assert found == [], "\n".join(found)
