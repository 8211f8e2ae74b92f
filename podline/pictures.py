"""Rows as frames, figures and tables, for notebooks. pandas and Plotly are imported when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from lifecycle.simulation.verdicts_at_end import Told

Row = Mapping[str, Any]
INSTALL = "pip install 'podline[notebook]'"


def make_frame(rows: Sequence[Row]) -> Any:
    """A pandas DataFrame, one line a row, with `at` as a Timedelta beside `at_ms`."""
    pandas = _import("pandas")
    frame = pandas.DataFrame(list(rows))
    if len(frame):
        frame.insert(0, "at", pandas.to_timedelta(frame["at_ms"], unit="ms"))
    return frame


def make_figure(rows: Iterable[Row], now_ms: int) -> Any:
    """The timeline of all pods, as the dashboard draws it, as a Plotly figure."""
    graphs = _import("plotly.graph_objects")
    from dashboard.plots.stories import Stories
    from dashboard.plots.timeline import make_timeline

    stories = Stories()
    for row in rows:
        if row["type"] == "transition":
            stories.feed(row)
    # Plotly has no place for what our own pages read beside it.
    return graphs.Figure(make_timeline(stories, now_ms), skip_invalid=True)


def describe_html(title: str, told: Iterable[Told]) -> str:
    """A table of workloads and lone pods with what is said of each."""
    lines = [
        f"<tr><td>{escape(one.kind)}</td><td>{escape(one.namespace)}/{escape(one.name)}</td>"
        f"<td style='text-align:left'>{escape(one.verdict)}</td></tr>"
        for one in told
    ]
    head = "<tr><th>kind</th><th>name</th><th>verdict</th></tr>"
    return f"<p>{escape(title)}</p><table>{head}{''.join(lines)}</table>"


def _import(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name.partition('.')[0]} is not installed: run {INSTALL}") from None
