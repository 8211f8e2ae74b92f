"""Virtual now. Only the cluster moves it, and only between drained instants."""

from __future__ import annotations


class Clock:
    """Whole milliseconds since the epoch, which itself is in ms since 1970 UTC."""

    __slots__ = ("epoch_ms", "now_ms")

    def __init__(self, epoch_ms: int, now_ms: int = 0) -> None:
        self.epoch_ms = epoch_ms
        self.now_ms = now_ms
