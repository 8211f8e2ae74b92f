"""Run controls applied to a cluster's clock. They change when things happen, never what."""

from lifecycle.engine import Cluster as Engine
from lifecycle.models import RunControl
from lifecycle.runs.driving import auto
from lifecycle.runs.run_clock import LIMIT_MS, MAX_SPEED, MIN_SPEED, RunClock

# The condition that no progress is left to wait for.
IDLE = "idle"


def apply(control: RunControl, clock: RunClock, engine: Engine) -> str:
    """Change the clock as asked; what was wrong with it is returned, "" when nothing was.

    The clock's anchor is now: the caller has moved it.
    """
    payload, kind = control.payload, RunControl.Kind
    match control.kind:
        case kind.PAUSE:
            clock.pause()
            clock.is_auto = False
        case kind.RESUME:
            clock.is_paused = clock.is_auto = False
        case kind.SPEED if payload["speed"] == auto.AUTO:
            clock.is_auto = True
            auto.begin_run(clock)
        case kind.SPEED:
            if clock.is_auto:
                # What it was heading for was auto's own.
                clock.pause()
            clock.is_auto = False
            clock.speed = min(max(float(payload["speed"]), MIN_SPEED), MAX_SPEED)
            clock.as_fast_as_possible = False
        case kind.STEP:
            clock.head_for(_step_end(clock, engine, payload.get("ms")), "")
        case kind.RUN:
            until_ms, is_fast = payload.get("untilMs"), payload.get("fast", True)
            if until_ms is None and is_fast:
                until_ms = clock.anchor_instant_ms + LIMIT_MS
            clock.head_for(until_ms, payload.get("condition") or "", is_fast)
        case _:
            return f"unknown run control {control.kind!r}"
    return ""


def _step_end(clock: RunClock, engine: Engine, ms: int | None) -> int:
    """A step goes `ms` on, or to the next instant at which anything happens."""
    now_ms = clock.anchor_instant_ms
    if ms is not None:
        return now_ms + ms
    due_ms = engine.next_wake()
    return now_ms if due_ms is None else max(due_ms, now_ms)
