"""Due timers, in (due, sequence) order. A timer is data: printable, savable, replayable.

Every timer is progress or upkeep; a cluster with upkeep alone is idle. Cancelling marks a timer; its
entry is dropped when it surfaces, or when dead entries outnumber the living.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

Cause = int | str | None


NEVER = 1 << 62
"""An instant later than any."""
_make = tuple.__new__


class Timer(NamedTuple):
    """One thing to do later. `target` and `payload` are plain JSON data."""

    due_ms: int
    sequence: int
    kind: str
    target: str
    payload: Any
    is_progress: bool
    cause: Cause


class Agenda:
    """All timers of a cluster: a heap of instants, and the timers of each instant in the order they came."""

    def __init__(self) -> None:
        self._instants: list[int] = []
        # No timer is due before this instant.
        self.first_ms = NEVER
        self._first: deque[Timer] = deque()
        self._due: dict[int, deque[Timer]] = {}
        # How many timers have been taken off; the others are waiting, or cancelled and not surfaced yet.
        self._taken = 0
        self._cancelled: dict[int, None] = {}
        self._sequence = 0
        self.upkeep_count = 0

    def __len__(self) -> int:
        return self._sequence - self._taken - len(self._cancelled)

    @property
    def progress_count(self) -> int:
        """How many living timers are no upkeep."""
        return len(self) - self.upkeep_count

    def add(
        self,
        due_ms: int,
        kind: str,
        target: str,
        payload: Any = None,
        is_progress: bool = True,
        cause: Cause = None,
    ) -> int:
        """Set a timer; the number returned cancels it."""
        sequence = self._sequence = self._sequence + 1
        timer = _make(Timer, (due_ms, sequence, kind, target, payload, is_progress, cause))
        timers = self._due.get(due_ms)
        if timers is not None:
            timers.append(timer)
        else:
            self._open_instant(due_ms).append(timer)
        if not is_progress:
            self.upkeep_count += 1
        return sequence

    def _open_instant(self, due_ms: int) -> deque[Timer]:
        timers = self._due[due_ms] = deque()
        heappush(self._instants, due_ms)
        if due_ms < self.first_ms:
            self.first_ms, self._first = due_ms, timers
        return timers

    def cancel(self, sequence: int, is_progress: bool = True) -> None:
        """Drop a timer that has not fired yet. `is_progress` as it was set."""
        self._cancelled[sequence] = None
        if not is_progress:
            self.upkeep_count -= 1
        if len(self._cancelled) > 1000 and len(self._cancelled) * 2 > self._sequence - self._taken:
            self._restore(self.timers())

    def _restore(self, timers: Sequence[Timer]) -> None:
        self._instants, self._due, self._cancelled = [], {}, {}
        self.first_ms, self._taken = NEVER, self._sequence - len(timers)
        for timer in timers:
            waiting = self._due.get(timer.due_ms)
            (self._open_instant(timer.due_ms) if waiting is None else waiting).append(timer)

    def next_due_ms(self) -> int | None:
        """The instant of the first living timer."""
        while self._instants:
            timers = self._due[self._instants[0]]
            if timers[0][1] not in self._cancelled:
                return self._instants[0]
            self._drop_first(timers)
        return None

    def pop_due(self, now_ms: int) -> Timer | None:
        """The first living timer due at or before now, taken off."""
        while self.first_ms <= now_ms:
            timers = self._first
            timer = timers.popleft()
            self._taken += 1
            if not timers:
                self._close_instant()
            if timer[1] in self._cancelled:
                del self._cancelled[timer[1]]
                continue
            if not timer[5]:
                self.upkeep_count -= 1
            return timer
        return None

    def _close_instant(self) -> None:
        """The last timer of the first instant was taken."""
        del self._due[heappop(self._instants)]
        if self._instants:
            self.first_ms = self._instants[0]
            self._first = self._due[self._instants[0]]
        else:
            self.first_ms = NEVER

    def _drop_first(self, timers: deque[Timer]) -> None:
        del self._cancelled[timers.popleft()[1]]
        self._taken += 1
        if not timers:
            self._close_instant()

    def save(self) -> dict[str, Any]:
        """Plain data: living timers in firing order."""
        return {"sequence": self._sequence, "timers": [list(timer) for timer in self.timers()]}

    def load(self, data: dict[str, Any]) -> None:
        """Go on from what `save` described."""
        self._sequence = data["sequence"]
        timers = [Timer(*entry) for entry in data["timers"]]
        self._restore(timers)
        self.upkeep_count = sum(not timer.is_progress for timer in timers)

    def keep(self, keeps: Callable[[Timer], bool]) -> None:
        """Drop every living timer that `keeps` does not hold for."""
        timers = [timer for timer in self.timers() if keeps(timer)]
        self._restore(timers)
        self.upkeep_count = sum(not timer.is_progress for timer in timers)

    def timers(self) -> list[Timer]:
        """Living timers in firing order."""
        cancelled = self._cancelled
        return [
            timer
            for due_ms in sorted(self._due)
            for timer in self._due[due_ms]
            if timer.sequence not in cancelled
        ]
