"""Which run of a schedule is due, how many were missed, when to look again: all in ms since 1970."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from .schedules import Schedule

WAKE_DELAY_MS = 100
"""The controller looks so long after the minute has come, as clocks may differ (nextScheduleDelta)."""
MANY = 100
"""With more missed runs than these something is wrong with the clock, or with the schedule."""


@dataclass(slots=True)
class Runs:
    """What of a schedule lies between `earliest_ms` and now: the last run, and about how many there were.

    The number follows from the first two runs, and is 0 where there was one at most.
    """

    earliest_ms: int
    latest_ms: int | None = None
    count: int = 0


def find_runs(
    schedule: Schedule, created_ms: int, last_ms: int | None, deadline_seconds: int | None, now_ms: int
) -> Runs:
    """The runs since the last one, or since creation, but none older than the deadline (CRON-MISS-02 to -08).

    Raises ValueError for a schedule that never comes.
    """
    earliest_ms = created_ms if last_ms is None else last_ms
    if deadline_seconds is not None:
        earliest_ms = max(earliest_ms, now_ms - deadline_seconds * 1000)
    first_ms = schedule.next_after(earliest_ms)
    if first_ms is not None and now_ms < first_ms:
        return Runs(earliest_ms)
    second_ms = schedule.next_after(first_ms) if first_ms is not None else None
    if first_ms is not None and second_ms is not None and now_ms < second_ms:
        return Runs(earliest_ms, first_ms)
    if first_ms is None or second_ms is None or second_ms - first_ms < 1000:
        raise ValueError("time difference between two schedules is less than 1 second")
    step_ms = second_ms - first_ms
    count = (now_ms - first_ms) // step_ms + 1
    # Where steps are even this is the run before the last; where they are not, none may be found.
    return Runs(earliest_ms, schedule.last_until(now_ms, first_ms + (count - 2) * step_ms), count)


def find_wake_ms(schedule: Schedule, created_ms: int, last_ms: int | None, now_ms: int) -> int:
    """When to look again: just after the next run that follows the last one that was due."""
    try:
        runs = find_runs(schedule, created_ms, last_ms, None, now_ms)
    except ValueError:
        # Counted from now on.
        runs = Runs(now_ms)
    return find_wake_after_ms(schedule, runs, now_ms)


def find_wake_after_ms(schedule: Schedule, runs: Runs, now_ms: int) -> int:
    """The same where the runs are known that lie between the last one that was due, or creation, and now."""
    base_ms = runs.latest_ms
    if base_ms is None:
        base_ms = now_ms if runs.count else runs.earliest_ms
    next_ms = schedule.next_after(base_ms)
    return now_ms if next_ms is None else next_ms + WAKE_DELAY_MS
