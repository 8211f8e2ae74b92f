"""A browser tab that stays open on one page, and how much memory it takes.

It lives in a thread of its own: Playwright keeps an event loop, beside which Django refuses to work.
"""

from __future__ import annotations

import os
import queue
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from lifecycle.benches.servers.chromium import launch

PATIENCE_SECONDS = 60.0


class OpenTab(threading.Thread):
    """Signs in by the one-time link, then opens the page; `measure` asks it how it is."""

    def __init__(self, entry: str, path: str) -> None:
        super().__init__(name="open tab", daemon=True)
        self.entry, self.path = entry, path
        self.asked: queue.Queue[bool] = queue.Queue()
        self.answers: queue.Queue[dict[str, float] | BaseException] = queue.Queue()
        self.errors: list[str] = []

    def __enter__(self) -> OpenTab:
        self.start()
        self.measure()
        return self

    def __exit__(self, *_: Any) -> None:
        self.asked.put(False)
        self.join(PATIENCE_SECONDS)

    def measure(self) -> dict[str, float]:
        """MiB of the tab's JavaScript heap after a collection and of its process; its DOM nodes."""
        self.asked.put(True)
        answer = self.answers.get(timeout=PATIENCE_SECONDS)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def run(self) -> None:
        try:
            with sync_playwright() as playwright:
                browser = launch(playwright)
                page = browser.new_page(viewport={"width": 1440, "height": 1000})
                page.on("pageerror", lambda error: self.errors.append(str(error)))
                page.goto(self.entry)
                page.goto(f"{self.entry.partition('/enter/')[0]}{self.path}")
                self._answer(page)
                browser.close()
        except BaseException as problem:
            self.answers.put(problem)

    def _answer(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        while self.asked.get():
            self.answers.put(_measure(session))


def _measure(session: CDPSession) -> dict[str, float]:
    session.send("HeapProfiler.collectGarbage")
    told = session.send("Performance.getMetrics")["metrics"]
    figures = {metric["name"]: metric["value"] for metric in told}
    return {
        "tab heap": figures["JSHeapUsedSize"] / 2**20,
        "tab": max(map(resident_mib, _renderers()), default=0.0),
        "tab nodes": figures["Nodes"],
    }


def _renderers() -> list[int]:
    """The processes that draw pages, among those this process has started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = (int(words[1]), (entry / "cmdline").read_bytes())
            except OSError:
                continue
    return [
        pid
        for pid, (_, command) in parents.items()
        if b"--type=renderer" in command and _descends(pid, os.getpid(), parents)
    ]


def _descends(pid: int, from_pid: int, parents: dict[int, tuple[int, bytes]]) -> bool:
    while pid in parents:
        pid = parents[pid][0]
        if pid == from_pid:
            return True
    return False


def resident_mib(pid: int) -> float:
    """What a process holds in memory; 0 when it has gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
