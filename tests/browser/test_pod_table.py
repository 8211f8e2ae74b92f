"""The table of pods and the line for commands: the cluster page's modules, and a server of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from dashboard.pages.cluster.table import HEADINGS
from dashboard.plots.density import ORDER
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from lifecycle.benches.servers.chromium import watched
from tests.browser.conftest import PATIENCE_MS, STILL
from tests.browser.test_cluster_page import HTMX
from tests.browser.test_modules import ADDRESS, BUNDLE, STATIC
from tests.dashboard.rows import pod_life

pytestmark = pytest.mark.browser

NOW_MS = 3_600_000
MANY = 10_000
CHANGES, ROUNDS = 40, 20
# Of web-1: pending at 0 s, starting at 0.1 s, not ready at 2 s, ready at 5 s.
STORIES = Stories()
for _seq, _row in enumerate(pod_life(), start=1):
    STORIES.feed(_row | {"seq": _seq})
PAGE = """<!doctype html><link rel="stylesheet" href="/css/site.css">
<script src="/plotly.js"></script><script src="/htmx.js"></script>
<p data-toast hidden></p><main><div data-socket="/ws/clusters/shop/?figure=timeline" data-editable>
  <h1>shop</h1><span data-clock></span><span data-speed></span><span data-live></span>
  <p data-lost hidden><span></span><button data-try-now>Try now</button></p>
  <button data-window="900000" aria-pressed="true">15m</button><button data-window="">All</button>
  <button data-view="">Timeline</button><button data-view="table">Table</button>
  <form data-find><input type="search"><button data-clear type="button" hidden>Clear</button></form>
  <input type="hidden" name="csrfmiddlewaretoken" value="token">
  <div data-stretch hidden></div>
  <div data-figure="timeline" data-base="/">
    <div class="lanes"><div class="chart" tabindex="0"></div></div><ul data-flags></ul>
  </div>
  <div data-table hidden></div>
  <aside data-why-panel data-base="/" tabindex="-1" hidden></aside>
</div></main>
<script type="module" src="/js/page.js"></script><script type="module" src="/js/cluster_page.js"></script>
"""


def tell_pod(number: int, rv: int, **more: Any) -> dict[str, Any]:
    """The summary of a pod, as frames have it; every thousandth crashes."""
    bad = number % 1000 == 7
    return {
        "uid": f"uid-{number}",
        "kind": "Pod",
        "group": "",
        "namespace": f"ns-{number % 7}",
        "name": f"web-{number:05}",
        "ready": "0/1" if bad else "1/1",
        "status": "CrashLoopBackOff" if bad else "Running",
        "restarts": number % 13,
        "created_ms": number * 100,
        "deleted_ms": None,
        "node": f"node-{number % 50}",
        "state": "crashing" if bad else "ready",
        "rv": rv,
    } | more


@dataclass
class Server:
    """What it has, and what it was asked."""

    pods: int = 30
    socket: WebSocketRoute | None = None
    asked: list[str] = field(default_factory=list)
    posted: list[tuple[str, str]] = field(default_factory=list)
    seq: int = 0

    def watch(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        clock = {"at_ms": NOW_MS, "speed": 1, "paused": True, "fast": False, "stalled": False}
        socket.send(json.dumps({"clock": clock}))
        socket.send(json.dumps({"figure": "timeline", **make_timeline(STORIES, NOW_MS)}))

    def tell(self, *objects: dict[str, Any]) -> None:
        """A frame with these objects."""
        assert self.socket is not None
        self.seq += 1
        frame = {"from": self.seq - 1, "seq": self.seq, "at_ms": NOW_MS, "speed": 1, "paused": True}
        self.socket.send(json.dumps(frame | {"transitions": [], "events": [], "objects": objects}))

    def answer(self, route: Route) -> None:
        path, _, query = route.request.url.removeprefix(ADDRESS).partition("?")
        if path == "table/":
            self.asked.append(query)
            route.fulfill(json=self._tell_table(query))
        elif path == "names/":
            route.fulfill(json={"names": _find_names(query)})
        elif route.request.method == "POST":
            self.posted.append((path, route.request.post_data or ""))
            route.fulfill(body='<div class="said good">Node <b>node-1</b> cordoned</div>')
        elif path == "stretch/":
            self.asked.append(query)
            route.fulfill(body="<p>In these 1s</p><button data-close-stretch>Close</button>")
        elif path in ("plotly.js", "htmx.js"):
            route.fulfill(path=BUNDLE if path == "plotly.js" else HTMX, content_type="text/javascript")
        elif path.endswith(".css"):
            route.fulfill(path=STATIC / path, content_type="text/css")
        elif path.startswith("js/"):
            route.fulfill(path=STATIC / path, content_type="text/javascript")
        else:
            route.fulfill(body=PAGE, content_type="text/html")

    def _tell_table(self, query: str) -> dict[str, Any]:
        keys = ("uid", *HEADINGS, "state", "rv")
        pods = (tell_pod(number, 1) for number in range(self.pods) if not query or number % 2)
        rows = [[pod[key] for key in keys] for pod in pods]
        columns = [[key, heading.upper()] for key, heading in HEADINGS.items()]
        return {"columns": columns, "states": ORDER, "rows": rows, "narrowed": bool(query)}


def _find_names(query: str) -> list[dict[str, str]]:
    nodes = [
        {"kind": "Node", "namespace": "", "name": f"node-{n}", "page": f"nodes/node-{n}/"} for n in (1, 2)
    ]
    pods = [{"kind": "Pod", "namespace": "a", "name": "x", "page": "pods/a/x/"}]
    found = pods if "of=pod" in query else nodes
    return [one for one in found if "named=" not in query or f"named={one['name']}" in query.split("&")]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def opened(browser: Browser, server: Server) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 800}, **STILL)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    alarms: list[str] = []
    page.on("pageerror", lambda error: alarms.append(str(error)))
    page.route_web_socket("**/ws/**", server.watch)
    page.route(f"{ADDRESS}**", server.answer)
    page.goto(f"{ADDRESS}?view=table")
    yield page
    context.close()
    assert not alarms, alarms


def names(page: Page, count: int = 3) -> list[str]:
    """The first rows, from above."""
    rows = page.evaluate(
        """() => [...document.querySelectorAll(".grid-row:not([hidden])")]
          .sort((one, other) => one.getAttribute("aria-rowindex") - other.getAttribute("aria-rowindex"))
          .map((row) => row.querySelector(".grid-name").textContent)"""
    )
    return rows[:count]


def test_the_table_is_sorted_filtered_walked_through_and_live(opened: Page, server: Server):
    page, grid = opened, opened.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "31")
    assert names(page) == ["web-00007", "web-00000", "web-00014"]
    page.get_by_role("button", name="RESTARTS").click()
    expect(page).to_have_url(re.compile("sort=restarts"))
    header = page.get_by_role("columnheader", name="RESTARTS")
    expect(header).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="RESTARTS").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    assert names(page) == ["web-00025", "web-00012", "web-00024"]
    # A pod that changes, one that comes, one that goes.
    server.tell(
        tell_pod(3, 5, restarts=99, status="Error"),
        tell_pod(40, 6, restarts=50),
        tell_pod(12, 7, deleted_ms=9),
    )
    expect(page.locator(".grid-row", has_text="web-00003")).to_contain_text("Error")
    page.wait_for_function("document.querySelector('.grid').ariaRowCount === '31'")
    assert names(page, 3) == ["web-00003", "web-00040", "web-00025"]
    check_keys(page)
    # The order and the view are kept by the address; what is asked for, the server knows.
    expect(page.get_by_role("columnheader", name="RESTARTS")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("searchbox").fill("odd")
    expect(grid).to_have_attribute("aria-rowcount", "16")
    assert server.asked[-1] == "q=odd"
    with page.expect_request("**/table/?q=odd"):
        server.tell(tell_pod(3, 8))
    page.get_by_role("button", name="Timeline").click()
    expect(grid).to_be_hidden()


def check_keys(page: Page) -> None:
    """Rows are walked through by the keyboard alone, and a key opens what there is of one."""
    page.locator("h1").click()
    page.keyboard.press("j")
    expect(page.get_by_role("grid")).to_be_focused()
    chosen = "document.querySelector('.grid [aria-selected=true]')?.getAttribute('aria-rowindex')"
    walked = []
    for key in ("j", "j", "ArrowDown", "k", "End", "ArrowUp", "Home", "PageDown", "PageUp"):
        page.keyboard.press(key)
        walked.append(page.evaluate(chosen))
    assert walked[:7] == ["2", "3", "4", "3", "31", "30", "2"]
    assert (int(walked[7]) > 10, walked[8]) == (True, "2")
    described = page.get_by_role("grid").get_attribute("aria-activedescendant")
    assert page.locator(f"[id='{described}']").get_attribute("aria-selected") == "true"
    page.keyboard.press("y")
    expect(page).to_have_url(f"{ADDRESS}pods/ns-3/web-00003/#yaml")
    page.go_back()


def test_ten_thousand_rows_are_few_elements_and_short_tasks(browser: Browser, server: Server, opened: Page):
    server.pods = MANY
    opened.reload()
    grid = opened.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", str(MANY + 1))
    with watched(browser, opened) as told:
        for turn in range(ROUNDS):
            pods = ((turn * 511 + n * 97) % MANY for n in range(CHANGES))
            server.tell(*(tell_pod(pod, 10 + turn, restarts=turn) for pod in pods))
            opened.evaluate("(turn) => { document.querySelector('.grid').scrollTop = turn * 300; }", turn)
            opened.wait_for_timeout(100)
    assert opened.locator(".grid-row").count() < 80
    seen = opened.evaluate("[...document.querySelectorAll('.grid-row:not([hidden])')].length")
    assert seen >= 15
    # What the longest task computed: what neighbours on the machine took meanwhile does not count.
    assert told["task_cpu_ms"] < 50


def test_commands_are_typed_completed_asked_and_answered(opened: Page, server: Server):
    page = opened
    page.locator("h1").click()
    page.keyboard.press(":")
    line, said = page.get_by_role("combobox", name="Command"), page.locator(".palette-said")
    expect(line).to_be_focused()
    expect(page.get_by_role("option")).to_have_count(19)
    page.keyboard.type("cord")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(line).to_have_value("cordon ")
    expect(page.get_by_role("option")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(said).to_have_text("Node node-1 cordoned")
    assert server.posted.pop() == ("nodes/node-1/change/", "action=cordon&csrfmiddlewaretoken=token")
    type_command(page, "cordon node-9")
    expect(said).to_have_text("There is no node node-9.")
    # A pod is deleted by a second Enter alone.
    type_command(page, "delete pod/x")
    expect(said).to_contain_text("Delete the pod a/x?")
    assert not server.posted
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.palette-said').textContent.includes('cordoned')")
    assert [path for path, _ in server.posted] == ["pods/a/x/delete/"]
    type_command(page, "stretch 10s 20s")
    expect(page.locator("[data-stretch]")).to_contain_text("In these 1s")
    expect(page).to_have_url(re.compile("stretch=10000-20000"))
    assert "from=10000&to=20000" in server.asked[-1]
    page.get_by_role("button", name="Close").click()
    expect(page.locator("[data-stretch]")).to_be_hidden()


def type_command(page: Page, text: str) -> None:
    if not page.locator("dialog.palette").is_visible():
        page.keyboard.press(":")
    page.get_by_role("combobox", name="Command").fill(text)
    page.keyboard.press("Enter")


def test_on_a_chart_two_bars_make_a_stretch_and_keys_open_their_pod(opened: Page, server: Server):
    opened.get_by_role("button", name="Timeline").click()
    chart = opened.locator(".chart")
    opened.wait_for_function("document.querySelector('.chart').layout")
    chart.focus()
    for key in ("ArrowDown", "s", "ArrowLeft", "s"):
        opened.keyboard.press(key)
    expect(opened.locator("[data-stretch]")).to_contain_text("In these 1s")
    assert "from=2000&to=5000" in server.asked[-1]
    expect(opened).to_have_url(re.compile("stretch=2000-5000"))
    opened.keyboard.press("l")
    expect(opened).to_have_url(f"{ADDRESS}pods/default/web-1/#logs-title")


def test_who_only_looks_is_offered_what_only_reads(opened: Page, server: Server):
    shown = PAGE.replace(" data-editable", "")
    opened.route(ADDRESS, lambda route: route.fulfill(body=shown, content_type="text/html"))
    opened.goto(ADDRESS)
    opened.locator("h1").click()
    opened.keyboard.press(":")
    expect(opened.get_by_role("option")).to_have_count(10)
    type_command(opened, "drain node-1")
    expect(opened.locator(".palette-said")).to_contain_text("You may look here")
    assert not server.posted
