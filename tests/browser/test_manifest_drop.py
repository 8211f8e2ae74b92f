"""A folder dropped on a cluster's page: told of, then alive with one click."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.figures import wait_for_rows
from tests.browser.test_rollout import MANIFEST, REPLICAS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Upper}\n"
MANY = 150
"""More than a browser names at once."""


def drop(page: Page, path: Path) -> None:
    """As from the desktop: only the browser's own protocol can drop a folder."""
    target = page.get_by_role("heading", name="Events").bounding_box()
    devtools = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        place = {"x": target["x"] + 5, "y": target["y"] + 5}
        devtools.send("Input.dispatchDragEvent", {"type": kind, "data": data} | place)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        ".git/config": "x",
        "README.md": "# shop",
        "apps/web.yaml": MANIFEST.format(name="web"),
        "broken.yaml": BROKEN,
        **{f"notes/{number}.txt": "x" for number in range(MANY)},
    }
    for name, text in files.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "shop"


def test_a_dropped_folder_is_told_of_and_then_applied_with_one_click(page: Page, cluster: str, folder: Path):
    drop(page, folder)
    report = page.locator(".report")
    expect(report.get_by_role("heading", name="1 object from 1 file is right")).to_be_visible()
    expect(report).to_contain_text("shop/broken.yaml")
    expect(report).to_contain_text("metadata.name")
    expect(report).to_contain_text("shop/.git: hidden")
    expect(report).to_contain_text(f"{MANY + 2} skipped")
    assert page.get_by_role("button", name="Read again").is_hidden()
    # What is applied is what was told of, whatever becomes of the files meanwhile.
    (folder / "apps" / "web.yaml").write_text("gone: true\n")
    report.get_by_role("button", name="Apply the 1 object that is right").click()
    expect(page.locator("#answer")).to_contain_text("Deployment web")
    expect(page.locator("#answer")).to_contain_text("created")
    wait_for_rows(page, "default/web-", None, REPLICAS)
    expect(page.get_by_label("Kubernetes YAML or JSON")).to_be_visible()


def test_chosen_files_can_be_put_away_again(page: Page, cluster: str, folder: Path):
    page.locator("#folder").set_input_files(folder)
    expect(page.locator(".report")).to_contain_text("1 refused")
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".report")).to_have_count(0)
    page.get_by_label("Kubernetes YAML or JSON").fill(BROKEN)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator("#answer")).to_contain_text("metadata.name")
    expect(page.locator("#answer")).not_to_contain_text("shop/")
