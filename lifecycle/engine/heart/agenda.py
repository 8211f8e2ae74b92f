"""Due timers, in (due, sequence) order. A timer is data: printable, savable, replayable.

Every timer is progress or upkeep; a cluster with upkeep alone is idle. Cancelling marks a timer; its
entry is dropped when it surfaces, or when dead entries outnumber the living.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain, islice
from typing import Any

from lifecycle.lean_tuples import NamedTuple

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
        # The timers of the first instant, and how many of these have been taken off.
        self._first: list[Timer] = []
        self._at = 0
        self._due: dict[int, list[Timer]] = {}
        # How many timers of other instants were taken off; the others wait, or are cancelled yet unsurfaced.
        self._taken = 0
        self._cancelled: dict[int, None] = {}
        self._sequence = 0
        self.upkeep_count = 0

    def __len__(self) -> int:
        return self._sequence - self._taken - self._at - len(self._cancelled)

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
            self._open_instant(due_ms, timer)
        if not is_progress:
            self.upkeep_count += 1
        return sequence

    def _open_instant(self, due_ms: int, timer: Timer) -> None:
        timers = self._due[due_ms] = [timer]
        heappush(self._instants, due_ms)
        if due_ms < self.first_ms:
            del self._first[: self._at]
            self._taken += self._at
            self.first_ms, self._first, self._at = due_ms, timers, 0

    def cancel(self, sequence: int, is_progress: bool = True) -> None:
        """Drop a timer that has not fired yet. `is_progress` as it was set."""
        self._cancelled[sequence] = None
        if not is_progress:
            self.upkeep_count -= 1
        if len(self._cancelled) > 1000 and len(self._cancelled) > len(self):
            self._restore(self.timers())

    def _restore(self, timers: Sequence[Timer]) -> None:
        self._instants, self._due, self._cancelled = [], {}, {}
        self.first_ms, self._first, self._at = NEVER, [], 0
        self._taken = self._sequence - len(timers)
        for timer in timers:
            waiting = self._due.get(timer.due_ms)
            if waiting is None:
                self._open_instant(timer.due_ms, timer)
            else:
                waiting.append(timer)

    def next_due_ms(self) -> int | None:
        """The instant of the first living timer."""
        while self._instants:
            if self._at == len(self._first):
                self._close_instant()
                continue
            number = self._first[self._at][1]
            if number not in self._cancelled:
                return self.first_ms
            if not len(self):
                # The dead may lie until there is something to do again.
                return None
            del self._cancelled[number]
            self._at += 1
        return None

    def take_due(self, now_ms: int) -> Iterator[Timer]:
        """The living timers due by now, each taken off as it comes, and those that are set meanwhile."""
        while self.first_ms <= now_ms:
            timers = self._first
            for timer in islice(timers, self._at, None):
                self._at += 1
                if self._cancelled and timer[1] in self._cancelled:
                    del self._cancelled[timer[1]]
                    continue
                if not timer[5]:
                    self.upkeep_count -= 1
                yield timer
                if self._first is not timers:
                    # So many were cancelled that the living were put in order anew.
                    break
            else:
                self._close_instant()

    def _close_instant(self) -> None:
        """All timers of the first instant were taken."""
        instants = self._instants
        self._taken += self._at
        self._at = 0
        del self._due[heappop(instants)]
        if instants:
            self.first_ms = instants[0]
            self._first = self._due[self.first_ms]
        else:
            self.first_ms, self._first = NEVER, []

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
        cancelled, later = self._cancelled, sorted(self._due)[1:]
        waiting = chain(self._first[self._at :], *[self._due[due_ms] for due_ms in later])
        return [timer for timer in waiting if timer.sequence not in cancelled]
