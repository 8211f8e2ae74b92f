"""An autoscaler's pictures: replicas between their bounds, and metrics in per cent of their targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.plots.spans import Lane, hover, line_key, when
from dashboard.plots.theme import count_axis, escape, layout, time_axis
from lifecycle.engine.rules.telling.autoscalers import Measured
from lifecycle.simulation.reports.tones import TONES

HEIGHT, ROW_HEIGHT = 260, 22
# Of a long story the later part is drawn.
MOST_MOMENTS = 2000
Value = Callable[[Any], int | None]
"""What is drawn of a moment: anything that has an `at_ms`."""
_METRIC_TONES = ("starting", "terminating", "succeeded", "stuck", "unknown")
_OF_TARGET = 100


@dataclass(frozen=True, slots=True)
class Moment:
    """From `at_ms` on: what the autoscaler says. `limit`: why its wish is cut, "" where it is not."""

    at_ms: int
    current: int | None
    desired: int | None
    least: int
    most: int
    limit: str
    metrics: tuple[Measured, ...]

    @property
    def content(self) -> tuple[Any, ...]:
        """All but the instant."""
        return self.current, self.desired, self.least, self.most, self.limit, self.metrics


def make_replicas(moments: Sequence[Moment], now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """Replicas there are and are wanted, least and most, and where its wish was cut."""
    held = moments[-MOST_MOMENTS:]
    lines = [
        ("replicas", "ready", 3.0, "solid", lambda one: one.current),
        ("desired", "starting", 1.5, "dash", lambda one: one.desired),
        ("minimum", "pending", 1.5, "dot", lambda one: one.least),
        ("maximum", "notReady", 1.5, "dot", lambda one: one.most),
    ]
    data = [
        make_line(name, tone, width, dash, held, value, now_ms) for name, tone, width, dash, value in lines
    ]
    data.append(_limits(held, now_ms))
    rows = [line_key(*line[:4]) for line in lines]
    if any(one.limit for one in held):
        rows.append(Lane(key="limited", label="limited", tone="crashing"))
    return make_steps(data, rows, held, now_ms, window_ms)


def make_metrics(moments: Sequence[Moment], now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """Each metric in per cent of its target; at 100 nothing is to be done."""
    held = moments[-MOST_MOMENTS:]
    names = list(dict.fromkeys(metric.name for one in held for metric in one.metrics))
    tones = [_METRIC_TONES[turn % len(_METRIC_TONES)] for turn in range(len(names))]
    data = [
        make_line(name, tone, 2.5, "solid", held, _percent_of(name), now_ms, _tell(name))
        for name, tone in zip(names, tones, strict=True)
    ]
    data.append(make_line("target", "notReady", 1.5, "dash", held, lambda one: _OF_TARGET, now_ms))
    rows = [line_key(name, tone, 2.5, "solid") for name, tone in zip(names, tones, strict=True)]
    figure = make_steps(data, [*rows, line_key("target", "notReady", 1.5, "dash")], held, now_ms, window_ms)
    figure["layout"]["yaxis"]["ticksuffix"] = " %"
    return figure


def _percent_of(name: str) -> Value:
    return lambda one: next((metric.percent for metric in one.metrics if metric.name == name), None)


def _tell(name: str) -> Callable[[Moment], str]:
    def tell(one: Moment) -> str:
        found = next((metric for metric in one.metrics if metric.name == name), None)
        return f"{name}: {found.value or 'unknown'} of {found.target}" if found is not None else name

    return tell


def make_line(
    name: str,
    tone: str,
    width: float,
    dash: str,
    moments: Sequence[Any],
    value: Value,
    now_ms: int,
    tell: Callable[[Any], str] | None = None,
) -> dict[str, Any]:
    """The last point is now; the browser moves it. Where nothing is known there is a gap."""
    at_ms = [*(one.at_ms for one in moments), *([now_ms] if moments else [])]
    told = [*moments, *moments[-1:]]
    values = [value(one) for one in told]
    words = [tell(one) if tell else f"{name}: {number}" for one, number in zip(told, values, strict=True)]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(name),
        "x": at_ms,
        "y": values,
        "line": {"shape": "hv", "color": TONES[tone].colour, "width": width, "dash": dash},
        "hovertext": [hover(text, when(at, at)) for text, at in zip(words, at_ms, strict=True)],
        "meta": {"grows": "line"},
    }


def _limits(moments: Sequence[Moment], now_ms: int) -> dict[str, Any]:
    """Drawn on the line of the desired replicas, wherever these are not what the metrics ask for."""

    def tell(one: Moment) -> str:
        return f"limited: {one.limit}" if one.limit else ""

    line = make_line(
        "limited",
        "crashing",
        7,
        "solid",
        moments,
        lambda one: one.desired if one.limit else None,
        now_ms,
        tell,
    )
    return {**line, "opacity": 0.4}


def make_steps(
    data: list[dict[str, Any]],
    rows: Sequence[Lane],
    moments: Sequence[Any],
    now_ms: int,
    window_ms: int | None,
) -> dict[str, Any]:
    """The figure of such lines, from the first moment on, numbers from 0 up."""
    first_ms = moments[0].at_ms if moments else 0
    start_ms = first_ms if window_ms is None else max(first_ms, now_ms - window_ms)
    top = max((number for trace in data for number in trace["y"] if number is not None), default=1)
    frame = layout(height=HEIGHT, yaxis=count_axis(top * 1.12 + 0.4, top), showlegend=False)
    frame["xaxis"] = {**time_axis(), "range": [start_ms, max(now_ms, start_ms + 1000)]}
    shown = [lane.to_json() for lane in rows[: HEIGHT // ROW_HEIGHT - 1]]
    frame["meta"] = {"from": first_ms, "rows": shown, "rowHeight": ROW_HEIGHT}
    return {"data": data, "layout": frame}
