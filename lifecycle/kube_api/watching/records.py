"""What is recorded of objects' versions, read for watches. All of it asks the database, off the event loop.

Nothing above the cluster's cursor is read: it belongs to a slice that is not committed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import orjson
from django.db import connection
from django.db.models import Q, Sum, TextField
from django.db.models.functions import Cast, Length

from lifecycle.kube_api.watching.changes import ADDED, DELETED, Change, apply_patch
from lifecycle.models import Cluster, ObjectVersion, StoredObject
from lifecycle.models.rows import Rows
from lifecycle.runs.run_clock import RunClock

Json = dict[str, Any]
PAGE_ROWS = 1000
BEGINNING_RV = 4
"""The namespaces a cluster is born with are made together: no list was ever answered with an earlier one."""

Kind = tuple[str, str]
"""The group and the name of a kind."""

_HEADS = Rows(
    Cluster,
    "epoch_id rv oldest_rv seq instant_ms anchor_instant_ms anchor_wall speed paused as_fast_as_possible"
    " run_until_ms run_until_condition is_auto has_reached",
)
_LIST_VERSIONS = """
    SELECT rv, type, "group", kind, namespace, name, uid, CAST(patch AS TEXT) FROM lifecycle_objectversion
    WHERE cluster_id = %s AND rv > %s AND rv <= %s AND ({kinds}) ORDER BY rv LIMIT %s
"""


class Expired(Exception):
    """Changes after a version are asked for that are no longer kept, or cannot be put together any more."""

    def __init__(self, rv: int, oldest_rv: int) -> None:
        super().__init__(f"too old resource version: {rv} ({oldest_rv})")


class Head(NamedTuple):
    """How far a cluster is recorded, and its clock. `epoch_id` changes when its history is replaced."""

    epoch_id: str
    rv: int
    oldest_rv: int
    seq: int
    instant_ms: int
    clock: RunClock

    @classmethod
    def of(cls, cluster: Cluster) -> Head:
        """The head that a cluster's row tells of."""
        epoch_id, clock = str(cluster.epoch_id), RunClock.of(cluster)
        return cls(epoch_id, cluster.rv, cluster.oldest_rv, cluster.seq, cluster.instant_ms, clock)


class Row(NamedTuple):
    """A recorded version; `patch` is the text of its merge patch."""

    rv: int
    type: str
    group: str
    kind: str
    namespace: str | None
    name: str
    uid: str
    patch: str | None


class Held(NamedTuple):
    """An object as it is now: its version and its JSON."""

    rv: int
    namespace: str | None
    name: str
    text: bytes


State = dict[str, Held]


def read_head(cluster_id: int) -> Head | None:
    """The cursor as stored now; None when the cluster is gone."""
    row = _HEADS.get(cluster_id)
    return Head.of(row) if row else None


def read_news(cluster_id: int, kinds: Collection[Kind], after: int) -> tuple[Head | None, list[Row]]:
    """The cursor, and a page of what is recorded of these kinds beyond a version, up to the cursor's."""
    head = read_head(cluster_id)
    if head is None or not kinds or head.rv <= after:
        return head, []
    return head, read_rows(cluster_id, kinds, after, head.rv, PAGE_ROWS)


def check_version(rv: int, head: Head) -> None:
    """Raise Expired when not every change after this version is kept."""
    if rv < BEGINNING_RV or rv + 1 < head.oldest_rv:
        raise Expired(rv, max(head.oldest_rv - 1, BEGINNING_RV))


def read_rows(cluster_id: int, kinds: Collection[Kind], after: int, upto: int, limit: int) -> list[Row]:
    """At most `limit` versions of these kinds beyond `after`, in order."""
    chosen = " OR ".join(['("group" = %s AND kind = %s)'] * len(kinds))
    named = [word for kind in sorted(kinds) for word in kind]
    with connection.cursor() as cursor:
        cursor.execute(_LIST_VERSIONS.format(kinds=chosen), [cluster_id, after, upto, *named, limit])
        return [Row(*values) for values in cursor.fetchall()]


def of_kinds(kinds: Collection[Kind]) -> Q:
    """Rows about these kinds."""
    found = Q()
    for group, kind in sorted(kinds):
        found |= Q(group=group, kind=kind)
    return found


def _values(rows: Any) -> Any:
    columns = ("rv", "type", "group", "kind", "namespace", "name", "uid")
    return rows.annotate(text=Cast("patch", TextField())).values_list(*columns, "text")


def read_state(cluster_id: int, kind: Kind) -> tuple[State, int]:
    """All objects of a kind that are there, and the version at which that is so."""
    before = read_head(cluster_id)
    rows = StoredObject.objects.filter(of_kinds([kind]), cluster_id=cluster_id, deleted_ms=None)
    columns = rows.annotate(text=Cast("data", TextField())).values_list(
        "uid", "rv", "namespace", "name", "text"
    )
    state = {
        uid: Held(rv, namespace, name, write(orjson.loads(text)))
        for uid, rv, namespace, name, text in columns.iterator()
    }
    after = read_head(cluster_id)
    if before is None or after is None:
        return {}, 0
    # What was written while we read is in some of the objects already: the rest follows from the versions.
    for row in _walk(cluster_id, kind, before.rv, after.rv):
        held = state.get(row.uid)
        if row.type == ADDED if held is None else held.rv < row.rv:
            step(state, row)
    return state, after.rv


def write(data: Json) -> bytes:
    """An object as text, its kind before all else: so it goes out."""
    return orjson.dumps({"kind": data.get("kind"), "apiVersion": data.get("apiVersion"), **data})


def read_size(cluster_id: int, kind: Kind) -> int:
    """About how much text the objects of a kind are that are there."""
    rows = StoredObject.objects.filter(of_kinds([kind]), cluster_id=cluster_id, deleted_ms=None)
    total = rows.aggregate(size=Sum(Length(Cast("data", TextField()))))["size"]
    return total or 0


def _walk(cluster_id: int, kind: Kind, after: int, upto: int) -> Iterator[Row]:
    while rows := read_rows(cluster_id, [kind], after, upto, PAGE_ROWS):
        yield from rows
        after = rows[-1].rv


def step(state: State, row: Row) -> Change | None:
    """Take a version into the state; the change it made. None when the object before it is not known."""
    held = state.get(row.uid)
    patch = orjson.loads(row.patch or "{}")
    if row.type == ADDED:
        new = patch
    elif held is None:
        return None
    else:
        new = apply_patch(orjson.loads(held.text), patch)
    new.setdefault("metadata", {})["resourceVersion"] = str(row.rv)
    text = write(new)
    if row.type == DELETED:
        del state[row.uid]
    else:
        state[row.uid] = Held(row.rv, row.namespace, row.name, text)
    old = held.text if held is not None else None
    return Change(row.rv, row.type, row.namespace, row.name, old, text)


class Pages(Protocol):
    """Changes that are read page by page."""

    def read_page(self) -> list[Change]:
        """The next changes; none when all were read. Raises Expired."""


class History:
    """The changes of a kind between two versions, put together from what is recorded, page by page."""

    def __init__(self, cluster_id: int, kind: Kind, after: int, upto: int) -> None:
        self.cluster_id = cluster_id
        self.kind = kind
        self.after = after
        self.begins = after
        self.upto = upto
        self._state: State = {}

    def read_page(self) -> list[Change]:
        """The next changes; none when all were read. Raises Expired."""
        head = read_head(self.cluster_id)
        if head is None:
            return []
        check_version(self.after, head)
        rows = read_rows(self.cluster_id, [self.kind], self.after, self.upto, PAGE_ROWS)
        if not rows:
            return []
        self._find_bases({row.uid for row in rows if row.type != ADDED} - self._state.keys())
        changes = []
        for row in rows:
            change = step(self._state, row)
            if change is None:
                raise Expired(self.begins, self.upto)
            changes.append(change)
        self.after = rows[-1].rv
        return changes

    def _find_bases(self, uids: Iterable[str]) -> None:
        """What these objects were before: their own versions tell, where all of them are kept."""
        wanted = list(uids)
        if not wanted:
            return
        earlier = ObjectVersion.objects.filter(
            of_kinds([self.kind]), cluster_id=self.cluster_id, uid__in=wanted, rv__lte=self.after
        )
        for values in _values(earlier.order_by("rv")):
            step(self._state, Row(*values))
