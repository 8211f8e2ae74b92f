"""The live figure of a timeline: which pods it draws, read once, then followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Q, QuerySet, When

from dashboard.live.densities import read_density
from dashboard.live.flags import FlagReader
from dashboard.live.histories import list_transitions, walk
from dashboard.live.requests import RequestReader
from dashboard.plots.living import NOT_READY, PROBLEMS
from dashboard.plots.queries import SEEN_COLUMNS, Seen, make_seen, read_query
from dashboard.plots.stories import COLUMNS, FIELDS, PodStory, Stories
from dashboard.plots.timeline import BY_NAME, BY_STATE, GRAVITY, MAX_ROWS, Page, make_timeline, see_story
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, StoredObject, Transition
from lifecycle.recorded.objects import list_between
from lifecycle.sources import Source
from lifecycle.stored_kinds import of_kind

Figure = dict[str, Any]
# Of most rows the cause and the detail are the longest part: no story tells them.
TOLD = Source(Transition, "seq", {name: name for name in COLUMNS})
# A timeline holds more pods than it shows, so that rows that end make room for older ones.
HELD_PODS = MAX_ROWS * 2
MOST_COMPLETED = 200
"""So many pods, of which only the latest was told, are read whole at once."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pods a timeline draws: those of a query, or one page of them in an order."""

    query: str = ""
    page: int | None = None
    order: str = BY_NAME


class TimelineFeed:
    """Every pod of the cluster, or of one workload."""

    def __init__(
        self, cluster: Cluster, subject: str, window_ms: int | None, asked: Asked | None = None
    ) -> None:
        self.workload = subject
        self.window_ms = window_ms
        self.query = read_query(asked.query if asked else "")
        self.stories = Stories()
        parents = of_kind(*list_between()) & Q(field="exists")
        for row in walk(TOLD, list_transitions(cluster).filter(parents)):
            self.stories.feed(row)
        self.found: set[str] | None = None
        self.page: Page | None = None
        pods = self._choose(cluster, asked or Asked())
        self._read(cluster, [uid for uid, _ in pods])
        self.stories.assume(pods)
        self._count(cluster)
        self.stories.forget(HELD_PODS)
        self._forget(0 if window_ms is None else max(0, cluster.instant_ms - window_ms))
        # Who looks for pods is shown these alone.
        is_narrowed = bool(self.query or self.page)
        self.requests = None if is_narrowed else RequestReader(cluster, subject)
        self.flags = FlagReader(cluster, window_ms, subject)

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        for row in frame["transitions"]:
            if row["field"] in FIELDS:
                self.stories.feed(row)
        self.stories.forget(HELD_PODS, self._is_asked if self.page or self.query else None)
        self._complete(cluster, frame)
        self._count_restarts((one["uid"], one["restarts"]) for one in frame.get("objects", ()))
        self._move(cluster.instant_ms)
        if self.requests:
            self.requests.follow(cluster, frame["transitions"])
        self.flags.follow(cluster)

    def figure(self, now_ms: int) -> Figure:
        figure = make_timeline(
            self.stories,
            now_ms,
            self.window_ms,
            workload=self.workload,
            query=self.query,
            found=None if self.found is None else self._count_found(),
            page=self.page,
            services=self.requests.lanes if self.requests else (),
        )
        figure["layout"]["meta"]["flags"] = list(self.flags.flags)
        return figure

    def _choose(self, cluster: Cluster, asked: Asked) -> list[tuple[str, str | None]]:
        """Uid and stored state of the pods that are drawn."""
        if not self.query and asked.page is None:
            return _latest_pods(cluster, self.window_ms, self.workload, self.stories)
        pods = [
            (uid, seen, is_gone)
            for uid, seen, is_gone in _list_pods(cluster, self.window_ms, self.stories)
            if self.query.takes(seen) and self.workload in ("", f"{seen.namespace}/{seen.workload}")
        ]
        if asked.page is None or asked.order == BY_STATE:
            pods.sort(key=lambda pod: _by_state(*pod[1:]))
        else:
            pods.sort(key=lambda pod: _by_name(pod[1]))
        if asked.page is None:
            self.found = {uid for uid, *_ in pods}
            return [(uid, seen.state) for uid, seen, _ in pods[:HELD_PODS]]
        number = min(asked.page, max(0, len(pods) - 1) // MAX_ROWS)
        chosen = pods[number * MAX_ROWS : (number + 1) * MAX_ROWS]
        order = BY_STATE if asked.order == BY_STATE else BY_NAME
        self.page = Page(number, order, tuple(uid for uid, *_ in chosen), len(pods))
        return [(uid, seen.state) for uid, seen, _ in chosen]

    def _read(self, cluster: Cluster, uids: list[str], until_seq: int | None = None) -> None:
        rows = list_transitions(cluster).filter(field__in=FIELDS, uid__in=uids)
        rows = rows if until_seq is None else rows.filter(seq__lte=until_seq)
        for row in walk(TOLD, rows):
            self.stories.feed_story(row)
        restarted = StoredObject.objects.filter(cluster=cluster, uid__in=uids, restarts__gt=0)
        self._count_restarts(restarted.values_list("uid", "restarts"))

    def _count_restarts(self, counts: Iterable[tuple[str, int | None]]) -> None:
        for uid, restarts in counts:
            if story := self.stories.by_uid.get(uid):
                story.restarts = restarts or 0

    def _count(self, cluster: Cluster) -> None:
        living = self.stories.living
        living.begin(_living_pods(cluster).values_list("uid", "namespace", "owner", "state"))
        since_ms = 0 if self.window_ms is None else max(0, cluster.instant_ms - self.window_ms)
        living.densities = [read_density(cluster, since) for since in sorted({since_ms, 0}, reverse=True)]

    def _move(self, now_ms: int) -> None:
        densities = self.stories.living.densities
        if self.window_ms is not None and len(densities) > 1:
            densities[0].move(now_ms - self.window_ms)
        for density in densities:
            density.widen(now_ms)
        if self.window_ms is not None and now_ms - self.window_ms >= self.forgotten_ms + self.window_ms // 2:
            self._forget(now_ms - self.window_ms)

    def _forget(self, until_ms: int) -> None:
        """Seldom, as all that stays has another place then."""
        self.forgotten_ms = until_ms
        for story in self.stories.by_uid.values():
            story.forget(until_ms)

    def _complete(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        """A pod that was not held and is now has a story from its beginning on."""
        partial = [uid for uid, story in self.stories.by_uid.items() if story.is_partial][:MOST_COMPLETED]
        if partial and "seq" in frame:
            for uid in partial:
                del self.stories.by_uid[uid]
            self._read(cluster, partial, frame["seq"])
            for uid in partial:
                if story := self.stories.by_uid.get(uid):
                    story.is_partial = False

    def _is_asked(self, story: PodStory) -> bool:
        if self.page:
            return story.uid in self.page.uids
        return self.query.takes(see_story(story, self.stories))

    def _count_found(self) -> int:
        """The pods that were found and are there, and those that came since."""
        stories, found = self.stories.by_uid, self.found or set()
        return len(stories.keys() | {uid for uid in found if uid in self.stories.living})


def _by_name(seen: Seen) -> tuple[str, ...]:
    return seen.namespace, seen.workload, seen.name


def _by_state(seen: Seen, is_gone: bool) -> tuple[Any, ...]:
    return is_gone, GRAVITY.get(seen.state, len(GRAVITY)), *_by_name(seen)


def _shown_pods(cluster: Cluster, window_ms: int | None) -> QuerySet[StoredObject]:
    """The pods there are, and those that went within the window."""
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    since_ms = 0 if window_ms is None else cluster.instant_ms - window_ms
    return pods.filter(Q(deleted_ms__isnull=True) | Q(deleted_ms__gte=since_ms))


def _list_pods(cluster: Cluster, window_ms: int | None, stories: Stories) -> Iterator[tuple[str, Seen, bool]]:
    """Uid, what a query sees of it, and whether it is gone."""
    columns = ("uid", "deleted_ms", *SEEN_COLUMNS)
    for uid, deleted_ms, *told in _shown_pods(cluster, window_ms).values_list(*columns):
        yield uid, make_seen(told, stories.workloads), deleted_ms is not None


def _latest_pods(
    cluster: Cluster, window_ms: int | None, workload: str, stories: Stories
) -> list[tuple[str, str | None]]:
    """Uid and stored state of the pods a timeline can show: the living, problems first, then the gone."""
    gravity = Case(When(state__in=PROBLEMS, then=0), When(state=NOT_READY, then=1), default=2)
    alive = _living_pods(cluster).order_by(gravity, "-created_ms")
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster)
    gone = pods.filter(deleted_ms__gte=0 if window_ms is None else cluster.instant_ms - window_ms)
    if workload:
        whose = _of_workload(workload, stories)
        alive, gone = alive.filter(whose), gone.filter(whose)
    found = list(alive.values_list("uid", "state")[:HELD_PODS])
    room = HELD_PODS - len(found)
    return found + list(gone.order_by("-deleted_ms").values_list("uid", "state")[:room])


def _of_workload(workload: str, stories: Stories) -> Q:
    """The pods of `shop/Deployment/web`: its own, and those of what it owns."""
    namespace, _, owner = workload.partition("/")
    between = [
        name.partition("/")[2]
        for name, above in stories.workloads.items()
        if above == owner and name.partition("/")[0] == namespace
    ]
    return Q(namespace=namespace, owner__in=[owner, *between])


def _living_pods(cluster: Cluster) -> QuerySet[StoredObject]:
    return StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, deleted_ms__isnull=True)
