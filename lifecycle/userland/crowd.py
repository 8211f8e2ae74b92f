"""The work of all containers at one instant, so that a crowd of them takes no longer than one."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass


@dataclass(slots=True)
class Crowd:
    """Instructions that were run at an instant, by all. Of another instant nothing is kept."""

    at_ms: int = -1
    steps: int = 0

    def enter(self, now_ms: int) -> None:
        """Somebody begins to work at an instant: a new one begins with none."""
        if now_ms != self.at_ms:
            self.at_ms, self.steps = now_ms, 0
