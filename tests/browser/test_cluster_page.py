"""The cluster page's module on a page of its own, with a server that says what a test wants said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocketRoute, expect

from dashboard.plots.stories import Stories
from dashboard.plots.timeline import make_timeline
from tests.browser.conftest import PATIENCE_MS, STILL
from tests.browser.test_modules import ADDRESS, BUNDLE, STATIC
from tests.dashboard.rows import pod_life

pytestmark = pytest.mark.browser

NOW_MS = 3_600_000
HTMX = finders.find("django_htmx/htmx-2.min.js")
LIFE = [row | {"seq": seq} for seq, row in enumerate(pod_life(), start=1)]
READY_SEQ = len(LIFE)
PAGE = """<!doctype html><script src="/plotly.js"></script><script src="/htmx.js"></script>
<div data-socket="/ws/clusters/shop/?window_ms=900000&figure=timeline">
  <span data-clock></span><span data-speed></span><span data-live></span>
  <p data-lost hidden><span></span><button data-try-now>Try now</button></p>
  <button data-window="300000" aria-pressed="false">5m</button>
  <button data-window="900000" aria-pressed="true">15m</button>
  <button data-window="" aria-pressed="false">All</button>
  <div data-figure="timeline" data-base="/">
    <style>.chart > .axis { position: absolute; }</style>
    <div class="lanes"><div class="chart" style="width: 600px" tabindex="0"></div></div>
    <ul data-flags></ul>
  </div>
  <aside data-why-panel data-base="/clusters/shop/" tabindex="-1" hidden></aside>
</div>
<script type="module" src="/js/cluster_page.js"></script>
"""


@dataclass
class Server:
    """The sockets a page has opened, and what it said on them."""

    sockets: list[WebSocketRoute] = field(default_factory=list)
    heard: list[dict[str, Any]] = field(default_factory=list)
    is_away: bool = False

    def answer(self, socket: WebSocketRoute) -> None:
        if self.is_away:
            socket.close()
            return
        self.sockets.append(socket)
        socket.on_message(lambda text: self.heard.append(json.loads(text)))
        stories = Stories()
        for row in LIFE:
            stories.feed(row)
        clock = {"at_ms": NOW_MS, "speed": 1, "paused": True, "fast": False, "stalled": False}
        socket.send(json.dumps({"clock": clock}))
        socket.send(json.dumps({"figure": "timeline", **make_timeline(stories, NOW_MS)}))

    def asked_for(self) -> str | None:
        """The window of time in the address of the last socket."""
        return parse_qs(urlsplit(self.sockets[-1].url).query).get("window_ms", [None])[0]


def serve(route: Route) -> None:
    path = route.request.url.removeprefix(ADDRESS).partition("?")[0]
    if path.startswith("clusters/shop/why/"):
        seq = path.split("/")[3]
        link = f'<ol class="chain"><li><button data-at="5000">row {seq}</button></li></ol>'
        route.fulfill(body=f"{link}<button data-close-why>Close</button>", content_type="text/html")
    elif path == "htmx.js":
        route.fulfill(path=HTMX, content_type="text/javascript")
    elif path:
        route.fulfill(path=BUNDLE if path == "plotly.js" else STATIC / path, content_type="text/javascript")
    else:
        route.fulfill(body=PAGE, content_type="text/html")


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all, with a page that stays: what a process has begun and read costs more than a test."""
    context = browser.new_context(**STILL)
    context.set_default_timeout(PATIENCE_MS)
    stays = context.new_page()
    stays.route(f"{ADDRESS}**", serve)
    stays.goto(f"{ADDRESS}js/ages.js")
    yield context
    context.close()


@pytest.fixture
def fresh(context: BrowserContext, server: Server) -> Iterator[Page]:
    """A page that asks this server, and leaves nothing to the next."""
    page = context.new_page()
    page.route_web_socket("**/ws/**", server.answer)
    page.route(f"{ADDRESS}**", serve)
    yield page
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    page.close()


@pytest.fixture
def opened(fresh: Page) -> Page:
    fresh.goto(ADDRESS)
    return fresh


def wait_for_start(page: Page, start_ms: int) -> None:
    """Until the drawn stretch of time begins there."""
    shown = "(start) => document.querySelector('.chart').layout?.xaxis.range[0] === start"
    page.wait_for_function(shown, arg=start_ms)


def test_what_is_shown_first_is_what_the_pressed_button_says(opened: Page):
    wait_for_start(opened, NOW_MS - 900_000)


def test_the_figure_is_asked_for_before_what_draws_it_has_been_read(fresh: Page):
    page = fresh
    alarms: list[str] = []
    page.on("pageerror", lambda error: alarms.append(str(error)))
    held: list[Route] = []
    page.route(f"{ADDRESS}plotly.js", lambda route: held.append(route))
    first, _, rest = PAGE.partition('<script src="/plotly.js"></script>')
    late = f'{first}{rest}<script src="/plotly.js" defer data-plotly></script>'
    page.route(ADDRESS, lambda route: route.fulfill(body=late, content_type="text/html"))
    page.goto(ADDRESS, wait_until="commit")
    page.wait_for_function("document.querySelector('[data-clock]')?.textContent >= '01:00:00'")
    page.wait_for_timeout(300)
    assert page.locator(".scatterlayer").count() == 0
    held[0].fulfill(path=BUNDLE, content_type="text/javascript")
    wait_for_start(page, NOW_MS - 900_000)
    assert not alarms, alarms


(WATCHED,) = re.findall(r'data-socket="([^"]+)"', PAGE)
AGAIN = """() => new Promise((resolve) => {
  const again = document.head.appendChild(document.createElement("script"));
  again.dataset.watch = document.querySelector("[data-socket]").dataset.socket;
  Object.assign(again, { onload: resolve, src: "/js/first_ask.js?again" });
})"""

OTHER = """async () => {
  const { Socket } = await import("/js/socket.js");
  const { socket } = window.firstAsk;
  new Socket("/ws/clusters/other/", { open() {}, lost() {} });
  return socket.readyState > WebSocket.OPEN;
}"""


def test_a_page_that_has_asked_before_its_modules_are_there_asks_once(fresh: Page, server: Server):
    """Its first words are kept for what reads them; one that comes after that says nothing more."""
    first = f'<script src="/js/first_ask.js" data-watch="{WATCHED}"></script>'
    page, held = fresh, list[Route]()
    page.route(f"{ADDRESS}js/socket.js", lambda route: held.append(route))
    asking = PAGE.replace("<script", f"{first}<script", 1)
    page.route(ADDRESS, lambda route: route.fulfill(body=asking, content_type="text/html"))
    page.goto(ADDRESS, wait_until="commit")
    page.wait_for_function("window.firstAsk?.come.length === 2")
    assert page.locator("[data-live]").get_attribute("data-state") != "live"
    held[0].fulfill(path=STATIC / "js/socket.js", content_type="text/javascript")
    wait_for_start(page, NOW_MS - 900_000)
    page.evaluate(AGAIN)
    page.get_by_text("All", exact=True).click()
    wait_for_start(page, 0)
    assert (server.heard, len(server.sockets)) == ([{"window_ms": None}], 1)
    server.sockets[-1].close()
    page.wait_for_function("document.querySelector('[data-live]').dataset.state === 'lost'")
    page.wait_for_function("document.querySelector('[data-live]').dataset.state === 'live'")
    assert (server.asked_for(), len(server.sockets)) == (None, 2)
    # Of what nobody takes over, little is kept; and it is closed.
    page.evaluate(f"() => {{ delete window.firstAsk; return ({AGAIN})(); }}")
    page.wait_for_function("window.firstAsk.come.length === 2")
    for _ in range(199):
        server.sockets[-1].send("{}")
    page.wait_for_function("window.firstAsk.socket.readyState > WebSocket.OPEN")
    page.evaluate(f"() => {{ delete window.firstAsk; return ({AGAIN})(); }}")
    assert page.evaluate(OTHER)


LATE = """
const Observer = IntersectionObserver;
window.IntersectionObserver = class extends Observer {
  constructor(told, options) { super((entries) => told([{ isIntersecting: false }, ...entries]), options); }
};
"""


def test_a_chart_that_came_into_sight_while_the_page_was_busy_is_drawn(fresh: Page):
    """A browser that had no time says in one what was and what is."""
    fresh.add_init_script(LATE)
    fresh.goto(ADDRESS)
    wait_for_start(fresh, NOW_MS - 900_000)


def test_a_page_that_is_connected_again_asks_for_what_it_shows(opened: Page, server: Server):
    wait_for_start(opened, NOW_MS - 900_000)
    for label, start_ms, window in (("5m", NOW_MS - 300_000, "300000"), ("All", 0, None)):
        opened.get_by_text(label, exact=True).click()
        wait_for_start(opened, start_ms)
        assert server.heard.pop() == {"window_ms": None if window is None else int(window)}
        before = len(server.sockets)
        server.sockets[-1].close()
        opened.wait_for_function("document.querySelector('[data-live]').dataset.state === 'lost'")
        opened.wait_for_function("document.querySelector('[data-live]').dataset.state === 'live'")
        assert (len(server.sockets), server.asked_for()) == (before + 1, window)
        assert not server.heard


def test_a_page_of_rows_in_the_address_is_asked_for_when_the_page_is_loaded(fresh: Page, server: Server):
    fresh.goto(f"{ADDRESS}?page=0&order=state")
    wait_for_start(fresh, NOW_MS - 900_000)
    said = {key: value for message in server.heard for key, value in message.items()}
    query = parse_qs(urlsplit(server.sockets[-1].url).query)
    asked = {key: value[0] for key, value in query.items()} | {key: str(value) for key, value in said.items()}
    assert (asked.get("page"), asked.get("order")) == ("0", "state")


def test_without_a_connection_time_stands_and_says_of_when_the_picture_is(opened: Page, server: Server):
    wait_for_start(opened, NOW_MS - 900_000)
    clock = {"at_ms": NOW_MS, "speed": 10, "paused": False, "fast": False, "stalled": False}
    server.sockets[-1].send(json.dumps({"clock": clock}))
    opened.wait_for_function("document.querySelector('[data-clock]').textContent > '01:00:01'")
    server.is_away = True
    server.sockets[-1].close()
    opened.wait_for_function("!document.querySelector('[data-lost]').hidden")
    shown = opened.locator("[data-clock]").text_content()
    assert f"What you see is of {shown}. Trying again" in opened.locator("[data-lost]").text_content()
    opened.wait_for_timeout(500)
    assert opened.locator("[data-clock]").text_content() == shown
    server.is_away = False
    # It may have tried by itself meanwhile: then the button is hidden again.
    opened.get_by_text("Try now").dispatch_event("click")
    opened.wait_for_function("document.querySelector('[data-lost]').hidden")
    assert opened.locator("[data-stale]").count() == 0


def bar_of(page: Page) -> tuple[float, float]:
    """The middle of the pod's green bar, as it is drawn."""
    page.wait_for_selector(".scatterlayer .js-fill")
    boxes = [path.bounding_box() for path in page.locator(".scatterlayer .js-fill").all()]
    widest = max((box for box in boxes if box), key=lambda box: box["width"])
    return widest["x"] + widest["width"] / 2, widest["y"] + widest["height"] / 2


def test_a_click_on_a_bar_asks_why_and_its_links_mark_their_instants(opened: Page, server: Server):
    wait_for_start(opened, NOW_MS - 900_000)
    opened.get_by_text("All", exact=True).click()
    wait_for_start(opened, 0)
    opened.mouse.click(*bar_of(opened))
    opened.wait_for_function("!document.querySelector('[data-why-panel]').hidden")
    assert opened.locator(".chain").inner_text() == f"row {READY_SEQ}"
    opened.get_by_text(f"row {READY_SEQ}").click()
    marked = "document.querySelector('.chart').layout.shapes[0]?.x0 === 5000"
    opened.wait_for_function(marked)
    opened.keyboard.press("Escape")
    opened.wait_for_function("document.querySelector('[data-why-panel]').hidden")
    opened.wait_for_function("document.querySelector('.chart').layout.shapes.length === 0")


def test_enter_on_a_chart_asks_why_the_last_change_came(opened: Page, server: Server):
    wait_for_start(opened, NOW_MS - 900_000)
    opened.locator(".chart").focus()
    opened.keyboard.press("Enter")
    opened.wait_for_function("!document.querySelector('[data-why-panel]').hidden")
    assert opened.locator(".chain").inner_text() == f"row {READY_SEQ}"


def test_the_keyboard_goes_from_bar_to_bar_and_asks_why(opened: Page):
    wait_for_start(opened, NOW_MS - 900_000)
    opened.get_by_text("All", exact=True).click()
    wait_for_start(opened, 0)
    opened.locator(".chart").focus()
    opened.keyboard.press("ArrowDown")
    tip = opened.get_by_role("tooltip")
    expect(tip).to_contain_text(re.compile("^web-1 · Ready"))
    opened.keyboard.press("ArrowLeft")
    expect(tip).to_contain_text(re.compile("^web-1 · Not ready"))
    opened.keyboard.press("Enter")
    opened.wait_for_function("!document.querySelector('[data-why-panel]').hidden")
    assert opened.locator(".chain").inner_text() != f"row {READY_SEQ}"


def test_the_tip_stands_beside_the_pointer_while_the_chart_is_drawn_anew(opened: Page, server: Server):
    wait_for_start(opened, NOW_MS - 900_000)
    opened.get_by_text("All", exact=True).click()
    wait_for_start(opened, 0)
    opened.add_style_tag(content=".tip { position: fixed; left: var(--x); top: var(--y); }")
    x, y = bar_of(opened)
    opened.mouse.move(x, y)
    tip = opened.get_by_role("tooltip")
    clock = {"at_ms": NOW_MS, "speed": 1000, "paused": False, "fast": False, "stalled": False}
    server.sockets[-1].send(json.dumps({"clock": clock}))
    opened.wait_for_timeout(600)
    box = tip.bounding_box()
    assert box is not None
    assert (abs(box["x"] - x) < 20, abs(box["y"] - y) < 20) == (True, True)


RANGE = "() => document.querySelector('.chart').layout.xaxis.range"


def where(page: Page) -> list[float]:
    """The stretch of time that is drawn."""
    return page.evaluate(RANGE)


def test_a_drag_pulls_time_along_and_two_clicks_follow_now(opened: Page):
    wait_for_start(opened, NOW_MS - 900_000)
    before = where(opened)
    box = opened.locator(".chart").bounding_box()
    assert box is not None
    x, y = box["x"] + 300, box["y"] + 90
    opened.mouse.move(x, y)
    opened.mouse.down()
    opened.mouse.move(x - 50, y)
    opened.mouse.move(x - 144, y)
    opened.mouse.up()
    quarter = (before[1] - before[0]) * 144 / (box["width"] - 24)
    moved = "(start) => Math.abs(document.querySelector('.chart').layout.xaxis.range[0] - start) < 1"
    opened.wait_for_function(moved, arg=before[0] + quarter)
    after = where(opened)
    assert after[1] - after[0] == pytest.approx(before[1] - before[0])
    assert "from=" in opened.url
    # It began and ended on the chart, and asked for nothing.
    assert opened.locator("[data-why-panel]").is_hidden()
    opened.mouse.dblclick(x, y)
    wait_for_start(opened, NOW_MS - 900_000)
    assert "from=" not in opened.url


def test_ctrl_and_the_wheel_zoom_about_the_pointer(opened: Page):
    wait_for_start(opened, NOW_MS - 900_000)
    before = where(opened)
    box = opened.locator(".chart").bounding_box()
    assert box is not None
    share = 0.75
    opened.mouse.move(box["x"] + 8 + share * (box["width"] - 24), box["y"] + box["height"] - 5)
    opened.keyboard.down("Control")
    opened.mouse.wheel(0, -200)
    opened.keyboard.up("Control")
    shorter = f"(most) => {{ const [from, to] = ({RANGE})(); return to - from < most; }}"
    opened.wait_for_function(shorter, arg=(before[1] - before[0]) * 0.8)
    after = where(opened)
    pointed = [start + (end - start) * share for start, end in (before, after)]
    assert pointed[1] == pytest.approx(pointed[0], abs=3000)


def test_shift_and_a_drag_choose_a_stretch(opened: Page):
    wait_for_start(opened, NOW_MS - 900_000)
    before = where(opened)
    box = opened.locator(".chart").bounding_box()
    assert box is not None
    y = box["y"] + 60
    at = [box["x"] + 8 + share * (box["width"] - 24) for share in (0.25, 0.5)]
    opened.keyboard.down("Shift")
    opened.mouse.move(at[0], y)
    opened.mouse.down()
    opened.mouse.move(sum(at) / 2, y)
    opened.mouse.move(at[1], y)
    opened.mouse.up()
    opened.keyboard.up("Shift")
    wanted = [before[0] + (before[1] - before[0]) * share for share in (0.25, 0.5)]
    chosen = "(start) => Math.abs(document.querySelector('.chart').layout.xaxis.range[0] - start) < 5000"
    opened.wait_for_function(chosen, arg=wanted[0])
    assert where(opened) == pytest.approx(wanted, abs=5000)
