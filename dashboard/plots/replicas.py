"""The Deployment page's picture: replicas by revision, ready, available, and the budget they owe."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .spans import hover, when
from .theme import TONES, escape, layout, revision_colour, time_axis

Row = Mapping[str, Any]
# Invisible ticks keep the labels of the two axes apart in the corner.
_BELOW = {"ticks": "outside", "ticklen": 6, "tickcolor": "rgba(0,0,0,0)"}


@dataclass(frozen=True, slots=True)
class Budget:
    """From `at_ms` on: replicas wanted, and the bounds a rolling update keeps between."""

    at_ms: int
    wanted: int
    low: int  # wanted - maxUnavailable: available never drops below it
    high: int  # wanted + maxSurge: replicas never rise above it

    @property
    def bounds(self) -> tuple[int, int, int]:
        return self.wanted, self.low, self.high


@dataclass
class Steps:
    """A number that holds until it changes."""

    at_ms: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def add(self, at_ms: int, value: int) -> None:
        """Of several values of one instant the last one stays."""
        if self.at_ms and self.at_ms[-1] == at_ms:
            self.values[-1] = value
            return
        self.at_ms.append(at_ms)
        self.values.append(value)

    def value_at(self, at_ms: int) -> int:
        """0 before the first."""
        index = bisect_right(self.at_ms, at_ms)
        return self.values[index - 1] if index else 0


class Rollout:
    """A Deployment's numbers and its ReplicaSets', folded from their transitions in order."""

    def __init__(self, name: str) -> None:
        self.owner = f"Deployment/{name}"
        self.numbers: dict[str, Steps] = {}
        self.replica_sets: dict[str, Steps] = {}
        self.revisions: dict[str, int] = {}
        self.names: dict[str, str] = {}
        # They follow the spec, which transitions do not carry.
        self.budgets: list[Budget] = []

    def feed(self, row: Row) -> None:
        value = row["new"]
        if row["kind"] == "ReplicaSet" and row["owner"] == self.owner:
            self._feed_replica_set(row)
        elif row["kind"] == "Deployment" and isinstance(value, int) and not isinstance(value, bool):
            self.numbers.setdefault(row["field"], Steps()).add(row["at_ms"], value)

    def _feed_replica_set(self, row: Row) -> None:
        uid, name = row["uid"], row["field"]
        steps = self.replica_sets.setdefault(uid, Steps())
        self.names[uid] = row["name"]
        if name == "revision":
            self.revisions[uid] = row["new"]
        elif name == "replicas":
            steps.add(row["at_ms"], row["new"])
        elif name == "exists" and row["new"] == "deleted":
            steps.add(row["at_ms"], 0)


def make_replicas(rollout: Rollout, now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """Stacked areas by revision under step lines; everything ends at `now_ms` and grows from there."""
    start_ms = 0 if window_ms is None else max(0, now_ms - window_ms)
    data = [*_areas(rollout, now_ms), *_lines(rollout, now_ms), *_bounds(rollout, now_ms)]
    top = max((max(trace["y"], default=0) for trace in data if trace["y"]), default=1)
    yaxis = {
        "range": [0, top + 0.6],
        "autorange": False,
        "fixedrange": True,
        "tickformat": "d",
        "nticks": 6,
        "zeroline": False,
        "tickfont": {"size": 11},
        "ticks": "",
    }
    frame = layout(height=320, yaxis=yaxis, showlegend=False)
    frame["margin"] |= {"l": 36, "t": 12, "b": 28}
    frame["xaxis"] = {**time_axis("bottom"), **_BELOW, "range": [start_ms, max(now_ms, start_ms + 1000)]}
    return {"data": data, "layout": frame}


def _areas(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    """Oldest revision at the bottom: the new one grows on top of what it replaces.

    Stacked areas need common instants, or Plotly would interpolate where nothing happened.
    """
    instants = sorted({at for steps in rollout.replica_sets.values() for at in steps.at_ms})
    ordered = sorted(
        rollout.replica_sets, key=lambda uid: (rollout.revisions.get(uid, 0), rollout.names[uid])
    )
    return [
        _area(rollout, uid, instants, now_ms, len(ordered) - place) for place, uid in enumerate(ordered, 1)
    ]


def _area(rollout: Rollout, uid: str, instants: Sequence[int], now_ms: int, age: int) -> dict[str, Any]:
    steps, revision = rollout.replica_sets[uid], rollout.revisions.get(uid, 0)
    values = [steps.value_at(at) for at in instants]
    colour = revision_colour(revision)
    name = f"revision {revision} · {rollout.names[uid]}"
    return {
        **_step_line(name, colour, 0.5, [*instants, now_ms], [*values, *values[-1:]] if values else [0]),
        "stackgroup": "revisions",
        "fillcolor": f"{colour}{'8c' if age == 0 else '4d'}",
        "meta": {"grows": "line", "revision": revision},
    }


def _lines(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    shown = (
        ("readyReplicas", "ready", TONES["starting"].colour, 2, "solid"),
        ("availableReplicas", "available", TONES["ready"].colour, 3, "solid"),
    )
    lines = []
    for key, name, colour, width, dash in shown:
        steps = rollout.numbers.get(key, Steps())
        at_ms = [0, *steps.at_ms, now_ms]
        values = [0, *steps.values, steps.value_at(now_ms)]
        lines.append(_step_line(name, colour, width, at_ms, values, dash))
    return lines


def _bounds(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    at_ms = [budget.at_ms for budget in rollout.budgets] + [now_ms] * bool(rollout.budgets)
    last = rollout.budgets[-1:]
    lows = [budget.low for budget in [*rollout.budgets, *last]]
    highs = [budget.high for budget in [*rollout.budgets, *last]]
    return [
        _step_line(
            "at least (replicas − maxUnavailable)", TONES["crashing"].colour, 1.5, at_ms, lows, "dash"
        ),
        _step_line("at most (replicas + maxSurge)", TONES["notReady"].colour, 1.5, at_ms, highs, "dot"),
    ]


def _step_line(
    name: str, colour: str, width: float, at_ms: list[int], values: list[int], dash: str = "solid"
) -> dict[str, Any]:
    """The last point is now; the browser moves it."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(name),
        "x": at_ms,
        "y": values,
        "line": {"shape": "hv", "color": colour, "width": width, "dash": dash},
        "hovertext": [
            hover(f"{name}: {value}", when(at, at)) for at, value in zip(at_ms, values, strict=True)
        ],
        "hoverinfo": "text",
        "meta": {"grows": "line"},
    }
