"""Reading what is drawn: the data of the Plotly figure on the page, as a person with the console would."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

BARS = """(name) => {
  const plot = document.querySelector(`[data-figure="${name}"] .chart`);
  return (plot?.data ?? []).filter((trace) => trace.type === "bar" && trace.name !== "ahead")
    .flatMap(({name, y, base, x, customdata}) => y.map((row, index) => (
      {row, state: name, start: base[index], length: x[index], end: customdata[index]})));
}"""
LINES = """(name) => {
  const plot = document.querySelector(`[data-figure="${name}"] .chart`);
  return (plot?.data ?? []).map((trace) => ({name: trace.name, x: [...trace.x], y: [...trace.y]}));
}"""


def bars(page: Page, figure: str = "timeline") -> list[dict[str, Any]]:
    """Every bar of a timeline: its row, state, start, length and end (None while it grows)."""
    return page.evaluate(BARS, figure)


def lines(page: Page, figure: str) -> dict[str, list[tuple[int, int]]]:
    """The points of each line of a chart by its name."""
    return {
        trace["name"]: list(zip(trace["x"], trace["y"], strict=True))
        for trace in page.evaluate(LINES, figure)
    }


def rows(page: Page, prefix: str, state: str | None = None) -> set[str]:
    """The pods whose row begins so, and which are in `state` now."""
    return {
        bar["row"]
        for bar in bars(page)
        if bar["row"].startswith(prefix) and state in (None, bar["state"] if bar["end"] is None else None)
    }


def wait_for_rows(page: Page, prefix: str, state: str | None, count: int) -> None:
    """Until so many pods are drawn in `state` (any, when None)."""
    condition = f"""([prefix, state, count]) => {{
      const drawn = ({BARS})("timeline").filter((bar) => bar.row.startsWith(prefix)
        && (state === null || (bar.state === state && bar.end === null)));
      return new Set(drawn.map((bar) => bar.row)).size >= count;
    }}"""
    page.wait_for_function(condition, arg=[prefix, state, count], polling="raf")
