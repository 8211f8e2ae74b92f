"""What scripts do on the page of a workload: flags that say why, words on bars, suspending a Job."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_rollout import MANIFEST, apply, set_speed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: busybox, command: [sleep, "600"]}]
"""


def test_a_flag_says_what_was_asked_and_leads_to_what_it_did(page: Page, cluster: str):
    apply(page, MANIFEST.format(name="web"))
    expect(page.locator("#answer")).to_contain_text("created")
    set_speed(page, "10")
    # Its link is there once it is recorded.
    page.get_by_role("link", name="web", exact=True).last.click()
    page.get_by_label("Replicas").fill("2")
    page.get_by_role("button", name="Scale").click()
    expect(page.locator("#answer")).to_contain_text("scaled to 2")
    timeline = page.locator('[data-figure="timeline:default/Deployment/web"]')
    flag = timeline.get_by_role("button", name="scale replicas 2 Deployment web")
    expect(flag).to_be_visible()
    flag.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-why-panel]")).to_contain_text("scale replicas 2")
    page.keyboard.press("Escape")
    expect(flag).to_be_focused()
    # A bar that has become wide enough says its state and how long it has been so.
    page.wait_for_function(
        """() => [...document.querySelectorAll(".bartext")]
          .some((one) => /^Ready \\d/.test(one.textContent))"""
    )
    # In a window that becomes narrow, no chart stays as wide as it was, in sight or not.
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")


def test_a_job_is_suspended_and_resumed(page: Page, cluster: str):
    apply(page, JOB)
    expect(page.locator("#answer")).to_contain_text("created")
    page.goto(f"/clusters/{cluster}/jobs/default/work/")
    expect(page.locator(".verdict")).to_contain_text("1 active")
    page.get_by_role("button", name="Suspend", exact=True).click()
    expect(page.locator(".verdict")).to_contain_text("suspended")
    expect(page.get_by_role("button", name="Suspend", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator(".verdict")).not_to_contain_text("suspended")
