"""A check started in a browser: its scorecard fills without a reload, a cell opens what was found."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.test_rollout import apply

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Its only pod stands behind a budget that allows none to go: a drain waits for ever.
STUCK = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: 'nginx:1.27'}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
"""


def test_a_scorecard_fills_and_its_cells_open_what_was_found(page: Page, cluster: str):
    apply(page, STUCK)
    expect(page.locator("#answer")).to_contain_text("created")
    page.get_by_label("Run as fast as possible for, or until").fill("1m")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    page.get_by_role("link", name="Check", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Live")
    expect(page.locator("#check-status")).to_contain_text("No check yet")

    page.get_by_text("Choose ordeals").click()
    for ordeal in ("drain-each", "rollout-healthy"):
        page.get_by_role("checkbox", name=re.compile(f"^{ordeal} ")).check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    expect(page.locator(".scorecard thead th")).to_have_text(["Workload", "rollout-healthy", "drain-each"])

    page.get_by_role("button", name="drain-each of Deployment/default/web: ").press("Enter")
    expect(page.locator("#findings-title")).to_have_text("Findings: drain-each of Deployment/default/web")
    assert not Axe().run(page).response["violations"]
    page.get_by_role("button", name=re.compile("^Open the counter-example of drain-each")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{cluster}-drain-each")
    expect(page.get_by_role("heading", name="Pods")).to_be_visible()
