"""Releases side by side in a browser, by the keyboard alone: asked for, read, gone through by the cursor."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ONCE = """\
apiVersion: v1
kind: Pod
metadata: {name: once}
spec:
  restartPolicy: Never
  containers: [{name: app, image: busybox, command: [sh, -c, exit 0]}]
"""
OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_what_comes_out_otherwise_is_read_and_gone_through_without_a_mouse(page: Page):
    page.goto("/releases/")
    page.get_by_label("Kubernetes YAML or JSON").fill(ONCE)
    for name in ("v1.23.1", "v1.34", "v1.35", "v1.36", "v1.37"):
        page.locator(f"input[value='{name}']").set_checked(name in ("v1.35", "v1.36"))
    page.get_by_label("Kubernetes YAML or JSON").press("Control+Enter")
    expect(page.locator("#comparison-title")).to_contain_text("of Kubernetes show", timeout=60_000)

    film = page.locator("[data-beside]").first
    slider = film.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    # kubernetes/kubernetes#137362: in the end both are alike, between them v1.36 says that it ran.
    expect(film.locator("[data-now]")).to_have_text(["Succeeded", "Succeeded"])
    page.keyboard.press("Home")
    expect(film.locator("[data-line]")).to_be_visible()
    for width, scheme in ((1440, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme)
        assert not page.evaluate(OVERFLOW)
        assert not Axe().run(page).response["violations"]
