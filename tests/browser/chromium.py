"""Debian's Chromium, started so that it keeps to itself."""

from __future__ import annotations

import os

from playwright.sync_api import Browser, Playwright

PROGRAM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launch(playwright: Playwright) -> Browser:
    """A headless browser."""
    return playwright.chromium.launch(executable_path=PROGRAM, args=QUIET)
