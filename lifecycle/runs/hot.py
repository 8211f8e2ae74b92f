"""A cluster in a worker's memory, and how its clock is kept there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from lifecycle.engine import Cluster as Engine
from lifecycle.models import Cluster, Command
from lifecycle.runs import metrics
from lifecycle.runs.container_logs import Tails
from lifecycle.runs.driving import auto
from lifecycle.runs.recorder import Slice
from lifecycle.runs.run_clock import RunClock, moment

# Wakes closer together than this are taken in one turn.
COALESCE_SECONDS = 0.05
# Behind by more than this, the anchor moves: the run is slower than asked, and says so.
LAG_SECONDS = 0.5
# The speed reached is measured over windows of this length.
SPEED_WINDOW_SECONDS = 2.0


@dataclass(slots=True)
class Hot:
    """A cluster in this process: its row as last read or written, and its engine at the row's cursor."""

    cluster: Cluster
    engine: Engine
    clock: RunClock
    tails: Tails
    unsaved_seconds: float = 0.0
    save_seconds: float = 0.0
    speed_since: tuple[float, int] | None = None
    pruned_at: float = field(default_factory=time.monotonic)
    # Whether commands wait that could have entered in the last turn.
    has_waiting: bool = False
    # Until when what its owner holds need not be looked up; why it may not go on.
    looked_at: float = 0.0
    excess: str = ""


def stand(hot: Hot, wall: float, has_reached: bool = False) -> None:
    """Let time stand where the engine is. `has_reached`: that is what the run was for."""
    hot.clock.has_reached = has_reached
    hot.clock.anchor(hot.engine.now_ms, wall)
    hot.clock.pause()


def keep_time(hot: Hot, piece: Slice, wall: float) -> float | None:
    """Move the anchor when the engine lags, note the speed reached and when the next turn is due."""
    clock, engine = hot.clock, hot.engine
    behind_ms = clock.now_ms(wall) - engine.now_ms
    lag_seconds = max(0.0, behind_ms / 1000 / clock.speed)
    is_busy = clock.as_fast_as_possible or lag_seconds > LAG_SECONDS
    if is_busy and not clock.is_paused:
        clock.anchor(engine.now_ms, wall)
    metrics.gauges["lag_seconds"] = lag_seconds
    is_idle = engine.is_idle(auto.TAKING_AWAY if clock.is_auto else ())
    is_timed = not clock.is_paused and not clock.as_fast_as_possible
    # Asked of the database once, where the answer says anything.
    pinned_ms = _next_pinned(hot.cluster) if is_idle or is_timed else None
    wake = _next_wake(hot, wall, pinned_ms)
    piece.columns |= clock.columns() | {
        "achieved_speed": _achieved_speed(hot, wall, is_busy),
        "next_wake_at": None if wake is None else moment(wake),
        "kubernetes": engine.settings.release.name,
        "is_idle": is_idle and pinned_ms is None,
    }
    return wake


def _next_wake(hot: Hot, wall: float, pinned_ms: int | None) -> float | None:
    clock, engine = hot.clock, hot.engine
    if clock.is_paused:
        return None
    if clock.as_fast_as_possible:
        return wall
    dues = [engine.next_wake(), clock.run_until_ms, pinned_ms]
    due_ms = min((due for due in dues if due is not None), default=None)
    if due_ms is None:
        return None
    due = clock.wall_of(due_ms)
    assert due is not None, due_ms
    return due if due <= wall else max(due, wall + COALESCE_SECONDS)


def _achieved_speed(hot: Hot, wall: float, is_busy: bool) -> float | None:
    """Virtual over wall time, while the engine cannot keep up or runs as fast as it can; else None."""
    now_ms = hot.engine.now_ms
    if not is_busy or hot.clock.is_paused:
        hot.speed_since = None
        return None
    since_wall, since_ms = hot.speed_since = hot.speed_since or (wall, now_ms)
    seconds = wall - since_wall
    if seconds < 0.1:
        return hot.cluster.achieved_speed
    if seconds > SPEED_WINDOW_SECONDS:
        hot.speed_since = (wall, now_ms)
    return round((now_ms - since_ms) / 1000 / seconds, 3)


def hold(hot: Hot, piece: Slice, wall: float) -> None:
    """Let time stand while the cluster's owner holds more than one user may."""
    if not hot.clock.is_paused and hot.excess:
        stand(hot, wall)
        piece.columns = {"clock_note": f"Paused: {hot.excess}"}
        hot.looked_at = 0.0


def _next_pinned(cluster: Cluster) -> int | None:
    if not cluster.has_pinned:
        return None
    pinned = cluster.commands.filter(state=Command.State.PENDING, pinned_ms__isnull=False)
    return pinned.order_by("pinned_ms").values_list("pinned_ms", flat=True).first()
