"""How long failed daemon pods are kept, node by node: the controller is not to fight a kubelet that refuses.

The first is deleted at once. The next of that node is kept for a second after that, then two, four … up to
15 minutes. A changed DaemonSet begins anew; so does a node that had no trouble for half an hour. Models
client-go's `flowcontrol.Backoff` as the DaemonSet controller uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import dataclass

from ...heart.timing import DAEMON_BACK_OFF_INITIAL_MS, DAEMON_BACK_OFF_MAX_MS

if TYPE_CHECKING:
    from .decide.node_state import Hold

_FORGOTTEN_MS = 2 * DAEMON_BACK_OFF_MAX_MS
_ROW = (str, int, str, int, int, int)


@dataclass(slots=True)
class _Entry:
    """The observed generation it is about, the delay, when the last pod was deleted, when to look again."""

    generation: int
    delay_ms: int
    since_ms: int
    wake_ms: int = 0


class FailedPods:
    """The delays of all DaemonSets, by uid and node."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, dict[str, _Entry]] = {}

    def hold(self, uid: str, generation: int, node: str, now_ms: int) -> Hold | None:
        """Until when a failed pod on a node is kept; None when it may go now."""
        entry = self._find(uid, generation, node, now_ms)
        if entry is None or now_ms - entry.since_ms >= entry.delay_ms:
            return None
        if entry.wake_ms <= now_ms:
            # It waits the whole delay from when it is first seen, unless something else has it looked at.
            entry.wake_ms = now_ms + entry.delay_ms
        return entry.since_ms + entry.delay_ms, entry.wake_ms

    def note(self, uid: str, generation: int, node: str, now_ms: int) -> None:
        """A failed pod on a node is being deleted now."""
        entry = self._find(uid, generation, node, now_ms)
        delay_ms = min(2 * entry.delay_ms, DAEMON_BACK_OFF_MAX_MS) if entry else DAEMON_BACK_OFF_INITIAL_MS
        self._entries.setdefault(uid, {})[node] = _Entry(generation, delay_ms, now_ms)

    def _find(self, uid: str, generation: int, node: str, now_ms: int) -> _Entry | None:
        entry = self._entries.get(uid, {}).get(node)
        if entry is None or entry.generation != generation or now_ms - entry.since_ms > _FORGOTTEN_MS:
            return None
        return entry

    def forget(self, uid: str) -> None:
        """A DaemonSet that is gone."""
        self._entries.pop(uid, None)

    # --- saved --------------------------------------------------------------------------------------------

    def save(self) -> list[Any]:
        """Plain data, an entry a row."""
        return [
            [uid, one.generation, node, one.delay_ms, one.since_ms, one.wake_ms]
            for uid, by_node in self._entries.items()
            for node, one in by_node.items()
        ]

    def load(self, data: Any) -> None:
        """Go on from what `save` described; rows that cannot be read are as if nothing had failed."""
        for row in data if isinstance(data, list) else ():
            if isinstance(row, list) and [type(one) for one in row] == list(_ROW):
                uid, generation, node, *times = row
                self._entries.setdefault(uid, {})[node] = _Entry(generation, *times)
