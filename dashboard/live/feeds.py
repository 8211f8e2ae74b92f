"""Live figures: each feed reads its history once, then follows frames and says what its figure is now.

A figure is asked for by name: `timeline`, `timeline:shop/Deployment/web`, `pod:shop/web-0`,
`rollout:shop/Deployment/web`, `autoscaler:shop/web`, `measured:shop/web`, `node:node-1`, `budget:shop/web`,
`requests:shop/web`, `objects:Deployment/shop,Node/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Protocol

from django.db.models import Q, QuerySet

from dashboard.live.autoscalers import AUTOSCALER, AutoscalerReader
from dashboard.live.bounds import BudgetReader
from dashboard.live.flags import FlagReader
from dashboard.live.histories import Row, list_transitions, walk
from dashboard.live.objects import ObjectsFeed
from dashboard.live.requests import RequestReader
from dashboard.live.timeline_feed import Asked, TimelineFeed
from dashboard.plots.autoscaled import make_metrics
from dashboard.plots.autoscaled import make_replicas as make_autoscaled
from dashboard.plots.graces import GracePeriods
from dashboard.plots.node_lanes import make_node_lanes
from dashboard.plots.phases import make_phases
from dashboard.plots.replicas import Rollout, make_replicas
from dashboard.plots.requests import SERVICE, ServedLane, make_requests
from dashboard.plots.sums import Sums, make_sums
from lifecycle.engine.heart.trace import Version
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND
from lifecycle.engine.objects.workloads.replica_set import REPLICA_SET_KIND
from lifecycle.lost_requests import Courses
from lifecycle.models import Cluster, Event, StoredObject
from lifecycle.recorded.objects import event_uid_of, read_turns
from lifecycle.sources import EVENTS, TRANSITIONS
from lifecycle.stored_kinds import kind_of_row, of_kind

Figure = dict[str, Any]
POD_ROWS = 5_000


class Feed(Protocol):
    """What the consumer needs of a live figure. It is made of everything up to the cluster's cursor."""

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        """Take the rows of the next frame."""

    def figure(self, now_ms: int) -> Figure:
        """The figure as it is now."""


class ForesightedFeed(Feed, Protocol):
    """One that can be told what an engine has run ahead to."""

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        """Take the rows and the versions after the cluster's cursor. It follows nothing afterwards."""


class PodFeed:
    """One pod by name: the latest that had it."""

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        namespace, _, name = subject.partition("/")
        self.window_ms = window_ms
        named = StoredObject.objects.filter(
            of_kind(POD_KIND.id), cluster=cluster, namespace=namespace, name=name
        )
        found = named.order_by("-rv").only("uid", "data", "state").first()
        self.uid, self.state = (found.uid, found.state) if found else ("", None)
        self.event_uid = event_uid_of(found) if found else ""
        self.periods = GracePeriods.of(found.data if found else {})
        transitions = _latest(list_transitions(cluster).filter(uid=self.uid))
        events = _latest(Event.objects.filter(cluster=cluster, seq__lte=cluster.seq, uid=self.event_uid))
        rows = [*walk(TRANSITIONS, transitions), *walk(EVENTS, events)]
        self.rows = sorted(rows, key=lambda row: row["seq"])
        self.flags = FlagReader(cluster, window_ms, f"{namespace}/{POD_KIND.id}/{name}")

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self.flags.follow(cluster)
        # How long it has is asked for with its deletion.
        if any(row.get("field") == "deletion" for row in self._take(_rows_of(frame))):
            stored = StoredObject.objects.filter(cluster=cluster, uid=self.uid).only("data").first()
            self.periods = GracePeriods.of(stored.data if stored else {})

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        self._take(rows)
        own = [one.new for one in versions if one.new.meta.uid == self.uid]
        if own:
            self.periods = GracePeriods.of(own[-1].to_json())

    def _take(self, rows: Sequence[Row]) -> list[Row]:
        uids = {"transition": self.uid, "event": self.event_uid}
        found = [row for row in rows if row["uid"] == uids[row["type"]]]
        self.rows += found
        del self.rows[:-POD_ROWS]
        return found

    def figure(self, now_ms: int) -> Figure:
        figure = make_phases(self.rows, now_ms, self.window_ms, self.state, self.periods)
        return _with_flags(figure, self.flags)


class RolloutFeed:
    """One workload, a Deployment with its ReplicaSets."""

    OWNED: ClassVar = ["exists", "replicas", "revision"]

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        self.namespace, kind, name = (*subject.split("/", 2), "", "")[:3]
        self.window_ms = window_ms
        self.rollout = Rollout(kind, name)
        self.rollout.turns = read_turns(cluster, REPLICA_SET_KIND.id, self.namespace, self.rollout.owner)
        here = list_transitions(cluster).filter(namespace=self.namespace)
        own = of_kind(kind) & Q(name=name, field__in=["exists", *self.rollout.numbers])
        owned = of_kind(REPLICA_SET_KIND.id) & Q(owner=self.rollout.owner, field__in=self.OWNED)
        for row in walk(TRANSITIONS, here.filter(own | owned)):
            self.rollout.feed(row)
        # Of what has no size of its own its status says what is wanted.
        has_size = bool(registry.entry_of_id(kind).replicas_path)
        self.budgets = BudgetReader(kind, self.namespace, name) if has_size else None
        self._read_budgets(cluster)
        self.requests = RequestReader(cluster, subject)
        self.flags = FlagReader(cluster, window_ms, subject)

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self._take(frame["transitions"])
        self.requests.follow(cluster, frame["transitions"])
        self._read_budgets(cluster)
        self.flags.follow(cluster)

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        told = [row for row in rows if row["type"] == "transition"]
        self._take(told)
        self.requests.take(told)
        if self.budgets:
            self.rollout.budgets = self.budgets.foresee(versions)

    def _take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            if row["namespace"] == self.namespace:
                self.rollout.feed(row)

    def _read_budgets(self, cluster: Cluster) -> None:
        if self.budgets:
            self.rollout.budgets = self.budgets.read(cluster)

    def figure(self, now_ms: int) -> Figure:
        figure = make_replicas(self.rollout, now_ms, self.window_ms, self.requests.lanes)
        return _with_flags(figure, self.flags)


class AutoscalerFeed:
    """One autoscaler: its replicas and what limits them."""

    draw = staticmethod(make_autoscaled)

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        namespace, _, name = subject.partition("/")
        self.window_ms = window_ms
        self.reader = AutoscalerReader(namespace, name)
        self.moments = self.reader.read(cluster)
        self.flags = FlagReader(cluster, window_ms, f"{namespace}/{AUTOSCALER}/{name}")

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self.moments = self.reader.read(cluster)
        self.flags.follow(cluster)

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        self.moments = self.reader.foresee(versions)

    def figure(self, now_ms: int) -> Figure:
        return _with_flags(self.draw(self.moments, now_ms, self.window_ms), self.flags)


class MeasuredFeed(AutoscalerFeed):
    """What it goes by: its metrics beside their targets."""

    draw = staticmethod(make_metrics)


class NodeFeed:
    """One node by name: its conditions, whether it is cordoned, its drains, its events."""

    def __init__(self, cluster: Cluster, name: str, window_ms: int | None) -> None:
        self.name, self.window_ms = name, window_ms
        of = of_kind(NODE_KIND.id) & Q(name=name)
        rows = [*walk(TRANSITIONS, _latest(list_transitions(cluster).filter(of)))]
        events = Event.objects.filter(of, cluster=cluster, seq__lte=cluster.seq)
        self.rows = sorted([*rows, *walk(EVENTS, _latest(events))], key=lambda row: row["seq"])
        self.flags = FlagReader(cluster, window_ms, f"/{NODE_KIND.id}/{name}")

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self.flags.follow(cluster)
        self.foresee(_rows_of(frame), ())

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        self.rows += [row for row in rows if self._is_mine(row)]
        del self.rows[:-POD_ROWS]

    def _is_mine(self, row: Row) -> bool:
        return row["name"] == self.name and kind_of_row(row) == NODE_KIND.id

    def figure(self, now_ms: int) -> Figure:
        return _with_flags(make_node_lanes(self.rows, now_ms, self.window_ms), self.flags)


class BudgetFeed:
    """What one budget allowed when: its sums."""

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        self.namespace, _, self.name = subject.partition("/")
        self.window_ms = window_ms
        of = of_kind(DISRUPTION_BUDGET_KIND.id) & Q(namespace=self.namespace, name=self.name)
        self.sums = Sums()
        for row in walk(TRANSITIONS, _latest(list_transitions(cluster).filter(of))):
            self.sums.feed(row)
        self.flags = FlagReader(
            cluster, window_ms, f"{self.namespace}/{DISRUPTION_BUDGET_KIND.id}/{self.name}"
        )

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self.flags.follow(cluster)
        self.foresee(frame["transitions"], ())

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        for row in rows:
            is_named = row["namespace"] == self.namespace and row["name"] == self.name
            is_change = row["type"] == "transition" and kind_of_row(row) == DISRUPTION_BUDGET_KIND.id
            if is_named and is_change:
                self.sums.feed(row)

    def figure(self, now_ms: int) -> Figure:
        return _with_flags(make_sums(self.sums, now_ms, self.window_ms), self.flags)


class RequestFeed:
    """How the requests to one Service fare."""

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        self.namespace, _, self.name = subject.partition("/")
        self.window_ms = window_ms
        whole = f"{self.namespace}/{SERVICE}/{self.name}"
        self.requests, self.flags = RequestReader(cluster, whole), FlagReader(cluster, window_ms, whole)

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        self.requests.follow(cluster, frame["transitions"])
        self.flags.follow(cluster)

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        self.requests.take(row for row in rows if row["type"] == "transition")

    def figure(self, now_ms: int) -> Figure:
        lanes = self.requests.lanes or [ServedLane(self.namespace, self.name, Courses())]
        return _with_flags(make_requests(lanes[0], now_ms, self.window_ms), self.flags)


def _rows_of(frame: dict[str, Any]) -> list[Row]:
    """A frame's transitions and events in order."""
    return sorted([*frame["transitions"], *frame["events"]], key=lambda row: row["seq"])


def _with_flags(figure: Figure, flags: FlagReader) -> Figure:
    figure["layout"]["meta"]["flags"] = list(flags.flags)
    return figure


TIMELINE, OBJECTS = "timeline", "objects"
MOST_FIGURES = 4
"""So many are asked for at once."""
FORESIGHTED: dict[str, Callable[[Cluster, str, int | None], ForesightedFeed]] = {
    "pod": PodFeed,
    "rollout": RolloutFeed,
    "autoscaler": AutoscalerFeed,
    "measured": MeasuredFeed,
    "node": NodeFeed,
    "budget": BudgetFeed,
    "requests": RequestFeed,
    OBJECTS: ObjectsFeed,
}


def make_feed(
    cluster: Cluster, name: str, window_ms: int | None = None, asked: Asked | None = None
) -> Feed | None:
    """The feed of that name, or None when there is no such figure."""
    kind, _, subject = name.partition(":")
    if kind == TIMELINE:
        return TimelineFeed(cluster, subject, window_ms, asked)
    return make_foresighted(cluster, name, window_ms)


def make_foresighted(cluster: Cluster, name: str, window_ms: int | None = None) -> ForesightedFeed | None:
    """The same, of figures other than timelines."""
    kind, _, subject = name.partition(":")
    made = FORESIGHTED.get(kind)
    return made(cluster, subject, window_ms) if made else None


def _latest(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The last rows of a long story; in order again."""
    first = rows.order_by("-seq").values_list("seq", flat=True)[POD_ROWS : POD_ROWS + 1]
    return rows.filter(seq__gt=first[0]) if first else rows
