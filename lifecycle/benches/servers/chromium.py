"""Debian's Chromium, started so that it keeps to itself, and what a page in it costs.

Playwright keeps an event loop in its thread, beside which Django refuses to work: ask the database elsewhere.
"""

import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from playwright.sync_api import Browser, CDPSession, Page, Playwright

# The shell draws the same pages without a browser's own windows around them: a third of the time less.
PROGRAM = (
    os.environ.get("CHROMIUM")
    or shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or "/usr/bin/chromium-headless-shell"
)
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
TASK = "RunTask"
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"]
# Frames as a page sees them: the time between two of its animation frames.
WATCH_FRAMES = """() => {
  const times = [];
  window.frameTimes = times;
  let before = performance.now();
  requestAnimationFrame(function look(now) {
    if (window.frameTimes !== times) return;
    times.push(now - before);
    before = now;
    requestAnimationFrame(look);
  });
}"""
TAKE_FRAMES = "() => { const times = window.frameTimes; window.frameTimes = null; return times; }"


def launch(playwright: Playwright, *more: str) -> Browser:
    """A headless browser, with more words for its command line."""
    return playwright.chromium.launch(executable_path=PROGRAM, args=[*QUIET, *more])


@contextmanager
def watched(browser: Browser, page: Page) -> Iterator[dict[str, float]]:
    """What the page's frames and tasks cost, in ms, told once it is over.

    `task_cpu_ms` is what the longest task of the page's thread computed: neighbours on the machine do not
    count there, as they do in `task_ms`.
    """
    told: dict[str, float] = {}
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate(WATCH_FRAMES)
    yield told
    frames = sorted(page.evaluate(TAKE_FRAMES)[1:])
    tasks = _list_tasks(orjson.loads(browser.stop_tracing())["traceEvents"])
    told |= {
        "frame_p50_ms": round(statistics.median(frames), 1),
        "frame_p99_ms": round(frames[int(len(frames) * 0.99)], 1),
        "frame_worst_ms": round(frames[-1], 1),
        "task_ms": round(max((wall for wall, _ in tasks), default=0.0), 1),
        "task_cpu_ms": round(max((cpu for _, cpu in tasks), default=0.0), 1),
        "tasks_over_50_ms": sum(wall > 50 for wall, _ in tasks),
    }


def _list_tasks(events: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Wall and processor ms of each task of the thread that drew most."""
    drawing = [(event["pid"], event["tid"]) for event in events if event["name"] == "FireAnimationFrame"]
    if not drawing:
        return []
    thread = statistics.mode(drawing)
    return [
        (event["dur"] / 1000, event.get("tdur", event["dur"]) / 1000)
        for event in events
        if event["name"].endswith(TASK) and "dur" in event and (event["pid"], event["tid"]) == thread
    ]


def heap_mb(session: CDPSession) -> dict[str, float]:
    """What a page holds after a collection: MB of its JavaScript heap, DOM nodes, listeners."""
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    told = session.send("Performance.getMetrics")["metrics"]
    figures = {metric["name"]: metric["value"] for metric in told}
    return {
        "heap_mb": round(figures["JSHeapUsedSize"] / 2**20, 1),
        "nodes": figures["Nodes"],
        "listeners": figures["JSEventListeners"],
    }
