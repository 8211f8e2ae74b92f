"""A workload page's picture: its pods by revision, ready, available, and what they owe."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.plots.requests import LOST, LOST_LINE, ServedLane, make_lost_area
from dashboard.plots.spans import Lane, hover, line_key, when
from dashboard.plots.theme import count_axis, escape, layout, revision_colour, revision_tone, time_axis
from lifecycle.engine.kinds.daemon_set import DAEMON_SET
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.engine.objects.workloads.replica_set import REPLICA_SET_KIND
from lifecycle.simulation.reports.tones import TONES

Row = Mapping[str, Any]
# Of a long story the later part is held and drawn: after so many rows the later half of their steps.
MOST_ROWS = 4000
HEIGHT, ROW_HEIGHT = 320, 22
HEADROOM = 0.6
LOW, HIGH = "at least (replicas − maxUnavailable)", "at most (replicas + maxSurge)"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The integers of a kind's status that are drawn."""

    total: str = "replicas"
    updated: str = "updatedReplicas"
    ready: str = "readyReplicas"
    available: str = "availableReplicas"
    wanted: str = ""  # where it is of the status; else `spec.replicas` says it
    stacked: tuple[str, ...] = ()  # numbers that stand for themselves, lowest first
    tones: tuple[str, ...] = ()  # the states whose colours they have

    @property
    def fields(self) -> list[str]:
        own = (self.total, self.updated, self.ready, self.available, self.wanted)
        return [name for name in dict.fromkeys((*own, *self.stacked)) if name]


NUMBERS = Numbers()
NUMBERS_BY_KIND = {
    DAEMON_SET.kind.id: Numbers(
        "currentNumberScheduled",
        "updatedNumberScheduled",
        "numberReady",
        "numberAvailable",
        "desiredNumberScheduled",
    ),
    JOB_KIND.id: Numbers(
        "", "", "", "", "", ("succeeded", "active", "failed"), ("succeeded", "starting", "failed")
    ),
}
# How thick areas are painted: the newest most, and of others no two neighbours alike.
NEWEST, EARLIER_ONES = "a6", ("66", "2e")
# Pods of the latest revision, above those of all before it.
EARLIER, LATEST = 0, 1


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

    def forget(self, before_ms: int) -> None:
        """Keep what holds from an instant on."""
        if self.at_ms and self.at_ms[0] < before_ms:
            value, first = self.value_at(before_ms), bisect_right(self.at_ms, before_ms)
            self.at_ms[:first], self.values[:first] = [before_ms], [value]


@dataclass
class Owned:
    """Pods that are stacked as one: those of a Deployment's ReplicaSet, or of a revision."""

    name: str
    turn: int
    revision: int = 0
    replicas: Steps = field(default_factory=Steps)
    is_deleted: bool = False
    is_replica_set: bool = False
    state: str = ""
    """Of pods of one state: that, for their colour."""

    @property
    def tone(self) -> str:
        return self.state or revision_tone(self.turn)

    @property
    def colour(self) -> str:
        return TONES[self.state].colour if self.state else revision_colour(self.turn)

    @property
    def title(self) -> str:
        return f"{self.key_label} · {self.name}" if self.is_replica_set else self.name

    @property
    def key_label(self) -> str:
        return f"revision {self.revision}" if self.is_replica_set else self.name

    def feed(self, row: Row) -> None:
        if row["field"] == "revision":
            self.revision = row["new"]
        elif row["field"] == "replicas":
            self.replicas.add(row["at_ms"], row["new"])
        elif row["field"] == "exists" and row["new"] == "deleted":
            self.replicas.add(row["at_ms"], 0)
            self.is_deleted = True


class Rollout:
    """A workload's numbers and those of a Deployment's ReplicaSets, folded from transitions in order."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name, self.owner = kind, name, f"{kind}/{name}"
        self.shown = NUMBERS_BY_KIND.get(kind, NUMBERS)
        self.numbers = {name: Steps() for name in self.shown.fields}
        self.replica_sets: dict[str, Owned] = {}
        # Which of its revisions each of them was: their numbers change when a rollout is undone.
        self.turns: dict[str, int] = {}
        # They follow the spec, which transitions do not carry.
        self.budgets: list[Budget] = []
        # What was before is not held any more.
        self.since_ms = 0
        self._taken = 0

    def feed(self, row: Row) -> None:
        """Take a transition of the workload or of what it owns; others say nothing here."""
        kind = kind_id(row["group"], row["kind"])
        if kind == REPLICA_SET_KIND.id and row["owner"] == self.owner:
            self._replica_set(row).feed(row)
        elif kind == self.kind and row["name"] == self.name:
            self._feed_own(row)
        else:
            return
        self._taken += 1
        if self._taken > MOST_ROWS:
            self._forget()

    def _replica_set(self, row: Row) -> Owned:
        turn = self.turns.setdefault(row["uid"], len(self.turns))
        return self.replica_sets.setdefault(row["uid"], Owned(row["name"], turn, is_replica_set=True))

    def _feed_own(self, row: Row) -> None:
        if row["field"] in self.numbers:
            self.numbers[row["field"]].add(row["at_ms"], row["new"])
        elif row["field"] == "exists" and row["new"] == "deleted":
            for steps in self.numbers.values():
                steps.add(row["at_ms"], 0)
        elif row["field"] == "exists" and not self._taken:
            # Before it was made there is nothing to show.
            self.since_ms = row["at_ms"]

    def _forget(self) -> None:
        """Of the steps the later half stays; ReplicaSets that were gone before go."""
        held = [*self.numbers.values(), *(owned.replicas for owned in self.replica_sets.values())]
        instants = sorted(at for steps in held for at in steps.at_ms) or [self.since_ms]
        self._taken = len(instants) // 2
        self.since_ms = instants[self._taken]
        for steps in held:
            steps.forget(self.since_ms)
        self.replica_sets = {
            uid: owned
            for uid, owned in self.replica_sets.items()
            if not owned.is_deleted or any(owned.replicas.values)
        }


def make_replicas(
    rollout: Rollout, now_ms: int, window_ms: int | None = None, services: Sequence[ServedLane] = ()
) -> dict[str, Any]:
    """Stacked areas by revision under step lines; everything ends at `now_ms` and grows from there.

    `services`: those that select its pods. What is lost of the requests to one is red, up to the top for all.
    """
    start_ms = rollout.since_ms if window_ms is None else max(rollout.since_ms, now_ms - window_ms)
    areas = _areas(rollout, now_ms)
    data = [*areas, *_lines(rollout, now_ms), *_bounds(rollout, now_ms)]
    top = max((max(trace["y"], default=0) for trace in data if trace["y"]), default=1)
    top = max(top, _stack_height(areas))
    height = top * 1.04 + HEADROOM
    data += _forbidden(data, height)
    lost = make_lost_area(services, now_ms, top)
    data += [lost] if lost else []
    frame = layout(height=HEIGHT, yaxis=count_axis(height, top), showlegend=False)
    frame["xaxis"] = {**time_axis(), "range": [start_ms, max(now_ms, start_ms + 1000)]}
    rows = _key_rows(rollout, has_lost=lost is not None)
    frame["meta"] = {"from": rollout.since_ms, "rows": rows, "rowHeight": ROW_HEIGHT}
    return {"data": data, "layout": frame}


def _stack_height(areas: Sequence[Mapping[str, Any]]) -> int:
    """How high the areas stand upon each other at the most."""
    heights = Counter[int]()
    for area in areas:
        heights.update(dict(zip(area["x"], area["y"], strict=True)))
    return max(heights.values(), default=0)


_NAMED_LINES = (("available", "ready", 3.0, "solid"), ("ready", "starting", 2.0, "solid"))


def _key_rows(rollout: Rollout, has_lost: bool) -> list[dict[str, Any]]:
    """What the lines and areas are, newest revision first; of all that is drawn."""
    lines = [line for line in _NAMED_LINES if getattr(rollout.shown, line[0])]
    if rollout.kind == DEPLOYMENT_KIND.id:
        lines += [("at least", "crashing", 1.5, "dash"), ("at most", "notReady", 1.5, "dot")]
    elif not rollout.shown.stacked:
        lines += [("wanted", "notReady", 1.5, "dot")]
    lanes = [line_key(*line) for line in lines]
    lanes += [Lane(LOST_LINE, LOST_LINE, LOST.meaning, tone=LOST.name)] if has_lost else []
    for owned in reversed(_list_areas(rollout)):
        if owned.state or any(owned.replicas.values):
            lanes.append(Lane(owned.name, owned.key_label, owned.title, tone=owned.tone))
    return [lane.to_json() for lane in lanes[: HEIGHT // ROW_HEIGHT - 1]]


def _areas(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    """Oldest revision at the bottom: the new one grows on top of what it replaces.

    Stacked areas need common instants, or Plotly would interpolate where nothing happened. Before an area's
    first point and after its last one Plotly takes it for 0.
    """
    ordered = _list_areas(rollout)
    instants = sorted({at for owned in ordered for at in owned.replicas.at_ms})
    return [_area(owned, instants, now_ms, is_newest=owned is ordered[-1]) for owned in ordered]


def _list_areas(rollout: Rollout) -> list[Owned]:
    """A Deployment's ReplicaSets; the pods of any other workload, those of the latest revision apart."""
    if rollout.kind == DEPLOYMENT_KIND.id:
        return sorted(rollout.replica_sets.values(), key=lambda owned: (owned.revision, owned.name))
    if rollout.shown.stacked:
        named = zip(rollout.shown.stacked, rollout.shown.tones, strict=True)
        return [Owned(name, 0, replicas=rollout.numbers[name], state=tone) for name, tone in named]
    total, updated = (rollout.numbers[name] for name in (rollout.shown.total, rollout.shown.updated))
    if not any(updated.values):
        return [Owned("pods", LATEST, replicas=total)]
    earlier = Steps()
    for at_ms in sorted({*total.at_ms, *updated.at_ms}):
        earlier.add(at_ms, max(0, total.value_at(at_ms) - updated.value_at(at_ms)))
    return [
        Owned("earlier revisions", EARLIER, replicas=earlier),
        Owned("latest revision", LATEST, replicas=updated),
    ]


def _area(owned: Owned, instants: Sequence[int], now_ms: int, is_newest: bool) -> dict[str, Any]:
    at_ms = _life(owned.replicas, instants, now_ms)
    values = [owned.replicas.value_at(at) for at in at_ms]
    colour = owned.colour
    return {
        **_step_line(owned.title, colour, 1, at_ms, values),
        "stackgroup": "revisions",
        "fillcolor": f"{colour}{NEWEST if is_newest else EARLIER_ONES[owned.turn % 2]}",
        "meta": {"revision": owned.revision} | ({"grows": "line"} if any(values[-1:]) else {}),
    }


def _life(replicas: Steps, instants: Sequence[int], now_ms: int) -> list[int]:
    """The instants from its first replica until it has none, or until now."""
    if not replicas.at_ms:
        return []
    first, last = bisect_left(instants, replicas.at_ms[0]), bisect_right(instants, replicas.at_ms[-1])
    return [*instants[first:], now_ms] if replicas.values[-1] else [*instants[first:last]]


def _lines(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    shown = (
        (rollout.shown.ready, "ready", TONES["starting"].colour, 2, "solid"),
        (rollout.shown.available, "available", TONES["ready"].colour, 3, "solid"),
        (rollout.shown.wanted, "wanted", TONES["notReady"].colour, 1.5, "dot"),
    )
    lines = []
    for key, name, colour, width, dash in shown:
        if not key:
            continue
        steps = rollout.numbers[key]
        # Before its first change a number is 0.
        first = [rollout.since_ms] if rollout.since_ms not in steps.at_ms[:1] else []
        at_ms = [*first, *steps.at_ms, now_ms]
        values = [*([0] * len(first)), *steps.values, steps.value_at(now_ms)]
        lines.append(_step_line(name, colour, width, at_ms, values, dash))
    return lines


def _bounds(rollout: Rollout, now_ms: int) -> list[dict[str, Any]]:
    # The last one from before what is held still counts there.
    first = max(0, bisect_right(rollout.budgets, rollout.since_ms, key=lambda budget: budget.at_ms) - 1)
    held, last = rollout.budgets[first:], rollout.budgets[-1:]
    at_ms = [max(budget.at_ms, rollout.since_ms) for budget in held] + [now_ms] * bool(last)
    if rollout.kind != DEPLOYMENT_KIND.id:
        wanted = [budget.wanted for budget in [*held, *last]]
        return [_step_line("wanted", TONES["notReady"].colour, 1.5, at_ms, wanted, "dot")] if held else []
    lows = [budget.low for budget in [*held, *last]]
    highs = [budget.high for budget in [*held, *last]]
    return [
        _step_line(LOW, TONES["crashing"].colour, 1.5, at_ms, lows, "dash"),
        _step_line(HIGH, TONES["notReady"].colour, 1.5, at_ms, highs, "dot"),
    ]


def _forbidden(lines: Sequence[dict[str, Any]], top: float) -> list[dict[str, Any]]:
    """Where a rolling update must not bring the available pods, and the number of all: hatched."""
    zones = []
    for line in lines:
        if line["name"] not in (LOW, HIGH):
            continue
        zone = {key: value for key, value in line.items() if key != "hovertext"}
        zone |= {"name": "forbidden", "line": {"shape": "hv", "width": 0}}
        fill = {
            "fillpattern": {
                "shape": "/",
                "fgcolor": f"{line['line']['color']}66",
                "size": 9,
                "solidity": 0.12,
            }
        }
        if line["name"] == LOW:
            zones.append({**zone, **fill, "fill": "tozeroy"})
        else:
            zones += [zone, {**zone, **fill, "y": [top] * len(line["x"]), "fill": "tonexty"}]
    return zones


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
        "meta": {"grows": "line"},
    }
