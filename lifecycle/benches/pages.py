"""`bench pages`: a cluster's page in a real Chromium: opening it, panning it, and while changes arrive live.

The cluster is a Deployment of many Ready pods, beside it pods that become ready and not ready by turns:
as many changes a second as asked for. What is compared is the time between two frames with that of an
empty page in the same browser.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from django.db import connections
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from lifecycle.benches import workload
from lifecycle.benches.installation import installation
from lifecycle.benches.live import CHANGES_A_POD, make_flipping_pod
from lifecycle.benches.report import Report
from lifecycle.benches.servers.chromium import heap_mb, launch, watched
from lifecycle.models import Cluster
from lifecycle.runs import inbox

PODS_A_NODE = 100
PATIENCE_SECONDS = 900.0
READY_BY_MS = 120_000
VIEWPORT = ViewportSize(width=1440, height=900)
MEGABIT = 1_000_000 / 8
SLOW_LINE = {"offline": False, "latency": 40, "downloadThroughput": 10 * MEGABIT, "uploadThroughput": MEGABIT}
DRAWN = "() => Boolean(document.querySelector('[data-figure] .chart')?.data?.some((trace) => trace.x.length))"
LIVE = "() => document.querySelector('[data-live]').dataset.state === 'live'"
SETTLE_SECONDS = 2.0
# Somebody holds an arrow key down.
KEY_MS = 50


@dataclass
class Bench:
    """A page of the bench's cluster, and what was measured of it."""

    browser: Browser
    base: str
    context: BrowserContext
    cluster: Cluster
    seconds: int
    # Runs work on the database, in a thread of its own.
    ask: Callable[..., Any]
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"/clusters/{self.cluster.name}/"

    def watch(self, name: str, page: Page, act: Callable[[], None]) -> None:
        """Note what frames and tasks cost meanwhile."""
        with watched(self.browser, page) as told:
            act()
        self.figures[name] = told


def run(pods: int, changes: int, seconds: int, minutes: int) -> Report:
    """`seconds` for each of panning, changes and an update; `minutes` of changes for the heap."""
    with installation(workers=1) as podline, ThreadPoolExecutor(1) as pool:

        def ask(work: Callable[..., Any], *arguments: Any) -> Any:
            return pool.submit(work, *arguments).result()

        cluster = ask(_make_cluster, podline.owner, pods, changes)
        with sync_playwright() as playwright:
            browser = launch(playwright)
            context = browser.new_context(base_url=podline.base, viewport=VIEWPORT)
            page = context.new_page()
            page.goto(podline.address)
            page.close()
            bench = Bench(browser, podline.base, context, cluster, seconds, ask)
            _measure(bench, minutes)
            browser.close()
        ask(connections.close_all)
    empty, live = bench.figures["empty"]["frame_p99_ms"], bench.figures["changes"]["frame_p99_ms"]
    return Report(
        bench="pages",
        work={"pods": pods, "changes": changes, "seconds": seconds, "minutes": minutes},
        figures=bench.figures,
        limit_what="frame of an empty page, p99, ms",
        limit_value=empty,
        ratio=round(empty / live, 3),
    )


def _measure(bench: Bench, minutes: int) -> None:
    _watch_empty(bench)
    bench.figures["cold_at_10_mbit"] = _open_cold(bench)
    page = bench.context.new_page()
    bench.figures["opened_ms"] = [_open(page, bench.path) for _ in range(3)]
    page.wait_for_timeout(SETTLE_SECONDS * 1000)
    bench.watch("panning", page, lambda: _pan(page, bench.seconds))
    page.keyboard.press("Home")
    bench.ask(_control, bench.cluster, "resume")
    page.wait_for_timeout(SETTLE_SECONDS * 1000)
    bench.watch("changes", page, lambda: page.wait_for_timeout(bench.seconds * 1000))
    bench.watch("changes_panning", page, lambda: _pan(page, bench.seconds))
    page.keyboard.press("Home")
    session = bench.context.new_cdp_session(page)
    bench.figures["before"] = heap_mb(session)
    page.wait_for_timeout(minutes * 60_000)
    bench.figures["after"] = heap_mb(session)
    bench.ask(inbox.append, bench.cluster, "rollout", workload.RESTART)
    bench.watch("update", page, lambda: page.wait_for_timeout(bench.seconds * 1000))


def _make_cluster(owner: Callable[[], Any], pods: int, changes: int) -> Cluster:
    nodes = -(-pods // PODS_A_NODE) + 1
    room = {"nodes": {"count": nodes, "cpu": "64", "memory": "256Gi", "pods": PODS_A_NODE + 50}}
    cluster = inbox.create_cluster(owner(), "pages", settings=room, paused=True)
    objects = [workload.make_deployment(pods)]
    objects += [make_flipping_pod(number) for number in range(max(1, changes // CHANGES_A_POD))]
    for given in objects:
        result = inbox.wait_for_result(inbox.append(cluster, "create", {"object": given}), PATIENCE_SECONDS)
        if result is None or result["code"] >= 400:
            raise RuntimeError(f"the bench's objects were not created: {result}")
    _control(cluster, "run", {"untilMs": READY_BY_MS, "fast": True})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while cluster.instant_ms < READY_BY_MS:
        if time.monotonic() > deadline:
            raise RuntimeError(f"the bench's pods are not there in {PATIENCE_SECONDS} s")
        time.sleep(0.2)
        cluster.refresh_from_db()
    return cluster


def _control(cluster: Cluster, kind: str, payload: dict[str, Any] | None = None) -> None:
    asked = inbox.control(cluster, kind, payload)
    if not inbox.wait_for_control(asked, PATIENCE_SECONDS) or asked.problem:
        raise RuntimeError(f"{kind}: {asked.problem}")


def _watch_empty(bench: Bench) -> None:
    page = bench.context.new_page()
    bench.watch("empty", page, lambda: page.wait_for_timeout(bench.seconds * 1000))
    page.close()


def _open_cold(bench: Bench) -> dict[str, int]:
    """The first page somebody opens, over a line of 10 Mbit/s and 40 ms: until its first figure is drawn."""
    context = bench.browser.new_context(
        base_url=bench.base, viewport=VIEWPORT, storage_state=bench.context.storage_state()
    )
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_LINE)
    received: list[float] = []
    session.on("Network.loadingFinished", lambda told: received.append(told["encodedDataLength"]))
    frames: list[int] = []
    session.on(
        "Network.webSocketFrameReceived",
        lambda told: frames.append(len(told["response"]["payloadData"])),
    )
    opened_ms = _open(page, bench.path)
    told = {
        "opened_ms": opened_ms,
        "requests": len(received),
        "kb": round(sum(received) / 1000),
        "socket_kb": round(sum(frames) / 1000),
    }
    context.close()
    return told


def _open(page: Page, path: str) -> int:
    """Milliseconds until the first figure is drawn."""
    began = time.monotonic()
    page.goto(path, wait_until="commit")
    page.wait_for_function(DRAWN, timeout=PATIENCE_SECONDS * 1000, polling="raf")
    return round((time.monotonic() - began) * 1000)


def _pan(page: Page, seconds: int) -> None:
    page.locator("[data-figure] .chart").first.focus()
    ends = time.monotonic() + seconds
    number = 0
    page.keyboard.press("+")
    while time.monotonic() < ends:
        number += 1
        page.keyboard.press("ArrowLeft" if number % 10 < 5 else "ArrowRight")
        page.wait_for_timeout(KEY_MS)
