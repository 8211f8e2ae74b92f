"""Who is to be tried: the active, those that have to wait after a failure, and those that nothing helps yet.

Models the scheduler's PriorityQueue. The most important pod is tried first, of equals the one that has waited
longest. A pod that failed n times in a row backs off for 1, 2, 4, 8, then 10 s, unless nobody else is active
(SchedulerPopFromBackoffQ); after an error it waits in any case. What nothing has helped for five minutes is
tried again all the same, at the next half minute.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from ..heart.agenda import Cause

INITIAL_MS, LONGEST_MS, WINDOW_MS = 1_000, 10_000, 1_000
PATIENCE_MS, FLUSH_MS = 300_000, 30_000
Entry = tuple[int, int, str]
"""Minus the priority, since when it waits (a count), uid."""


@dataclass(slots=True)
class Waiting:
    """A pod that no node took. `plugins`: who kept it from one; none: whatever happens may help.

    `failures`: how often it was refused, or by errors alone, in a row.
    """

    plugins: frozenset[str]
    since_ms: int
    stamp: int


class Queue:
    """Order alone: whoever owns it says when somebody is tried."""

    def __init__(self) -> None:
        self._stamp = 0
        # In order by themselves; who comes back to an older place waits beside them.
        self._active: deque[Entry] = deque()
        self._returned: list[Entry] = []
        self._backing_off: list[tuple[int, Entry]] = []
        self._causes: dict[str, Cause] = {}
        self.failures: dict[str, int] = {}
        """By uid: how often a pod has failed"""
        self.waiting: dict[str, Waiting] = {}
        """By uid, in the order in which they failed"""

    def __contains__(self, uid: str) -> bool:
        """Whether a pod is going to be tried."""
        return uid in self._causes

    def add(self, uid: str, priority: int, cause: Cause, now_ms: int) -> bool:
        """A pod is to be tried; False when it is already. One that has waited keeps its place."""
        if uid in self._causes:
            return False
        self._causes[uid] = cause
        waited = self.waiting.pop(uid, None)
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
        return (since_ms + back_off(self.failures.get(uid, 1))) // WINDOW_MS * WINDOW_MS

    def pop(self, now_ms: int) -> tuple[str, Cause] | None:
        """Who is tried next, and what led to that; None when nobody is to be tried."""
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
        """A pod was tried in vain."""
        self._stamp += 1
        self.failures[uid] = self.failures.get(uid, 0) + 1
        self.waiting[uid] = Waiting(plugins, now_ms, self._stamp)

    def forget(self, uid: str) -> None:
        """A pod has got a node, or is gone; if it was to be tried, its turn is nobody's."""
        if self.failures:
            self.waiting.pop(uid, None)
            self.failures.pop(uid, None)

    def find_flush(self) -> int | None:
        """When the pod that has waited longest is tried in any case."""
        first = next(iter(self.waiting.values()), None)
        return None if first is None else (first.since_ms + PATIENCE_MS) // FLUSH_MS * FLUSH_MS + FLUSH_MS

    def list_overdue(self, now_ms: int) -> list[str]:
        """Who has waited for too long."""
        return [uid for uid, one in self.waiting.items() if now_ms - one.since_ms > PATIENCE_MS]

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
                [uid, sorted(one.plugins), one.since_ms, one.stamp] for uid, one in self.waiting.items()
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
        self.waiting = {
            uid: Waiting(frozenset(plugins), since_ms, stamp)
            for uid, plugins, since_ms, stamp in saved["waiting"]
        }

    def take_up(self, rows: Iterable[Sequence[Any]]) -> None:
        """Have pods wait of which this is known: uid, who kept it from a node, since when, failures."""
        for uid, plugins, since_ms, failures in rows:
            self.wait(uid, frozenset(plugins), since_ms)
            self.failures[uid] = failures


def back_off(failures: int) -> int:
    """How long a pod waits after so many failures in a row, in ms."""
    return min(INITIAL_MS << min(failures - 1, 10), LONGEST_MS)
