"""What is kept of a cluster's past in this process: its rows, its logs, what verdicts are told from."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from lifecycle.engine import Changes
from lifecycle.engine.heart.series import tell_at
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.simulation.verdicts_at_end import VerdictSink

MOST_LINES = 1_000
"""So many lines of each run of a container are kept, the latest."""
_KEPT_RUNS = 2
"""The current one and the one before, as a kubelet keeps them."""


class Memory:
    """Follows the changes of a cluster."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.verdicts = VerdictSink()
        self.at_ms = 0
        self._logs: dict[tuple[str, str], dict[int, deque[str]]] = {}

    def take(self, changes: Changes) -> None:
        """Take in what has changed."""
        self.at_ms = changes.at_ms
        self.rows += [row_to_json(row) for row in changes.rows]
        self.verdicts.take(changes)
        for uid, container, attempt, _at_ms, text in changes.logs:
            runs = self._logs.setdefault((uid, container), {})
            runs.setdefault(attempt, deque(maxlen=MOST_LINES)).append(text)
            while len(runs) > _KEPT_RUNS:
                del runs[min(runs)]

    def copy(self) -> Memory:
        """The same, to go on by itself."""
        other = Memory()
        other.rows, other.at_ms = [*self.rows], self.at_ms
        other.verdicts, other._logs = deepcopy(self.verdicts), deepcopy(self._logs)
        return other

    def list_events(self) -> Sequence[Mapping[str, Any]]:
        """The events as they are told by now: of each series its last row, counted on to now."""
        last = {row["eventId"]: row for row in self.rows if row["type"] == "event"}
        told = []
        for row in last.values():
            count, last_ms = tell_at(row["count"], row["last_ms"], row["detail"], self.at_ms)
            told.append({**row, "count": count, "last_ms": last_ms})
        return told

    def read_log(self, uid: str, container: str, attempt: int) -> Sequence[str]:
        """The lines of a container's run, the oldest first; `attempt` counts from 0."""
        return list(self._logs.get((uid, container), {}).get(attempt, ()))
