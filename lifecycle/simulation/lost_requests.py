"""What was lost of the requests to the Services of a run: followed in its rows, summed up by its engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.timing import PROXY_PERIOD_MS, Timing
from lifecycle.engine.heart.trace import Transition, row_to_json
from lifecycle.engine.kinds.pod_specs import find_pod_metadata
from lifecycle.engine.rules.network.requests import (
    DNS,
    INGRESS,
    LOAD_BALANCER_SENDER,
    NOT_READY,
    OUTCOMES,
    PODS,
)
from lifecycle.input.scenario import format_duration
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple
from lifecycle.lost_requests import (
    FIELD,
    Course,
    Courses,
    selects,
    tell_exact_loss,
    tell_exactly,
    tell_outcome,
    tell_sender,
    tell_worst,
    tell_worth,
)

Json = Mapping[str, Any]
SERVICE = "Service"
_MOST_SPELLS = 5
UNREADY = OUTCOMES[NOT_READY]
_UNDER_WAY = "under way when their server ended"


class Spell(NamedTuple):
    """From one instant on until another, None for not yet, some were lost."""

    start_ms: int
    end_ms: int | None

    def tell(self) -> str:
        """`00:01:03.2 to 00:01:04.1`"""
        start = tell_exactly(self.start_ms)
        return f"since {start}" if self.end_ms is None else f"{start} to {tell_exactly(self.end_ms)}"


@dataclass(frozen=True, slots=True)
class Lost:
    """What was lost of the requests to one Service, or was served by pods that are not ready.

    `sums`, `outcomes`: as the engine tells them.
    """

    service: Json
    sums: Json
    outcomes: Mapping[str, Mapping[str, int]]
    courses: Courses
    now_ms: int

    @property
    def name(self) -> str:
        """`shop/web`"""
        meta = self.service["metadata"]
        return f"{meta['namespace']}/{meta['name']}"

    def tell(self) -> str:
        """`lost 1.4s of all requests, worst 2 of 3 refused from 00:01:03.2 to 00:01:04.1`, of each sender."""
        return "; ".join(self._tell(one) for one in self.outcomes if self.sums[one]["lostMs"])

    def _tell(self, sender: str) -> str:
        through = f" {tell_sender(sender)}" if len(self.outcomes) > 1 or sender != PODS else ""
        amount = tell_exact_loss(self.sums[sender])
        course, ways = self.courses.by_sender.get(sender, Course()), self.outcomes[sender]
        is_told = any(one.lost for one in course.list_stretches(None, self.now_ms)) or course.lumps
        how = tell_worst(course, None, self.now_ms) if is_told else _UNDER_WAY
        losses = {way: lost_ms for way, lost_ms in ways.items() if way != UNREADY}
        parts = [f"{tell_outcome(way)} {tell_worth(lost_ms)}" for way, lost_ms in losses.items()]
        return ", ".join([f"lost {amount}{through}", *(parts if len(parts) > 1 else ()), how])

    def describe(self) -> Iterator[str]:
        """Its block in a summary."""
        yield f"Service {self.name}"
        if told := self.tell():
            yield f"  requests  {told}"
        spells = self._list_spells()
        if len(spells) > 1:
            more = f" and {len(spells) - _MOST_SPELLS} times more" if len(spells) > _MOST_SPELLS else ""
            yield f"  lost in   {', '.join(one.tell() for one in spells[:_MOST_SPELLS])}{more}"
        for sender, ways in self.outcomes.items():
            if unready_ms := ways.get(UNREADY):
                through = f" {tell_sender(sender)}" if len(self.outcomes) > 1 else ""
                yield f"  served by pods that are not ready{through}: {tell_worth(unready_ms)} of all"

    def _list_spells(self) -> list[Spell]:
        """Of all senders in order; those that meet are one."""
        bad = sorted(
            (one.start_ms, self.now_ms if one.end_ms is None else one.end_ms, one.end_ms is None)
            for course in self.courses.by_sender.values()
            for one in course.list_stretches(None, self.now_ms)
            if one.lost
        )
        spells: list[list[Any]] = []
        for start_ms, end_ms, is_open in bad:
            if spells and start_ms <= spells[-1][1]:
                spells[-1][1:] = max(spells[-1][1], end_ms), spells[-1][2] or is_open
            else:
                spells.append([start_ms, end_ms, is_open])
        return [Spell(start_ms, None if is_open else end_ms) for start_ms, end_ms, is_open in spells]


class RequestRows:
    """Follows the rows that tell of requests."""

    def __init__(self) -> None:
        self._courses: dict[str, Courses] = {}

    def take(self, changes: Changes) -> None:
        """Take in what one instant changed."""
        for row in changes.rows:
            if isinstance(row, Transition) and row.field.startswith(FIELD):
                self._courses.setdefault(row.subject.uid, Courses()).feed(row_to_json(row))

    def list_lost(self, cluster: Cluster) -> list[Lost]:
        """The Services that lost any, in the order of their creation."""
        return [one for one in self.list_troubled(cluster) if one.sums["lostMs"]]

    def list_troubled(self, cluster: Cluster) -> list[Lost]:
        """The same, and those of which any were served by pods that are not ready."""
        return [
            Lost(
                service,
                sums,
                outcomes,
                self._courses.get(service["metadata"]["uid"], Courses()),
                cluster.now_ms,
            )
            for service, sums, outcomes in _list_troubled(cluster)
        ]


def _list_troubled(cluster: Cluster) -> Iterator[tuple[Json, Json, Mapping[str, Mapping[str, int]]]]:
    """Services with what was lost, and how requests fared that did not fare well."""
    for service in cluster.list(SERVICE):
        place = service["metadata"]["namespace"], service["metadata"]["name"]
        sums, outcomes = cluster.sum_requests(*place), cluster.sum_outcomes(*place)
        if sums is not None and any(outcomes.values()):
            yield service, sums, outcomes


def selects_pods_of(service: Json, workload: Json) -> bool:
    """Whether a Service selects the pods of a workload."""
    if service["metadata"]["namespace"] != workload["metadata"].get("namespace"):
        return False
    return selects(service, find_pod_metadata(workload).get("labels") or {})


def describe_lags(cluster: Cluster) -> Iterator[str]:
    """On which delays it rests that requests were lost; nothing where none were."""
    losing = [service["metadata"] for service, sums, _ in _list_troubled(cluster) if sums["lostMs"]]
    yield from tell_lags(cluster, [(one["namespace"], one["name"]) for one in losing])


def tell_lags(cluster: Cluster, services: Iterable[tuple[str, str]]) -> Iterator[str]:
    """On which delays it rests what becomes of the requests to Services: (namespace, name) of each."""
    senders = {name for place in services for name in cluster.sum_outcomes(*place)}
    if not senders:
        return
    timing, told = Timing(cluster.settings.timing), list[str]()
    if senders & {PODS, LOAD_BALANCER_SENDER}:
        told.append(f"kube-proxies {_tell_proxy(timing)}")
    for sender, name, who in (
        (INGRESS, "ingress", "ingresses"),
        (LOAD_BALANCER_SENDER, "load_balancer", "load balancers (after nodes)"),
        (DNS, "dns", "clients by DNS names"),
    ):
        if sender in senders:
            told.append(f"{who} {_tell_spread(timing.spread(name))}")
    yield f"assumed of requests: they come evenly; a change of endpoints is followed by {', '.join(told)}"


def _tell_proxy(timing: Timing) -> str:
    low, high = timing.spread("service_proxy")
    if "service_proxy" in timing.given or timing.is_instant:
        return _tell_spread((low, high))
    sync_low, sync_high = timing.spread("service_proxy_sync")
    spread = _tell_spread((low + sync_low, high + sync_high))
    return f"{spread} (at most once in {format_duration(PROXY_PERIOD_MS)})"


def _tell_spread(spread: tuple[int, int]) -> str:
    if not any(spread):
        return "at once"
    low, high = map(format_duration, spread)
    return f"after {low}" if low == high else f"after {low} to {high}"
