"""What drains and evictions did to a run: how few were left, which budget was kept, which node took how long.

Only of runs in which somebody was evicted or a node was drained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.engine.api.evictions import ACCEPTED, REFUSED
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.registry import kind_of_json, list_workloads
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.nodes.drains import (
    BLOCKED,
    CANCELLED,
    DONE,
    DRAIN,
    ENDS,
    FAILED,
    STARTED,
    TIMED_OUT,
    show_duration,
)
from lifecycle.lean_dataclasses import dataclass, field

_AVAILABLE = ("availableReplicas", "numberAvailable")
_HEALTHY, _NEEDED = "currentHealthy", "desiredHealthy"
show = show_duration
_WORDS = {
    DONE: "drained",
    TIMED_OUT: "not drained in time",
    FAILED: "not drained",
    CANCELLED: "not drained, cancelled",
}
Place = tuple[str, str]
"""(`Deployment/web`, namespace)"""


@dataclass(slots=True)
class Eviction:
    """One pod: since when its eviction was refused, for which budget, until it was accepted or given up."""

    name: str
    node: str
    workload: Place
    asked_ms: int
    budget: str = ""
    ended_ms: int | None = None
    is_accepted: bool = False
    gone_ms: int | None = None

    def waited_ms(self, now_ms: int) -> int:
        """How long it was refused."""
        return (now_ms if self.ended_ms is None else self.ended_ms) - self.asked_ms

    def describe(self, now_ms: int) -> str:
        """`shop/web-abc waited 10.500s for budget web`"""
        waited = "waited" if self.is_accepted else "stayed, refused for"
        return f"{self.name} {waited} {show(self.waited_ms(now_ms))} for budget {self.budget}"


@dataclass(slots=True)
class Drain:
    """One drain of a node."""

    node: str
    started_ms: int
    blocked_ms: int = 0
    blocked_since_ms: int | None = None
    ended_ms: int | None = None
    said: str = STARTED
    evictions: list[Eviction] = field(default_factory=list)

    def tell(self, said: str, now_ms: int) -> None:
        """Take in how it stands now."""
        if self.blocked_since_ms is not None:
            self.blocked_ms += now_ms - self.blocked_since_ms
        self.blocked_since_ms = now_ms if said == BLOCKED else None
        self.said = said
        if said in ENDS:
            self.ended_ms = now_ms

    def describe(self, now_ms: int) -> Iterator[str]:
        """Its line, and one for each pod that waited."""
        end_ms = now_ms if self.ended_ms is None else self.ended_ms
        word = _WORDS.get(self.said, "still being drained")
        took = f"{show(self.started_ms)} to {show(end_ms)}, {show(end_ms - self.started_ms)} in all"
        gone = sum(one.is_accepted for one in self.evictions)
        blocked = f", {show(self.blocked_ms)} of it blocked" if self.blocked_ms else ""
        yield f"  {self.node:<9} {word}: {took}{blocked}; {_count(gone, 'pod')} evicted"
        for one in self.evictions:
            if one.budget:
                yield f"            {one.describe(now_ms)}"


@dataclass(slots=True)
class Availability:
    """How many there were of something: now, at least since disruptions began, and how long so."""

    now: int = 0
    least: int = 0
    least_at_ms: int = 0
    least_ms: int = 0
    since_ms: int = 0

    def begin(self, at_ms: int) -> None:
        """Watch from here on."""
        self.least, self.least_at_ms, self.since_ms, self.least_ms = self.now, at_ms, at_ms, 0

    def tell(self, count: int, at_ms: int) -> None:
        """So many are available from now on."""
        if self.now == self.least:
            self.least_ms += at_ms - self.since_ms
        self.now, self.since_ms = count, at_ms
        if count < self.least:
            self.least, self.least_at_ms, self.least_ms = count, at_ms, 0


@dataclass(slots=True)
class Kept:
    """A budget: how many healthy pods it needed, and by how many there were more of them, or fewer."""

    counts: dict[str, int] = field(default_factory=dict)
    spare: Availability = field(default_factory=Availability)
    at_ms: int = 0

    def tell(self, name: str, count: int, at_ms: int) -> None:
        """One of its sums, which are told one by one: they belong together at the end of an instant."""
        self.settle(at_ms)
        self.counts[name] = count

    def settle(self, at_ms: int) -> None:
        """Time passes: what was told last held since then."""
        if at_ms > self.at_ms:
            self.spare.tell(self._spare, self.at_ms)
            self.at_ms = at_ms

    @property
    def _spare(self) -> int:
        return self.counts.get(_HEALTHY, 0) - self.counts.get(_NEEDED, 0)

    def begin(self, at_ms: int) -> None:
        """Watch from here on."""
        self.settle(at_ms)
        self.spare.begin(at_ms)

    def describe(self, now_ms: int) -> str:
        """`kept: 59 healthy pods needed, never fewer`"""
        self.settle(now_ms + 1)
        self.spare.tell(self.spare.now, now_ms)
        needed = f"{_count(self.counts.get(_NEEDED, 0), 'healthy pod')} needed"
        if self.spare.least >= 0:
            return f"kept: {needed}, never fewer"
        fewer = f"{-self.spare.least} fewer at worst"
        when = f"first at {show(self.spare.least_at_ms)}, for {show(self.spare.least_ms)} in all"
        return f"not kept: {needed}, {fewer}, {when}"


class Disruptions:
    """Follows a run's rows: its `drains` and `evictions`, in the order in which they began."""

    def __init__(self) -> None:
        self._workloads = {entry.kind.id for entry in list_workloads()}
        self._owners: dict[Place, Place] = {}
        self._nodes: dict[str, str] = {}
        self.available: dict[Place, Availability] = {}
        self.budgets: dict[Place, Kept] = {}
        self.evictions: list[Eviction] = []
        # Those that are neither accepted nor given up, by the pod's uid.
        self._asked: dict[str, Eviction] = {}
        self._leaving: dict[str, Eviction] = {}
        self.drains: list[Drain] = []
        self._open: dict[str, Drain] = {}
        self._began = False

    # --- what happens -----------------------------------------------------------------------------------

    def take(self, row: Row) -> None:
        """Take in one row."""
        if not isinstance(row, Transition):
            return
        subject = row.subject
        kind = kind_id(subject.group, subject.kind)
        if kind == POD_KIND.id:
            self._take_pod(row)
        elif kind == NODE_KIND.id:
            if row.field == DRAIN:
                self._take_drain(row)
        elif kind == POD_DISRUPTION_BUDGET.kind.id:
            self._take_budget(row)
        elif kind in self._workloads:
            place = (f"{kind}/{subject.name}", subject.namespace or "")
            if subject.owner:
                self._owners[place] = (subject.owner, subject.namespace or "")
            elif row.field in _AVAILABLE:
                found = self.available.get(place)
                if found is None:
                    found = self.available[place] = Availability(int(row.old or 0))
                    found.begin(row.at_ms)
                found.tell(int(row.new or 0), row.at_ms)

    def know(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Whose these are, and where, of objects whose creation is not among the rows."""
        for data in objects:
            meta = data["metadata"]
            if node := (data.get("spec") or {}).get("nodeName"):
                self._nodes[meta["uid"]] = node
            owner = next((one for one in meta.get("ownerReferences") or () if one.get("controller")), None)
            if owner is not None:
                kind, above = kind_of_json(data).id, kind_of_json(owner).id
                place = (f"{kind}/{meta['name']}", str(meta.get("namespace") or ""))
                self._owners[place] = (f"{above}/{owner['name']}", place[1])

    def _take_budget(self, row: Transition) -> None:
        place = (row.subject.name, row.subject.namespace or "")
        if row.field in (_HEALTHY, _NEEDED):
            self.budgets.setdefault(place, Kept()).tell(row.field, int(row.new or 0), row.at_ms)
        elif row.field == "exists" and row.new == "deleted":
            self.budgets.pop(place, None)

    def _take_pod(self, row: Transition) -> None:
        uid = row.subject.uid
        if row.field == "node":
            self._nodes[uid] = str(row.new)
        elif row.field == "exists" and row.new == "deleted":
            self._nodes.pop(uid, None)
            if uid in self._leaving:
                self._leaving.pop(uid).gone_ms = row.at_ms
        elif row.field == "eviction":
            self._begin(row.at_ms)
            found = self._asked.get(uid) or self._add(row)
            if row.new == REFUSED:
                found.budget = row.reason or found.budget
                return
            found.ended_ms, found.is_accepted = row.at_ms, row.new == ACCEPTED
            del self._asked[uid]
            if found.is_accepted:
                self._leaving[uid] = found

    def _add(self, row: Transition) -> Eviction:
        subject, node = row.subject, self._nodes.get(row.subject.uid, "")
        place = (subject.owner or "", subject.namespace or "")
        workload = self._owners.get(place, place)
        found = Eviction(f"{subject.namespace}/{subject.name}", node, workload, row.at_ms)
        self.evictions.append(found)
        self._asked[subject.uid] = found
        if node in self._open:
            self._open[node].evictions.append(found)
        return found

    def _take_drain(self, row: Transition) -> None:
        self._begin(row.at_ms)
        node, said = row.subject.name, str(row.new)
        drain = self._open.get(node)
        if drain is None:
            drain = self._open[node] = Drain(node, row.at_ms)
            self.drains.append(drain)
        drain.tell(said, row.at_ms)
        if said in ENDS:
            del self._open[node]

    def _begin(self, at_ms: int) -> None:
        if not self._began:
            self._began = True
            for one in self.available.values():
                one.begin(at_ms)
            for budget in self.budgets.values():
                budget.begin(at_ms)

    # --- what is told of it -----------------------------------------------------------------------------

    def describe(self, wanted: Mapping[Place, int], now_ms: int) -> Iterator[str]:
        """All together, the workloads whose pods were evicted, the budgets; then the drains in their order.

        `wanted`: the sizes of workloads.
        """
        if not self._began:
            return
        yield "Drains and evictions"
        yield from self._describe_total(now_ms)
        for place in sorted({one.workload for one in self.evictions if one.workload[0]}):
            yield from self._describe_workload(place, wanted.get(place), now_ms)
        for (name, namespace), budget in sorted(self.budgets.items(), key=lambda one: (one[0][1], one[0][0])):
            yield f"  Budget {namespace}/{name}"
            yield f"    {budget.describe(now_ms)}"
        for drain in self.drains:
            yield from drain.describe(now_ms)
        followed = {id(one) for drain in self.drains for one in drain.evictions}
        for one in self.evictions:
            if id(one) not in followed and one.budget:
                yield f"  evicted   {one.describe(now_ms)}"

    def list_held(self) -> Iterator[tuple[str, list[Place]]]:
        """The drains that go on, by node, each with the workloads whose evictions are refused."""
        for node, drain in self._open.items():
            held = [one.workload for one in drain.evictions if one.budget and one.ended_ms is None]
            yield node, [place for place in held if place[0]]

    def _describe_total(self, now_ms: int) -> Iterator[str]:
        done = sum(drain.said == DONE for drain in self.drains)
        if len(self.drains) > 1:
            first_ms = min(drain.started_ms for drain in self.drains)
            last_ms = max(now_ms if drain.ended_ms is None else drain.ended_ms for drain in self.drains)
            took = f"{show(first_ms)} to {show(last_ms)}, {show(last_ms - first_ms)} in all"
            blocked_ms = sum(drain.blocked_ms for drain in self.drains)
            blocked = f"; budgets held them up for {show(blocked_ms)}" if blocked_ms else ""
            yield f"  total     {done} of {len(self.drains)} drains done: {took}{blocked}"
        yield f"  evictions {self._sum_up(self.evictions, now_ms)}"

    def _describe_workload(self, place: Place, wanted: int | None, now_ms: int) -> Iterator[str]:
        kind, _, name = place[0].partition("/")
        yield f"  {kind} {place[1]}/{name}"
        found = self.available.get(place)
        if found is not None:
            found.tell(found.now, now_ms)
            of = f" of {wanted}" if wanted is not None else ""
            is_whole = wanted is not None and found.least >= wanted
            when = f"so few for {show(found.least_ms)} in all, first at {show(found.least_at_ms)}"
            yield f"    available  {found.least}{of} at least, {'all the time' if is_whole else when}"
        mine = [one for one in self.evictions if one.workload == place]
        yield f"    evictions  {self._sum_up(mine, now_ms)}"

    def _sum_up(self, evictions: list[Eviction], now_ms: int) -> str:
        waited = [one for one in evictions if one.budget]
        gone = sum(one.is_accepted for one in evictions)
        text = f"{_count(gone, 'pod')} evicted"
        if refused := len(evictions) - gone:
            text += f", {refused} refused"
        if not waited:
            return f"{text}, none waited"
        longest = max(waited, key=lambda one: one.waited_ms(now_ms))
        time = show(longest.waited_ms(now_ms))
        return f"{text}; {len(waited)} waited, {time} at most: {longest.name} for budget {longest.budget}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
