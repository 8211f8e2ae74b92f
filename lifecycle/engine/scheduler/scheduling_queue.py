"""PriorityQueue: activeQ, backoffQ and unschedulablePods.

The pod with the highest priority comes first; of equal ones, the one that was added first. A pod that
failed n times backs off for 1, 2, 4, 8, then 10 s, unless activeQ is empty (SchedulerPopFromBackoffQ);
after an error it always waits. A pod that is unschedulable for five minutes is queued again, every 30 s.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..heart.agenda import Cause

INITIAL_BACKOFF_MS, MAX_BACKOFF_MS, WINDOW_MS = 1_000, 10_000, 1_000
MAX_UNSCHEDULABLE_MS, FLUSH_MS = 300_000, 30_000
Entry = tuple[int, int, str]
"""Minus the priority, a number that rises with each pod that is added, uid."""


@dataclass(slots=True)
class UnschedulablePod:
    """A pod in unschedulablePods. `plugins`: those that rejected it; if empty, any event may help."""

    plugins: frozenset[str]
    since_ms: int
    stamp: int


class PriorityQueue:
    """Keeps the order only; the scheduler sets the timers."""

    def __init__(self) -> None:
        self._stamp = 0
        # Sorted, as pods are added; a pod that returns to its older place goes to the heap beside it.
        self._active: deque[Entry] = deque()
        self._returned: list[Entry] = []
        self._backing_off: list[tuple[int, Entry]] = []
        self._causes: dict[str, Cause] = {}
        self.failures: dict[str, int] = {}
        """By uid, the number of failed attempts"""
        self.unschedulable: dict[str, UnschedulablePod] = {}
        """By uid, in the order of their failures"""

    def __contains__(self, uid: str) -> bool:
        """Whether a pod is queued."""
        return uid in self._causes

    def add(self, uid: str, priority: int, cause: Cause, now_ms: int) -> bool:
        """Queue a pod; False if it is queued already. An unschedulable pod keeps its number."""
        if uid in self._causes:
            return False
        self._causes[uid] = cause
        waited = self.unschedulable.pop(uid, None)
        if waited is None:
            self._stamp += 1
            self._enter((-priority, self._stamp, uid))
            return True
        entry = (-priority, waited.stamp, uid)
        until_ms = self._find_end(uid, waited.since_ms)
        if until_ms < now_ms // WINDOW_MS * WINDOW_MS:
            self._enter(entry)
        else:
            heappush(self._backing_off, (until_ms, entry))
        return True

    def _enter(self, entry: Entry) -> None:
        if not self._active or self._active[-1] < entry:
            self._active.append(entry)
        else:
            heappush(self._returned, entry)

    def _find_end(self, uid: str, since_ms: int) -> int:
        return (since_ms + count_backoff_ms(self.failures.get(uid, 1))) // WINDOW_MS * WINDOW_MS

    def pop(self, now_ms: int) -> tuple[str, Cause] | None:
        """The uid of the next pod and the cause of its queueing; None if the queue is empty."""
        while self._backing_off and self._backing_off[0][0] < now_ms // WINDOW_MS * WINDOW_MS:
            heappush(self._returned, heappop(self._backing_off)[1])
        if self._active and not (self._returned and self._returned[0] < self._active[0]):
            uid = self._active.popleft()[2]
        elif self._returned:
            uid = heappop(self._returned)[2]
        elif self._backing_off:
            uid = heappop(self._backing_off)[1][2]
        else:
            return None
        return uid, self._causes.pop(uid)

    def wait(self, uid: str, plugins: frozenset[str], now_ms: int) -> None:
        """A pod is unschedulable."""
        self._stamp += 1
        self.failures[uid] = self.failures.get(uid, 0) + 1
        self.unschedulable[uid] = UnschedulablePod(plugins, now_ms, self._stamp)

    def forget(self, uid: str) -> None:
        """A pod was bound or deleted. If it was queued, its timer finds nothing to do."""
        if self.failures:
            self.unschedulable.pop(uid, None)
            self.failures.pop(uid, None)

    def find_flush(self) -> int | None:
        """When the oldest unschedulable pod is queued again (flushUnschedulablePodsLeftover)."""
        first = next(iter(self.unschedulable.values()), None)
        return (
            None
            if first is None
            else (first.since_ms + MAX_UNSCHEDULABLE_MS) // FLUSH_MS * FLUSH_MS + FLUSH_MS
        )

    def list_overdue(self, now_ms: int) -> list[str]:
        """The pods that have been unschedulable for more than five minutes."""
        return [
            uid for uid, one in self.unschedulable.items() if now_ms - one.since_ms > MAX_UNSCHEDULABLE_MS
        ]

    # --- saved --------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Plain data."""
        active = [*self._active, *self._returned]
        return {
            "stamp": self._stamp,
            "active": [[*entry, self._causes[entry[2]]] for entry in sorted(active)],
            "backing_off": [
                [until_ms, *entry, self._causes[entry[2]]] for until_ms, entry in sorted(self._backing_off)
            ],
            "failures": self.failures,
            "waiting": [
                [uid, sorted(one.plugins), one.since_ms, one.stamp] for uid, one in self.unschedulable.items()
            ],
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `save` described."""
        self._stamp = saved["stamp"]
        for minus_priority, stamp, uid, cause in saved["active"]:
            self._active.append((minus_priority, stamp, uid))
            self._causes[uid] = cause
        for until_ms, minus_priority, stamp, uid, cause in saved["backing_off"]:
            self._backing_off.append((until_ms, (minus_priority, stamp, uid)))
            self._causes[uid] = cause
        self.failures = dict(saved["failures"])
        self.unschedulable = {
            uid: UnschedulablePod(frozenset(plugins), since_ms, stamp)
            for uid, plugins, since_ms, stamp in saved["waiting"]
        }

    def take_up(self, rows: Iterable[Sequence[Any]]) -> None:
        """Add unschedulable pods: rows of uid, plugins, since when in ms, number of failures."""
        for uid, plugins, since_ms, failures in rows:
            self.wait(uid, frozenset(plugins), since_ms)
            self.failures[uid] = failures


def count_backoff_ms(failures: int) -> int:
    """The backoff after a number of failed attempts."""
    return min(INITIAL_BACKOFF_MS << min(failures - 1, 10), MAX_BACKOFF_MS)
