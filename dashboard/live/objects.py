"""Lanes of objects that somebody asked for, by kind and namespace: read once, then followed.

A branch is `Deployment/shop`, or `Node/` for what has no namespace; a figure is named by several of them:
`objects:Deployment/shop,Node/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from dashboard.live.histories import Row, list_transitions, walk
from dashboard.plots.object_lanes import Key, ObjectStory, make_object_lanes
from lifecycle.engine.heart.trace import Version
from lifecycle.engine.kinds.cron_job import CRON_JOB
from lifecycle.engine.kinds.job import JOB
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.kinds import kind_id
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from lifecycle.recorded.spec_changes import list_fields
from lifecycle.recorded.versions import MODIFIED
from lifecycle.sources import TRANSITIONS
from lifecycle.stored_kinds import kind_of_row, of_kind

Branch = tuple[str, str]
MOST_BRANCHES, MOST_OBJECTS, MOST_ROWS = 40, 200, 20_000
"""So many branches may be open, so many lanes are drawn, and of so many rows the latest are read."""
MOST_VERSIONS = 5_000
"""Of the versions of these objects so many are looked at at once, the latest, for what they changed."""
_OF_ENDPOINTS = "endpoint."


def read_branches(text: str) -> list[Branch]:
    """What somebody asked for, each once; what is no branch is left out."""
    # Names are plain letters; of anything else there is no object.
    named = (one for one in text.split(",")[:MOST_BRANCHES] if one.isascii() and one.isprintable())
    parts = (one.rpartition("/") for one in named)
    found = dict.fromkeys((kind, namespace) for kind, _, namespace in parts if kind)
    return [one for one in found if one[0] != POD_KIND.id]


class ObjectsFeed:
    """The objects of some branches."""

    def __init__(self, cluster: Cluster, subject: str, window_ms: int | None) -> None:
        self.window_ms = window_ms
        self.branches = read_branches(subject)
        self.stories: dict[Key, ObjectStory] = {}
        self.by_uid: dict[str, ObjectStory] = {}
        self.left_out = 0
        self.rv = 0
        if self.branches:
            self._begin(cluster)
            self._read_versions(cluster, cluster.rv)

    def follow(self, cluster: Cluster, frame: dict[str, Any]) -> None:
        if self.branches:
            self._take(frame["transitions"])
            # Frames wait for each other: what comes with a later one is not told with this one.
            self._read_versions(cluster, frame["rv"])

    def foresee(self, rows: Sequence[Row], versions: Sequence[Version]) -> None:
        self._take(row for row in rows if row["type"] == "transition")

    def figure(self, now_ms: int) -> dict[str, Any]:
        rank = {branch: place for place, branch in enumerate(self.branches)}
        stories = sorted(self.stories.values(), key=lambda one: (rank[one.key[:2]], one.name))
        return make_object_lanes(stories, now_ms, self.window_ms, self.left_out)

    def _begin(self, cluster: Cluster) -> None:
        since_ms = 0 if self.window_ms is None else cluster.instant_ms - self.window_ms
        asked = reduce(or_, (of_kind(kind) & _in(namespace) for kind, namespace in self.branches))
        found = StoredObject.objects.filter(asked, cluster=cluster)
        found = found.exclude(deleted_ms__lt=since_ms)
        names = found.order_by("kind", "namespace", "name", "rv").values_list(
            "uid", "kind", "group", "namespace", "name", "created_ms"
        )
        self.left_out = max(0, found.count() - MOST_OBJECTS)
        made: dict[str, int] = {}
        for uid, kind, group, namespace, name, created_ms in names[:MOST_OBJECTS]:
            self._meet(uid, (kind_id(group, kind), namespace or "", name))
            made[uid] = created_ms
        rows = list_transitions(cluster).filter(self._told())
        first = rows.order_by("-seq").values_list("seq", flat=True)[MOST_ROWS : MOST_ROWS + 1]
        held = list(walk(TRANSITIONS, rows.filter(seq__gt=first[0]) if first else rows))
        self._prime(cluster, held, made)
        self._take(held)

    def _prime(self, cluster: Cluster, rows: Iterable[Row], made: dict[str, int]) -> None:
        """Of objects whose first rows are not kept: what the others say was before, else what is so now."""
        begun = {row["uid"] for row in rows if row["field"] == "exists" and row["new"] != "deleted"}
        before: dict[str, dict[str, Any]] = {uid: {} for uid in made if uid not in begun}
        for row in rows:
            if row["uid"] in before:
                before[row["uid"]].setdefault(row["field"], row["old"])
        found = StoredObject.objects.filter(cluster=cluster, uid__in=list(before))
        for uid, data in found.values_list("uid", "data"):
            self.by_uid[uid].begin(made[uid], (data or {}).get("status") or {}, before[uid])

    def _told(self) -> Q:
        """The rows that tell of these objects, and of what others have to do with them."""
        told = Q(uid__in=list(self.by_uid))
        services = {f"{_OF_ENDPOINTS}{one.name}" for one in self._list_of(SERVICE.kind.id)}
        if services:
            told |= of_kind(POD_KIND.id) & Q(field__in=services)
        owners = {f"{CRON_JOB.kind.id}/{one.name}" for one in self._list_of(CRON_JOB.kind.id)}
        if owners:
            told |= of_kind(JOB.kind.id) & Q(owner__in=owners)
        return told

    def _list_of(self, kind: str) -> list[ObjectStory]:
        return [one for one in self.stories.values() if one.kind == kind]

    def _meet(self, uid: str, key: Key) -> ObjectStory:
        story = self.by_uid[uid] = self.stories.setdefault(key, ObjectStory(key))
        return story

    def _take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            kind, namespace = kind_of_row(row), row["namespace"] or ""
            story = self.by_uid.get(row["uid"])
            if story is None and (kind, namespace) in self.branches and row["field"] == "exists":
                story = self._add(row["uid"], (kind, namespace, row["name"]))
            if story is not None:
                story.feed(row)
            if kind == POD_KIND.id and row["field"].startswith(_OF_ENDPOINTS):
                name = row["field"].removeprefix(_OF_ENDPOINTS)
                if served := self.stories.get((SERVICE.kind.id, namespace, name)):
                    served.feed_endpoint(row)
            elif kind == JOB.kind.id and row["owner"]:
                owner_kind, _, owner = row["owner"].partition("/")
                if maker := self.stories.get((owner_kind, namespace, owner)):
                    maker.feed_child(row)

    def _add(self, uid: str, key: Key) -> ObjectStory | None:
        """One that came since, if there is room for its lane."""
        if key not in self.stories and len(self.stories) >= MOST_OBJECTS and not self._make_room():
            self.left_out += 1
            return None
        return self._meet(uid, key)

    def _make_room(self) -> bool:
        """Whether one that is gone could be let go of: the one that went first."""
        gone = (one for one in self.stories.values() if one.is_gone)
        first = min(gone, key=lambda one: one.ended_ms, default=None)
        if first is None:
            return False
        del self.stories[first.key]
        self.by_uid = {uid: one for uid, one in self.by_uid.items() if one is not first}
        return True

    def _read_versions(self, cluster: Cluster, until: int) -> None:
        """Marks at what was changed since the last look."""
        if until <= self.rv:
            return
        rows = ObjectVersion.objects.filter(cluster=cluster, rv__gt=self.rv, rv__lte=until)
        rows = rows.filter(uid__in=list(self.by_uid), type=MODIFIED).order_by("-rv")
        found = rows.values_list("uid", "rv", "at_ms", "patch")[:MOST_VERSIONS]
        for uid, rv, at_ms, patch in reversed(found):
            if fields := list_fields(patch):
                self.by_uid[uid].mark(at_ms, rv, fields)
        self.rv = until


def _in(namespace: str) -> Q:
    return Q(namespace=namespace) if namespace else Q(namespace__isnull=True) | Q(namespace="")
