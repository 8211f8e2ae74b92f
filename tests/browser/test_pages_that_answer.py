"""What scripts do beside the charts: logs that are followed, lines that are gone to, keys, forks compared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_rollout import apply, set_speed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TALKER = """\
apiVersion: v1
kind: Pod
metadata: {name: talker}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - name: app
    image: busybox
    command: [sh, -c, "trap '' TERM; i=0; while true; do i=$((i+1)); echo \\"line $i <b>\\"; sleep 1; done"]
"""

AT_END = """() => {
  const { scrollHeight, clientHeight, scrollTop } = document.querySelector('#log');
  return scrollHeight - clientHeight - scrollTop < 8;
}"""


def test_a_log_is_followed_and_searched_and_a_deletion_runs_towards_the_kill(page: Page, cluster: str):
    apply(page, TALKER)
    expect(page.locator("#answer")).to_contain_text("created")
    page.get_by_label("Run as fast as possible for, or until").fill("2m")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    page.goto(f"/clusters/{cluster}/pods/default/talker/")
    log = page.locator("#log")
    expect(log).to_contain_text("line 110 <b>")
    page.wait_for_function(AT_END)
    # Who reads further up is left there.
    log.evaluate("(element) => { element.scrollTop = 0; }")
    expect(page.get_by_role("checkbox", name="follow")).not_to_be_checked()
    page.get_by_label("Find in the log").fill("LINE 77")
    expect(log.locator("li")).to_have_count(1)
    expect(log.locator("mark")).to_have_text("line 77")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download", exact=True).click()
    assert download.value.suggested_filename == "talker-app.log"

    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator("#answer")).to_contain_text("deletion requested: its containers have 20s to end")
    # What is left until SIGKILL stands to the right of now.
    kill = """() => {
      const plot = document.querySelector('[data-figure^="pod:"] .chart');
      const bars = (plot.data ?? []).find(({ name }) => name === 'value-leaving');
      const ends = (bars?.customdata ?? []).filter((_, index) => bars.y[index] === 'container.app');
      return ends.length === 1 && ends[0] > 130_000 && plot.layout.xaxis.range[1] >= ends[0];
    }"""
    page.wait_for_function(kill)
    page.get_by_role("button", name="Resume", exact=True).click()
    set_speed(page, "60")
    expect(page.get_by_role("heading", name="Delete the pod")).to_have_count(0)


def test_the_line_that_a_problem_names_is_gone_to(page: Page, cluster: str):
    text = "\n".join(["# a comment"] * 60) + "\n" + TALKER.replace("image: busybox", "imagee: busybox")
    apply(page, text)
    place = page.locator("#answer [data-line]").first
    line = int(place.get_attribute("data-line") or 0)
    place.click()
    chosen = page.evaluate(
        """() => { const t = document.querySelector('#manifest');
          return [t.value.slice(t.selectionStart, t.selectionEnd), t === document.activeElement]; }"""
    )
    assert chosen == [text.split("\n")[line - 1], True]
    expect(page.locator("[data-gutter] .bad", has_text=re.compile(f"^{line}$"))).to_be_visible()
    # What is typed makes the problem old.
    page.locator("#manifest").press("End")
    page.keyboard.type(" ")
    expect(page.locator("[data-gutter] .bad")).to_have_count(0)


def test_keys_are_told_and_two_clusters_compared(page: Page, cluster: str):
    apply(page, TALKER)
    expect(page.locator(".lane-labels .lane").first).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("why it happened")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("j")
    expect(page.locator(".chart").first).to_be_focused()
    page.locator("#fork-title").locator("xpath=ancestor::section").get_by_role("button", name="Fork").click()
    page.wait_for_url(f"**/clusters/{cluster}-fork/")
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{cluster} and {cluster}-fork")
    expect(page.locator(".verdict")).to_contain_text(
        re.compile("No difference|first differ|Nothing to compare yet")
    )
