"""A cluster's clock: how wall time becomes virtual time. Pure: the wall time is handed in.

Wall times here are seconds since 1970 as floats; instants are whole virtual milliseconds.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from lifecycle.models import Cluster

# Further than any run goes: "as fast as possible" without an instant ends a virtual day later.
LIMIT_MS = 24 * 3_600_000
MIN_SPEED, MAX_SPEED = 0.01, 10_000.0


# The wall clock and a steady one may differ by so much between two looks before one of them was set.
STEP_SECONDS = 1.0


class StepWatch:
    """Notices a wall clock that was set: a steady clock beside it tells how much time really passed."""

    def __init__(self, wall: float, steady: float) -> None:
        self._wall, self._steady = wall, steady

    def has_stepped(self, wall: float, steady: float) -> bool:
        """Whether the wall clock went otherwise than the steady one since the last look (both in seconds)."""
        step = (wall - self._wall) - (steady - self._steady)
        self._wall, self._steady = wall, steady
        return abs(step) > STEP_SECONDS


@dataclass(slots=True)
class RunClock:
    """Virtual now = anchor + elapsed * speed; an anchor is a pair that was true once."""

    anchor_instant_ms: int
    anchor_wall: float | None
    speed: float
    is_paused: bool
    as_fast_as_possible: bool
    run_until_ms: int | None
    condition: str
    is_auto: bool = False
    has_reached: bool = False

    @classmethod
    def of(cls, cluster: Cluster) -> "RunClock":
        """The clock as the cluster's row has it."""
        anchor_wall = cluster.anchor_wall.timestamp() if cluster.anchor_wall else None
        return cls(
            cluster.anchor_instant_ms,
            anchor_wall,
            cluster.speed,
            cluster.paused,
            cluster.as_fast_as_possible,
            cluster.run_until_ms,
            cluster.run_until_condition,
            cluster.is_auto,
            cluster.has_reached,
        )

    def columns(self) -> dict[str, object]:
        """The clock as the columns of the cluster's row."""
        return {
            "anchor_instant_ms": self.anchor_instant_ms,
            "anchor_wall": None if self.anchor_wall is None else moment(self.anchor_wall),
            "speed": self.speed,
            "paused": self.is_paused,
            "as_fast_as_possible": self.as_fast_as_possible,
            "run_until_ms": self.run_until_ms,
            "run_until_condition": self.condition,
            "is_auto": self.is_auto,
            "has_reached": self.has_reached,
        }

    def now_ms(self, wall: float) -> int:
        """Virtual now, bounded by the instant the run stops at."""
        if self.is_paused or self.as_fast_as_possible or self.anchor_wall is None:
            return self.anchor_instant_ms
        elapsed_ms = max(0.0, wall - self.anchor_wall) * 1000 * self.speed
        now_ms = self.anchor_instant_ms + int(elapsed_ms)
        return now_ms if self.run_until_ms is None else min(now_ms, self.run_until_ms)

    def target_ms(self, wall: float) -> int:
        """Where the engine should be: virtual now, or the end of the run when nothing holds it back."""
        if self.is_paused or not self.as_fast_as_possible:
            return self.now_ms(wall)
        return self.anchor_instant_ms + LIMIT_MS if self.run_until_ms is None else self.run_until_ms

    def wall_of(self, instant_ms: int) -> float | None:
        """When an instant will be reached; None while time stands."""
        if self.is_paused or self.anchor_wall is None:
            return None
        if self.as_fast_as_possible:
            return self.anchor_wall
        return self.anchor_wall + (instant_ms - self.anchor_instant_ms) / 1000 / self.speed

    def anchor(self, instant_ms: int, wall: float) -> None:
        """From here on: it is `instant_ms` at `wall`."""
        self.anchor_instant_ms, self.anchor_wall = instant_ms, wall

    def head_for(self, until_ms: int | None, condition: str, is_fast: bool = True) -> None:
        """Go on until an instant or until something holds, and stand there."""
        self.is_paused = self.has_reached = False
        self.as_fast_as_possible, self.run_until_ms, self.condition = is_fast, until_ms, condition

    def pause(self) -> None:
        """Time stands; what the run was heading for is forgotten."""
        self.is_paused = True
        self.as_fast_as_possible = False
        self.run_until_ms = None
        self.condition = ""


def moment(wall: float) -> datetime:
    """Seconds since 1970 as an aware datetime."""
    return datetime.fromtimestamp(wall, UTC)
