"""Due timers, in (due, sequence) order. A timer is data: printable, savable, replayable.

Every timer is progress or upkeep; a cluster with upkeep alone is idle. Cancelling marks a timer; its
entry is dropped when it surfaces, or when dead entries outnumber the living.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

Cause = int | str | None


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
    """All timers of a cluster."""

    __slots__ = ("_cancelled", "_heap", "_sequence", "progress_count")

    def __init__(self) -> None:
        self._heap: list[Timer] = []
        self._cancelled: dict[int, None] = {}
        self._sequence = 0
        self.progress_count = 0

    def __len__(self) -> int:
        return len(self._heap) - len(self._cancelled)

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
        heappush(
            self._heap,
            tuple.__new__(Timer, (due_ms, sequence, kind, target, payload, is_progress, cause)),
        )
        if is_progress:
            self.progress_count += 1
        return sequence

    def cancel(self, sequence: int, is_progress: bool = True) -> None:
        """Drop a timer that has not fired yet. `is_progress` as it was set."""
        self._cancelled[sequence] = None
        if is_progress:
            self.progress_count -= 1
        if len(self._cancelled) > 1000 and len(self._cancelled) * 2 > len(self._heap):
            self._sweep()

    def _sweep(self) -> None:
        self._heap = [timer for timer in self._heap if timer.sequence not in self._cancelled]
        heapify(self._heap)
        self._cancelled.clear()

    def next_due_ms(self) -> int | None:
        """The instant of the first living timer."""
        heap = self._heap
        while heap and heap[0].sequence in self._cancelled:
            del self._cancelled[heappop(heap).sequence]
        return heap[0].due_ms if heap else None

    def pop_due(self, now_ms: int) -> Timer | None:
        """The first living timer due at or before now, taken off."""
        heap = self._heap
        while heap and heap[0].due_ms <= now_ms:
            timer = heappop(heap)
            if self._cancelled and timer.sequence in self._cancelled:
                del self._cancelled[timer.sequence]
                continue
            if timer.is_progress:
                self.progress_count -= 1
            return timer
        return None

    def save(self) -> dict[str, Any]:
        """Plain data: living timers in firing order."""
        self._sweep()
        return {"sequence": self._sequence, "timers": [list(timer) for timer in sorted(self._heap)]}

    def load(self, data: dict[str, Any]) -> None:
        """Go on from what `save` described."""
        self._sequence = data["sequence"]
        self._heap = [Timer(*entry) for entry in data["timers"]]
        self._cancelled = {}
        self.progress_count = sum(timer.is_progress for timer in self._heap)

    def timers(self) -> list[Timer]:
        """Living timers in firing order."""
        return sorted(timer for timer in self._heap if timer.sequence not in self._cancelled)
