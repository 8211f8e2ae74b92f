"""What one future is seen by: the rows of every instant, and how what is judged stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from lifecycle.check.settled import Settled, Workload
from lifecycle.check.trials import Trial
from lifecycle.engine import Changes, Cluster
from lifecycle.engine.heart.trace import Row, Transition
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.daemon_set import DAEMON_SET_KIND, DaemonSet
from lifecycle.engine.objects.workloads.deployment import DEPLOYMENT_KIND, Deployment
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND, StatefulSet
from lifecycle.lean_dataclasses import dataclass
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.readiness import is_well
from lifecycle.verdicts import judge_object, read_size

Json = Mapping[str, Any]
AVAILABLE = ("availableReplicas", "numberAvailable")
CRITICAL, SERIOUS, MINOR = "critical", "serious", "minor"
SEVERITIES = (CRITICAL, SERIOUS, MINOR)
"""The gravest first."""


class Violation(NamedTuple):
    """A claim that did not hold. `seq`: the row that shows it; `amount`: how much, to compare futures by.

    `because`: the rows that led to it, in words, the root first; written when the future is over.
    """

    claim: str
    object: str
    """`Deployment/shop/web`"""
    severity: str
    at_ms: int
    text: str
    seq: int | None = None
    amount: int = 0
    because: tuple[str, ...] = ()


@dataclass(slots=True)
class Level:
    """A number that changes: its least, since when, and how long it was below a floor."""

    now: int
    floor: int
    since_ms: int
    least: int = 0
    least_at_ms: int = 0
    least_seq: int | None = None
    below_ms: int = 0
    zero_ms: int = 0

    def __post_init__(self) -> None:
        self.least, self.least_at_ms = self.now, self.since_ms

    def tell(self, now: int, at_ms: int, seq: int | None = None) -> None:
        """So many from now on."""
        self.settle(at_ms)
        self.now = now
        if now < self.least:
            self.least, self.least_at_ms, self.least_seq = now, at_ms, seq

    def settle(self, at_ms: int) -> None:
        """Time passes."""
        span_ms = at_ms - self.since_ms
        if self.now < self.floor:
            self.below_ms += span_ms
        if self.now <= 0 < self.floor:
            self.zero_ms += span_ms
        self.since_ms = at_ms


class Scene:
    """A trial as it is lived through: what claims look at."""

    def __init__(self, settled: Settled, trial: Trial, cluster: Cluster) -> None:
        self.settled, self.trial, self.cluster = settled, trial, cluster
        self.begin_ms = settled.now_ms
        self.workloads = {one.place: one for one in settled.workloads}
        self.available = {
            one.place: Level(read_size(one.data).available, self._find_floor(one), self.begin_ms)
            for one in settled.workloads
            if one.kind in KEEPING
        }
        self.owners = {uid: one for one in settled.workloads for uid in one.pods}
        """By the uid of a pod its workload."""
        self._controllers: dict[str, Workload] = {
            one.data["metadata"]["uid"]: one for one in settled.workloads
        }
        self.going: set[str] = set()
        self.lost_nodes: set[str] = set()
        """Those that are not ready, or gone: no DaemonSet can have a pod there."""
        self.restarts: dict[tuple[str, str, str], int] = {}

    def count_wanted(self, one: Workload) -> int:
        """How many pods a workload is to have: of one that is not well from the start what it had then."""
        wanted = read_size(one.data).wanted
        return min(wanted, self.settled.unwell.get(one.title, wanted))

    def _find_floor(self, one: Workload) -> int:
        return min(find_floor(one, self.cluster), self.count_wanted(one))

    def is_unwell(self, one: Workload) -> bool:
        """Whether it was not well before anything was done."""
        return one.title in self.settled.unwell

    def find_workload(self, row: Row) -> Workload | None:
        """The workload that a pod's row is of."""
        return self.owners.get(row.subject.uid)

    def take(self, changes: Changes, rows: Sequence[Row]) -> None:
        """Take in what one instant changed."""
        self._know_owners(changes)
        for row in rows:
            if not isinstance(row, Transition):
                continue
            kind = kind_id(row.subject.group, row.subject.kind)
            if kind == POD_KIND.id:
                self._take_pod(row)
            elif kind == NODE_KIND.id:
                self._take_node(row)
            elif row.field in AVAILABLE:
                level = self.available.get((kind, row.subject.namespace or "", row.subject.name))
                if level is not None:
                    level.tell(int(row.new or 0), row.at_ms, row.seq)

    def _take_node(self, row: Transition) -> None:
        if row.field == "condition.Ready":
            (self.lost_nodes.discard if row.new == "True" else self.lost_nodes.add)(row.subject.name)

    def is_whole(self, place: tuple[str, str, str]) -> bool:
        """Whether a workload is as it is wanted; a DaemonSet on all nodes that are there.

        What was not well before is to be no worse.
        """
        workload = self.workloads[place]
        if self.is_unwell(workload):
            level = self.available.get(place)
            away = len(self.lost_nodes) if place[0] == DAEMON_SET_KIND.id else 0
            return level is None or level.now >= self.count_wanted(workload) - away
        found = self.cluster.find(*place)
        if found is None:
            return False
        if isinstance(found, Deployment | StatefulSet) and found.status.ready_replicas != found.spec.replicas:
            # Mostly that is enough to know, and cheaper than all of it.
            return False
        data = found.to_json(self.cluster.epoch_ms)
        if place[0] == DAEMON_SET_KIND.id and self.lost_nodes:
            size = read_size(data)
            return size.is_observed and size.ready >= size.wanted - len(self.lost_nodes)
        if place[0] not in KEEPING:
            return is_well(data)
        rollout = judge_object(found)
        return (rollout is None or rollout.is_done) and read_size(data).is_full

    def _know_owners(self, changes: Changes) -> None:
        for version in changes.versions:
            if version.old is None and version.new.key in self.workloads:
                # It was deleted, and is made again.
                self._controllers[version.new.meta.uid] = self.workloads[version.new.key]
            elif version.old is None and version.new.meta.controller is not None:
                found = self._controllers.get(version.new.meta.controller.uid)
                if found is not None:
                    uid = version.new.meta.uid
                    if version.new.kind.id == POD_KIND.id:
                        self.owners[uid] = found
                    else:
                        self._controllers[uid] = found

    def know_controllers(self, objects: Iterable[Json]) -> None:
        """ReplicaSets and Jobs that were there at the beginning."""
        for data in objects:
            for owner in data["metadata"].get("ownerReferences") or ():
                if owner.get("controller") and owner["uid"] in self._controllers:
                    self._controllers[data["metadata"]["uid"]] = self._controllers[owner["uid"]]

    def _take_pod(self, row: Transition) -> None:
        if row.field == "deletion" and row.new == "requested":
            self.going.add(row.subject.uid)
        elif row.field == "exists" and row.new == "deleted":
            self.going.discard(row.subject.uid)
        elif row.field.endswith(".restartCount") and row.old is not None:
            owner = self.owners.get(row.subject.uid)
            if owner is not None:
                place = owner.place
                self.restarts[place] = self.restarts.get(place, 0) + int(row.new or 0) - int(row.old or 0)


class Watcher(Protocol):
    """Looks at one claim while a future is lived through."""

    def take(self, rows: Sequence[Row], now_ms: int) -> None:
        """What one instant changed; the scene has taken it in."""

    def finish(self, end: End) -> Iterable[Violation]:
        """What did not hold."""


class End(NamedTuple):
    """How a future ended. `whole_ms`: after how long all was whole again and stayed so, None for never."""

    now_ms: int
    state: str
    whole_ms: int | None
    unwell: tuple[tuple[str, str, str], ...]
    """The workloads that are not whole."""


KEEPING = (DEPLOYMENT_KIND.id, STATEFUL_SET_KIND.id, DAEMON_SET_KIND.id, "ReplicaSet")
"""The kinds that keep a number of pods, which can be too few."""


def find_floor(workload: Workload, cluster: Cluster) -> int:
    """How many pods of a workload its own strategy leaves at least while it is rolled out."""
    found, wanted = cluster.find(*workload.place), read_size(workload.data).wanted
    if isinstance(found, Deployment):
        return found.spec.min_available_replicas
    if isinstance(found, DaemonSet):
        return max(wanted - found.spec.resolve_room(wanted)[1], 0)
    # One at a time, whatever else it says: that gate is off.
    return max(wanted - 1, 0)
