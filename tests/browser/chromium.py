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
# WebGL without a graphics card.
SOFTWARE_WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def launch(playwright: Playwright, webgl: bool = False) -> Browser:
    """A headless browser."""
    arguments = QUIET + (SOFTWARE_WEBGL if webgl else [])
    return playwright.chromium.launch(executable_path=PROGRAM, args=arguments)
