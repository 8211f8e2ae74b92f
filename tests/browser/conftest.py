"""A real Podline and a real browser: Chromium, the ASGI application and the engine, nothing faked.

Podline is in one process, which starts in a moment (`one_process`). What is marked `up` has it as people have
it: `manage.py up`, with Redis, workers, ticker and web server.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from lifecycle.benches.servers.chromium import PROGRAM, launch

TOP = Path(__file__).resolve().parents[2]
READY = "Podline is ready: "
START_SECONDS, STOP_SECONDS = 180, 180
# Home has pictures, each of a story that is run for it: nobody here waits for them.
READ: Literal["domcontentloaded"] = "domcontentloaded"
# The machine may be slow and busy; nothing here waits for time to pass, but for what has to come.
PATIENCE_MS = 45_000
expect.set_options(timeout=PATIENCE_MS)
# What the form of home says, if nobody changes it.
FORM = {"seed": "1", "nodes": "3", "timing": "realistic"}
# All pages of a site are in one process, which has read the scripts already: a page costs a third.
SHARED = ("--process-per-site", "--in-process-gpu")
# Little, and of the site of all pages.
LITTLE = "/static/js/ages.js"
# The mark of a live page breathes: else it is painted sixty times a second.
STILL: dict[str, Any] = {"reduced_motion": "reduce", "device_scale_factor": 0.5}
# What a page may never say, whatever a test does with it.
ALARMING = ("Content Security Policy", "Uncaught", "Refused to")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="package")
def entry(tmp_path_factory: pytest.TempPathFactory, kept_database: Path) -> Iterator[str]:
    """The sign-in link of a fresh Podline in one process."""
    data = tmp_path_factory.mktemp("one")
    if kept_database.exists():
        shutil.copy(kept_database, data / "podline.sqlite3")
    with _started(["-m", "tests.browser.one_process"], data) as link:
        yield link


@pytest.fixture(scope="package")
def entry_of_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The sign-in link a fresh `manage.py up` prints."""
    with _started(["manage.py", "up"], tmp_path_factory.mktemp("up")) as link:
        yield link


@contextmanager
def _started(program: list[str], data: Path) -> Iterator[str]:
    """A Podline that begins with this folder, and has to end well."""
    command = [sys.executable, *program, "--port", str(free_port()), "--data", str(data)]
    unwanted = {"REDIS_URL", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    log = (data / "podline.log").open("w+")
    process = subprocess.Popen(
        command, cwd=TOP, env=environment, stdout=log, stderr=log, start_new_session=True
    )
    try:
        yield _wait_for_link(process, data / "podline.log")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(STOP_SECONDS) == 0, (data / "podline.log").read_text()
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
    pytest.fail(f"Podline did not get ready:\n{log.read_text()}")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if not Path(PROGRAM).exists():
        pytest.skip(f"no Chromium at {PROGRAM}: `make test` installs it")
    with sync_playwright() as playwright:
        browser = launch(playwright, *SHARED)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def signed_in(browser: Browser, entry: str) -> Iterator[BrowserContext]:
    """A browser that has followed the link, and can go anywhere from there."""
    with _entered(browser, entry) as context:
        yield context


@pytest.fixture(scope="package")
def signed_in_to_up(browser: Browser, entry_of_up: str) -> Iterator[BrowserContext]:
    """As `signed_in`, where `manage.py up` serves."""
    with _entered(browser, entry_of_up) as context:
        yield context


@contextmanager
def _entered(browser: Browser, link: str) -> Iterator[BrowserContext]:
    base = link.split("/enter/")[0]
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, base_url=base, **STILL)
    # Home has many pictures, for each of which a story is run: nobody looks at it here.
    answer = context.request.get(link, max_redirects=0)
    assert (answer.status, answer.headers.get("location")) == (302, "/"), answer.text()
    # Where one page stays, the process of all does.
    page = context.new_page()
    page.goto(LITTLE)
    yield context
    context.close()


@pytest.fixture
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that may not break the policy or throw."""
    is_on_up = request.node.get_closest_marker("up") is not None
    context: BrowserContext = request.getfixturevalue("signed_in_to_up" if is_on_up else "signed_in")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    alarms: list[str] = []
    page.on("pageerror", lambda error: alarms.append(str(error)))
    page.on("console", lambda message: alarms.append(message.text) if _alarms(message.text) else None)
    yield page
    page.close()
    assert not alarms, alarms


@pytest.fixture
def cluster(page: Page) -> Iterator[str]:
    """A cluster of this test's own, open in the page and live; nobody has to keep it going after that.

    Home, whose form asks for the same, costs more to load than most tests do all in all.
    """
    name = f"t{time.time_ns() % 10**10}"
    _post(page, "/clusters/", FORM | {"name": name})
    page.goto(f"/clusters/{name}/", wait_until=READ)
    expect(page.get_by_role("status")).to_have_text("Live")
    yield name
    page.goto("about:blank")
    _post(page, f"/clusters/{name}/delete/", {})


def _post(page: Page, path: str, form: dict[str, str]) -> None:
    """As a form of a page does."""
    cookies = {one["name"]: one["value"] for one in page.context.cookies()}
    headers = {"X-CSRFToken": cookies["csrftoken"]}
    made = page.request.post(path, form=form, headers=headers, max_redirects=0)
    assert made.status < 400, made.text()


def _alarms(text: str) -> bool:
    return any(word in text for word in ALARMING)
