"""The objects of one kind as they are now, and the last changes to them, for all who watch the kind."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from lifecycle.kube_api.watching import records
from lifecycle.kube_api.watching.changes import Change
from lifecycle.kube_api.watching.places import Places
from lifecycle.kube_api.watching.records import Row, State

KEPT_CHANGES = 4096
KEPT_BYTES = 16 * 2**20
"""So many changes of a kind stay in memory, and no more of their text than this."""


class Taker(Protocol):
    """Whoever wants to be told of changes. None of these waits."""

    def take(self, change: Change) -> None:
        """A change of the kind it watches."""

    def advance(self, rv: int) -> None:
        """Everything up to a version has been told."""

    def end(self, reason: Exception | None) -> None:
        """There will be nothing more."""


class KindCache:
    """The objects of one kind as they are at `rv`, the changes before, and who wants the next ones."""

    def __init__(self, state: State, rv: int) -> None:
        self.state = state
        self.places = Places(state)
        self.rv = self.objects_rv = rv
        self.oldest = rv
        """Every change after this version is in `changes`."""
        self.changes: deque[Change] = deque()
        self.bytes = 0
        self.takers: set[Taker] = set()

    def add(self, row: Row) -> None:
        """Take a version in, and tell everyone."""
        change = records.step(self.state, row)
        if change is not None:
            self.places.put(row, self.state.get(row.uid))
            self.tell(change)

    def tell(self, change: Change) -> None:
        """Keep a change, and tell everyone."""
        self.changes.append(change)
        # What was there before is the text of the change before.
        self.bytes += len(change.new)
        while len(self.changes) > KEPT_CHANGES or self.bytes > KEPT_BYTES:
            gone = self.changes.popleft()
            self.oldest, self.bytes = gone.rv, self.bytes - len(gone.new)
        for taker in list(self.takers):
            taker.take(change)
        change.forget()

    def advance(self, rv: int) -> None:
        """Everything up to a version of the objects was taken in."""
        if rv > self.objects_rv:
            self.rv = self.objects_rv = rv
            self.announce()

    def announce(self) -> None:
        """Tell everyone how far the cache is."""
        for taker in list(self.takers):
            taker.advance(self.rv)

    def history(self, cluster_id: int, kind: records.Kind, after: int) -> records.Pages:
        """The changes beyond a version up to the cache's, from the database."""
        return records.History(cluster_id, kind, after, self.rv)

    def list_since(self, rv: int) -> list[Change]:
        """The changes after a version that is not older than `oldest`."""
        return [change for change in self.changes if change.rv > rv]
