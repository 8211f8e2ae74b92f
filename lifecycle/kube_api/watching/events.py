"""Watching Events: those that components emitted stand in the trace, those that clients sent are objects.

Their resource version tells of both (see `trace_events`); each change carries where the other stood.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from lifecycle.kube_api.reading import trace_events
from lifecycle.kube_api.reading.trace_events import KIND, VERSIONS, version_of
from lifecycle.kube_api.watching import records
from lifecycle.kube_api.watching.cache import KindCache
from lifecycle.kube_api.watching.changes import ADDED, MODIFIED, Change
from lifecycle.kube_api.watching.records import Expired, Held, Kind, Row, State
from lifecycle.models import Cluster, Event

PAGE_ROWS = 1000


class EventCache(KindCache):
    """The Events of a cluster, and how far the trace was read."""

    def __init__(self, cluster: Cluster, state: State, rv: int, seq: int) -> None:
        super().__init__(state, rv)
        self.cluster = cluster
        self.seq = seq
        self.rv = self.oldest = version_of(seq, rv)

    @classmethod
    def load(cls, cluster: Cluster, state: State, rv: int) -> EventCache:
        """All Events that are there. `state` has those that clients sent, at version `rv` of the objects."""
        now = Cluster.objects.get(pk=cluster.pk)
        found = cls(now, state, rv, now.seq)
        for data in trace_events.list_there(now, None):
            found._hold(data, now.seq)
        return found

    def add(self, row: Row) -> None:
        """Take a version of an Event that a client sent in."""
        change = records.step(self.state, row)
        if change is not None:
            self.objects_rv = row.rv
            change.rv = self.rv = version_of(self.seq, row.rv)
            change.new = orjson.dumps(_at_version(orjson.loads(change.new), change.rv))
            self.tell(change)

    def advance(self, rv: int) -> None:
        """Everything up to a version of the objects was taken in."""
        self.objects_rv = max(rv, self.objects_rv)
        self.rv = version_of(self.seq, self.objects_rv)
        self.announce()

    def read(self, upto: int) -> list[tuple[int, dict[str, Any]]]:
        """What the trace has to tell up to a row, with the rows. Asks the database."""
        rows = list(trace_events.rows_between(self.cluster, self.seq, upto))
        return list(zip((row.seq for row in rows), trace_events.make_all(self.cluster, rows), strict=True))

    def take_in(self, found: Iterable[tuple[int, dict[str, Any]]], upto: int) -> None:
        """Tell everyone of what `read` gave."""
        for seq, data in found:
            self.seq = seq
            self.tell(self._hold(data, seq))
        self.seq = max(self.seq, upto)
        self.advance(self.objects_rv)
        if len(self.state) > 2 * self.kept:
            self._forget_old()

    kept = 10_000

    def _forget_old(self) -> None:
        """Of so many Events the newest are enough for whoever comes."""
        for uid in sorted(self.state, key=lambda uid: self.state[uid].rv)[: -self.kept]:
            del self.state[uid]

    def _hold(self, data: dict[str, Any], seq: int) -> Change:
        meta, rv = data["metadata"], version_of(seq, self.objects_rv)
        before = self.state.get(meta["uid"])
        text = orjson.dumps(_at_version(data, rv))
        self.state[meta["uid"]] = Held(rv, meta["namespace"], meta["name"], text)
        type, old = (MODIFIED, before.text) if before is not None else (ADDED, None)
        return Change(rv, type, meta["namespace"], meta["name"], old, text)

    def history(self, cluster_id: int, kind: Kind, after: int) -> records.Pages:
        """The changes beyond a version up to the cache's, from the database."""
        return EventHistory(self.cluster, after, self.seq, self.objects_rv)


class EventHistory:
    """What the trace told between two versions of Events, page by page."""

    def __init__(self, cluster: Cluster, after: int, seq: int, rv: int) -> None:
        self.cluster = cluster
        self.begins, self.rv = after, rv
        self.at, self.objects_at = divmod(after, VERSIONS)
        self.upto = seq

    def read_page(self) -> list[Change]:
        """The next changes; none when all were read. Raises Expired."""
        if not self.at or self.at + 1 < self.cluster.oldest_seq or self._were_sent():
            raise Expired(self.begins, version_of(self.upto, self.rv))
        rows = list(trace_events.rows_between(self.cluster, self.at, self.upto)[:PAGE_ROWS])
        known = self._find_known({str(row.event_id) for row in rows})
        changes = []
        for row, data in zip(rows, trace_events.make_all(self.cluster, rows), strict=True):
            rv = version_of(row.seq, self.rv)
            text = orjson.dumps(_at_version(data, rv))
            is_known = row.event_id in known
            known.add(str(row.event_id))
            meta = data["metadata"]
            type, old = (MODIFIED, text) if is_known else (ADDED, None)
            changes.append(Change(rv, type, meta["namespace"], meta["name"], old, text))
        self.at = rows[-1].seq if rows else self.upto
        return changes

    def _were_sent(self) -> bool:
        """Whether clients sent Events meanwhile: how these lie between those is not recorded."""
        sent = records.read_rows(self.cluster.pk, [KIND], self.objects_at, self.rv, 1)
        return bool(sent)

    def _find_known(self, ids: set[str]) -> set[str]:
        earlier = Event.objects.filter(cluster=self.cluster, event_id__in=ids, seq__lte=self.at)
        return set(map(str, earlier.values_list("event_id", flat=True)))


def _at_version(data: dict[str, Any], rv: int) -> dict[str, Any]:
    return data | {"metadata": data["metadata"] | {"resourceVersion": str(rv)}}
