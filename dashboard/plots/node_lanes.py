"""The node page's picture: lanes for each condition, cordons and drains, with events as marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dashboard.plots.phases import VALUES
from dashboard.plots.spans import Lane, Mark, Span, make_lanes
from dashboard.plots.theme import BAD, WAITING
from lifecycle.engine.rules.nodes.drains import BLOCKED, DONE, DRAIN, ENDS
from lifecycle.simulation.reports.tones import Tone

Row = Mapping[str, Any]
READY, CORDONED, EVENTS = "condition.Ready", "unschedulable", "events"
_TONES = {tone.name.removeprefix("value-"): tone for tone in VALUES}
_DRAIN_TONES = {"started": "leaving", BLOCKED: "bad", DONE: "done"}
_SYMBOLS = {"Normal": ("circle", WAITING), "Warning": ("triangle-up", BAD)}


def make_node_lanes(rows: Iterable[Row], now_ms: int, window_ms: int | None = None) -> dict[str, Any]:
    """`rows`: transitions and events of one node, in order."""
    spans: dict[str, list[Span]] = {}
    marks: list[Mark] = []
    for row in rows:
        if row["type"] == "event":
            marks.append(_mark(row))
        elif row["field"].startswith("condition.") or row["field"] in (CORDONED, DRAIN):
            _follow(spans.setdefault(row["field"], []), row)
        elif row["field"] == "exists" and row["new"] == "deleted":
            for held in spans.values():
                _close(held, row["at_ms"])
    found = [lane for lane, held in spans.items() if held]
    order = [*sorted(found, key=_rank), *([EVENTS] if marks else [])]
    lanes = [Lane(key, _label(key), key) for key in order]
    return make_lanes(
        lanes, VALUES, [one for held in spans.values() for one in held], marks, now_ms, window_ms
    )


def _follow(spans: list[Span], row: Row) -> None:
    # Of several words of one instant the last is drawn.
    if spans and spans[-1].start_ms == row["at_ms"]:
        spans.pop()
    _close(spans, row["at_ms"])
    field, new = row["field"], row["new"]
    if new is None or (field == CORDONED and not new):
        return
    is_end = field == DRAIN and new in ENDS
    word = "cordoned" if field == CORDONED else str(new)
    title = f"{_label(field)}: {word}" + (f" ({row['reason']})" if row["reason"] else "")
    notes = [row["message"]] if row["message"] else []
    end_ms = row["at_ms"] if is_end else None
    shown = word if field == CORDONED else str(row["reason"] or word)
    if field == DRAIN and row["reason"]:
        shown = f"{word} by {row['reason']}"
    spans.append(Span(field, _tone(field, new), row["at_ms"], end_ms, title, notes, row["seq"], shown))


def _close(spans: list[Span], at_ms: int) -> None:
    if spans and spans[-1].end_ms is None:
        spans[-1].end_ms = at_ms


def _tone(field: str, new: Any) -> Tone:
    """Ready is to be True, all other conditions are trouble while they are."""
    if field == DRAIN:
        return _TONES[_DRAIN_TONES.get(str(new), "bad")]
    if field == CORDONED:
        return _TONES["leaving"]
    if field == READY:
        return _TONES["good" if new == "True" else "bad"]
    return _TONES["bad" if new == "True" else "waiting" if new == "Unknown" else "idle"]


def _mark(row: Row) -> Mark:
    symbol, colour = _SYMBOLS.get(row["eventType"], _SYMBOLS["Normal"])
    times = f" ×{row['count']}" if row["count"] > 1 else ""
    notes = [row["message"]] if row["message"] else []
    return Mark(EVENTS, symbol, colour, row["at_ms"], f"{row['reason']}{times}", notes, row["seq"])


def _label(field: str) -> str:
    return {CORDONED: "Cordoned", DRAIN: "Drain"}.get(field, field.removeprefix("condition."))


def _rank(field: str) -> tuple[int, str]:
    return ((READY, CORDONED, DRAIN).index(field) if field in (READY, CORDONED, DRAIN) else 3), field
