"""What was measured of one image, and what could not be."""

from __future__ import annotations

from lifecycle.calibration.windows import Window
from lifecycle.lean_dataclasses import dataclass, field

PULL, START, READY, STOP, RUNS = "pull", "start", "ready", "stop", "runs"


@dataclass(frozen=True, slots=True)
class Life:
    """How one container has lived: the runs that are over, and how long one goes on by now.

    `count`: how many are over, with those that nothing else is known of.
    `is_to_end`: whether it is there to end.
    """

    ends: tuple[tuple[int, str, Window], ...]
    count: int
    is_to_end: bool
    goes_on: Window | None


@dataclass(slots=True)
class Measured:
    """Samples of one image, as pods name it.

    `stops`: how long after its stop signal it ended, with which code.
    `lives`: None of a container of which it is not clear.
    `why_not`: what was seen and not taken, with how many containers that is so of.
    `doubts`: what is to be known of that which was taken.
    """

    image: str
    pulls: list[Window] = field(default_factory=list)
    starts: list[Window] = field(default_factory=list)
    readies: list[Window] = field(default_factory=list)
    stops: list[tuple[Window, int]] = field(default_factory=list)
    lives: list[Life | None] = field(default_factory=list)
    restarts: int = 0
    why_not: dict[str, int] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)

    def leave(self, why: str) -> None:
        """Count a container of which something could not be taken."""
        self.why_not[why] = self.why_not.get(why, 0) + 1
