"""The pod page's picture: lanes for state, phase, each condition and each container, with events as marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.plots.graces import GracePeriods, Graces
from dashboard.plots.spans import Lane, Mark, Span, make_lanes
from dashboard.plots.stories import PodStory
from dashboard.plots.theme import BAD, GOOD, IDLE, WAITING
from lifecycle.simulation.reports.tones import STATES, TONES, Tone

Row = Mapping[str, Any]

CONDITIONS = ("PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
VALUES: tuple[Tone, ...] = (
    Tone("value-good", "holds", GOOD, "True, Running"),
    Tone("value-waiting", "under way", WAITING, "Waiting, Pending", ">"),
    Tone("value-bad", "failed", BAD, "Failed, a non-zero exit", "x"),
    Tone("value-idle", "does not hold", IDLE, "False, Unknown", "_"),
    Tone("value-done", "done", TONES["succeeded"].colour, "Succeeded, exit 0", "."),
    Tone("value-leaving", "leaving", TONES["terminating"].colour, "Being ended", "/"),
)
_VALUE = {tone.name.removeprefix("value-"): tone for tone in VALUES}
_TONE_OF = {
    "True": "good",
    "Running": "good",
    "Pending": "waiting",
    "Waiting": "waiting",
    "Succeeded": "done",
    "Failed": "bad",
    "Started": "waiting",
}
NO_PERIODS = GracePeriods()
_SYMBOLS = {"Normal": ("circle", WAITING), "Warning": ("triangle-up", BAD)}


def make_phases(
    rows: Iterable[Row],
    now_ms: int,
    window_ms: int | None = None,
    state: str | None = None,
    periods: GracePeriods = NO_PERIODS,
) -> dict[str, Any]:
    """`rows`: transitions and events of one pod, in order; `state`: the stored one, should they say none."""
    folding = _Folding(periods)
    for row in rows:
        folding.feed(row)
    folding.assume(state)
    figure = make_lanes(
        folding.lanes(), (*STATES, *VALUES), folding.spans(), folding.marks, now_ms, window_ms
    )
    figure["layout"]["meta"] |= folding.life()
    if reach_ms := folding.graces.reach(now_ms):
        figure["layout"]["meta"]["ahead"] = reach_ms
    return figure


class _Folding:
    """Values of each lane as they follow one another."""

    def __init__(self, periods: GracePeriods) -> None:
        self.graces = Graces(periods, _VALUE["leaving"])
        self.by_lane: dict[str, list[Span]] = {}
        self.marks: list[Mark] = []
        self.story: PodStory | None = None
        self.what_by_seq: dict[int, str] = {}

    def feed(self, row: Row) -> None:
        if row["type"] == "event":
            self._remember(row, f"{row['reason']} event")
            self.marks.append(self._event(row))
            return
        self._remember(row, f"{row['field']} → {row['new']}")
        self.story = self.story or PodStory(row)
        self.story.feed(row)
        self.graces.feed(row)
        self._transition(row)

    def assume(self, state: str | None) -> None:
        if self.story is not None:
            self.story.assume(state)

    def life(self) -> dict[str, int | None]:
        """From the pod's creation to its end: all there is to look at."""
        if self.story is None:
            return {"from": 0, "to": None}
        return {"from": self.story.created_ms, "to": self.story.deleted_ms}

    def lanes(self) -> list[Lane]:
        """State first, then what Kubernetes calls it: phase, conditions, containers, deletion, events."""
        return [
            Lane("state", "State"),
            *(Lane(key, _label(key), key) for key in sorted(self._keys(), key=_rank)),
        ]

    def spans(self) -> list[Span]:
        state = self.story.spans if self.story else []
        moved = [
            Span("state", one.tone, one.start_ms, one.end_ms, one.title, one.notes, one.seq, one.word)
            for one in state
        ]
        values = [span for lane in self.by_lane.values() for span in lane]
        return moved + values + self.graces.spans

    def _keys(self) -> dict[str, None]:
        """In the order in which they are first told of: containers as the spec has them."""
        return dict.fromkeys([*self.by_lane, *(mark.lane for mark in self.marks)])

    def _remember(self, row: Row, what: str) -> None:
        self.what_by_seq[row["seq"]] = what

    def _transition(self, row: Row) -> None:
        field, parts = row["field"], row["field"].split(".")
        if field == "exists" and row["new"] == "deleted":
            self._close_all(row["at_ms"])
        elif field in ("phase", "deletion") or parts[0] == "condition":
            self._follow(row, field)
        elif parts[0] == "container" and parts[-1] == "state":
            self._follow(row, field.removesuffix(".state"))
        elif parts[0] in ("probe", "hook", "signal"):
            self.marks.append(self._happening(row, parts))

    def _follow(self, row: Row, lane: str) -> None:
        spans = self.by_lane.setdefault(lane, [])
        if spans and spans[-1].end_ms is None:
            spans[-1].end_ms = row["at_ms"]
        if row["new"] is None:
            return
        title = f"{_label(lane)}: {row['new']}" + (f" ({row['reason']})" if row["reason"] else "")
        # Rows of the write that removed the pod come after its end: they held for no time.
        end_ms = self.story.deleted_ms if self.story else None
        notes = self._notes(row)
        spans.append(
            Span(
                lane,
                _tone(lane, row),
                row["at_ms"],
                end_ms,
                title,
                notes,
                row["seq"],
                str(row["reason"] or row["new"]),
            )
        )

    def _close_all(self, at_ms: int) -> None:
        for spans in self.by_lane.values():
            if spans[-1].end_ms is None:
                spans[-1].end_ms = at_ms

    def _event(self, row: Row) -> Mark:
        symbol, colour = _SYMBOLS.get(row["eventType"], _SYMBOLS["Normal"])
        times = f" ×{row['count']}" if row["count"] > 1 else ""
        title = f"{row['reason']}{times} · {row['source']}"
        notes = self._notes(row, with_reason=False)
        return Mark("events", symbol, colour, row["at_ms"], title, notes, row["seq"])

    def _happening(self, row: Row, parts: Sequence[str]) -> Mark:
        """A probe's verdict, a hook's course, a signal: marks on the lane of their container."""
        kind, container = parts[0], parts[1]
        what = " ".join(parts[2:]) or kind
        bad = row["new"] in ("Failure", "Failed", "TimedOut", "SIGKILL")
        symbol = {"probe": "circle", "hook": "square", "signal": "star-triangle-down"}[kind]
        colour = (
            BAD if bad else GOOD if row["new"] in ("Success", "Succeeded") else TONES["terminating"].colour
        )
        title = f"{what} of {container}: {row['new']}"
        lane, notes = f"container.{container}", self._notes(row)
        return Mark(lane, symbol, colour, row["at_ms"], title, notes, row["seq"])

    def _notes(self, row: Row, *, with_reason: bool = True) -> list[str]:
        said = [row["reason"] if with_reason else None, row["message"]]
        notes = [": ".join(part for part in said if part)]
        detail = row.get("detail") or {}
        shown = ("exitCode", "signal", "restartCount", "why")
        notes.append(", ".join(f"{key} {detail[key]}" for key in shown if detail.get(key) is not None))
        notes.append(self._cause(row["cause"]))
        return [note for note in notes if note]

    def _cause(self, cause: int | str | None) -> str:
        if cause is None:
            return ""
        if isinstance(cause, str):
            return f"because of {cause.replace(':', ' ', 1)}"
        what = self.what_by_seq.get(cause)
        return f"because of {what} (#{cause})" if what else f"because of row #{cause}"


def _tone(lane: str, row: Row) -> Tone:
    if lane == "deletion":
        return _VALUE["leaving"]
    if row["new"] == "Terminated":
        return _VALUE["done" if (row.get("detail") or {}).get("exitCode") == 0 else "bad"]
    if row["new"] == "Waiting" and (row["reason"] or "").endswith(("BackOff", "Error")):
        return _VALUE["bad"]
    return _VALUE[_TONE_OF.get(str(row["new"]), "idle")]


def _label(lane: str) -> str:
    kind, _, name = lane.partition(".")
    return name or kind.capitalize()


def _rank(lane: str) -> tuple[int, int, str]:
    kind, _, name = lane.partition(".")
    order = ("phase", "condition", "container", "deletion", "events")
    known = CONDITIONS.index(name) if name in CONDITIONS else len(CONDITIONS)
    return order.index(kind), known if kind == "condition" else 0, name if kind == "condition" else ""
