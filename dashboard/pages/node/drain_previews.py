"""What a drain would do, told before it is made: on a copy of the cluster that runs ahead and is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dashboard.asking.lost_previews import RequestWatch
from dashboard.asking.previews import AFTERWARDS_MS
from dashboard.plots.theme import duration
from lifecycle.engine import Cluster as Engine
from lifecycle.engine.heart.trace import Transition
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.objects.workloads.disruption_budget import DisruptionBudget
from lifecycle.engine.rules.nodes.drains import DONE, DRAIN, ENDS
from lifecycle.engine.rules.telling.drains import find_budgets_hold
from lifecycle.models import Cluster
from lifecycle.runs.ahead import Ahead, run_ahead
from lifecycle.simulation.disruptions import Disruptions, Eviction

MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Step:
    """One pod of the drain: when its eviction is accepted and it is gone, counted from the drain's start."""

    pod: str
    workload: str
    waited: str
    budget: str
    accepted: str
    gone: str


@dataclass(frozen=True, slots=True)
class DrainPreview:
    """`refusals`: why it would not begin. `told`: how it ends. `lost`: of requests. `left`: (workload, the
    fewest available).
    """

    refusals: tuple[str, ...] = ()
    told: str = ""
    is_good: bool = True
    steps: tuple[Step, ...] = ()
    hidden: int = 0
    lost: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def preview_drain(cluster: Cluster, payload: dict[str, Any]) -> DrainPreview:
    """Run the cluster ahead with this drain. Raises checkpoints.Unreadable."""
    node = str(payload["node"])
    requests = RequestWatch()
    ahead = run_ahead(cluster, [(DRAIN, payload)], is_over=_Watch(node).is_over, watch=requests.take)
    if ahead.refusals:
        return DrainPreview(refusals=ahead.refusals, is_good=False)
    disruptions = Disruptions()
    for entry in list_entries():
        if entry.stands_between:
            disruptions.know(ahead.engine.list(entry.kind.id))
    for row in ahead.rows:
        disruptions.take(row)
    told, is_good = _tell_end(ahead, node, disruptions)
    asked = sorted(disruptions.evictions, key=_order)
    steps = tuple(_show(one, ahead) for one in asked[:MOST_SHOWN])
    sent = (cluster, ahead, lambda service: True)
    lost, left = requests.list_lost(*sent), _list_left(disruptions)
    told_of_requests = tuple(lost or requests.tell_none(*sent))
    is_good = is_good and not lost
    return DrainPreview((), told, is_good, steps, len(asked) - len(steps), told_of_requests, tuple(left))


class _Watch:
    """Looks on until a while after the drain has ended, when its pods are replaced and that is known."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.done_ms: int | None = None

    def is_over(self, engine: Engine) -> bool:
        if engine.is_draining(self.node):
            return False
        self.done_ms = engine.now_ms if self.done_ms is None else self.done_ms
        return engine.is_idle() or engine.now_ms >= self.done_ms + AFTERWARDS_MS


def _order(one: Eviction) -> tuple[bool, int, str]:
    return one.ended_ms is None, one.ended_ms or 0, one.name


def _tell_end(ahead: Ahead, node: str, disruptions: Disruptions) -> tuple[str, bool]:
    ends = [
        row
        for row in ahead.rows
        if isinstance(row, Transition) and row.field == DRAIN and row.subject.name == node and row.new in ENDS
    ]
    if not ends:
        seen = duration(ahead.to_ms - ahead.from_ms)
        names = {one.budget for one in disruptions.evictions if one.budget and not one.is_accepted}
        budgets = ahead.engine.list(POD_DISRUPTION_BUDGET.kind.id)
        asked = [DisruptionBudget.from_json(one) for one in budgets if one["metadata"]["name"] in names]
        held = find_budgets_hold(asked)
        why = f": {held.why}." if held.is_lasting else ". The preview looks no further."
        return f"Not done within {seen}{why}", False
    took, end = duration(ends[-1].at_ms - ahead.from_ms), ends[-1]
    if end.new == DONE:
        return f"Drained after {took}.", True
    first = (end.message or "").splitlines()[:1]
    return f"Gives up after {took}: {first[0] if first else end.new}", False


def _show(one: Eviction, ahead: Ahead) -> Step:
    kind, _, name = one.workload[0].partition("/")
    since = ahead.from_ms
    accepted = duration(one.ended_ms - since) if one.is_accepted and one.ended_ms is not None else "never"
    return Step(
        one.name,
        f"{kind} {name}".strip() or "nobody",
        duration(one.waited_ms(ahead.to_ms)) if one.budget else "",
        one.budget,
        accepted,
        duration(one.gone_ms - since) if one.gone_ms is not None else "",
    )


def _list_left(disruptions: Disruptions) -> list[tuple[str, str]]:
    """The fewest pods that are available of each workload that loses some."""
    places = sorted({one.workload for one in disruptions.evictions if one.is_accepted})
    found = [(place, disruptions.available.get(place)) for place in places]
    return [
        (f"{place[0].replace('/', ' ', 1)} in {place[1]}", f"{one.least} at least")
        for place, one in found
        if one is not None
    ]
