"""One real stack and one real browser for all browser tests: `manage.py up`, Chromium, nothing faked."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from lifecycle.benches.chromium import PROGRAM, launch

TOP = Path(__file__).resolve().parents[2]
READY = "Podline is ready: "
START_SECONDS, STOP_SECONDS = 180, 60
# Home has pictures, each of a story that is run for it: nobody here waits for them.
READ: Literal["domcontentloaded"] = "domcontentloaded"
# The machine may be slow and busy; nothing here waits for time to pass, but for what has to come.
PATIENCE_MS = 45_000
expect.set_options(timeout=PATIENCE_MS)
# What a page may never say, whatever a test does with it.
ALARMING = ("Content Security Policy", "Uncaught", "Refused to")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="package")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The sign-in link a fresh `manage.py up` prints."""
    data = tmp_path_factory.mktemp("up")
    command = [sys.executable, "manage.py", "up", "--port", str(free_port()), "--data", str(data)]
    unwanted = {"REDIS_URL", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    log = (data / "up.log").open("w+")
    process = subprocess.Popen(
        command, cwd=TOP, env=environment, stdout=log, stderr=log, start_new_session=True
    )
    try:
        yield _wait_for_link(process, data / "up.log")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(STOP_SECONDS) == 0, (data / "up.log").read_text()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            log.close()


def _wait_for_link(process: subprocess.Popen, log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            if line.startswith(READY):
                return line.removeprefix(READY).strip()
        time.sleep(0.1)
    pytest.fail(f"`manage.py up` did not get ready:\n{log.read_text()}")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not Path(PROGRAM).exists():
        pytest.skip(f"no Chromium at {PROGRAM}: `make test` installs it")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def signed_in(browser: Browser, entry: str) -> Iterator[BrowserContext]:
    """A browser that has followed the link, and can go anywhere from there."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 1000}, base_url=entry.split("/enter/")[0]
    )
    page = context.new_page()
    page.goto(entry, wait_until=READ)
    assert page.url.rstrip("/") == entry.split("/enter/")[0]
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    """A page that may not break the policy or throw."""
    page = signed_in.new_page()
    page.set_default_timeout(PATIENCE_MS)
    alarms: list[str] = []
    page.on("pageerror", lambda error: alarms.append(str(error)))
    page.on("console", lambda message: alarms.append(message.text) if _alarms(message.text) else None)
    yield page
    page.close()
    assert not alarms, alarms


@pytest.fixture
def cluster(page: Page) -> str:
    """A cluster of this test's own, made with the form, open in the page and live."""
    name = f"t{time.time_ns() % 10**10}"
    page.goto("/", wait_until=READ)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Live")
    return name


def _alarms(text: str) -> bool:
    return any(word in text for word in ALARMING)
