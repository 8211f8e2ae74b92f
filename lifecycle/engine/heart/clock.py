"""Virtual now. Only the cluster moves it, and only between drained instants."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass


@dataclass(slots=True)
class Clock:
    """Whole milliseconds since the epoch, which itself is in ms since 1970 UTC."""

    epoch_ms: int
    now_ms: int = 0
