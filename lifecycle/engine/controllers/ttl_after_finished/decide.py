"""When a finished Job goes: so many seconds after the second in which it finished."""

from __future__ import annotations

from ...objects.propagation import FOREGROUND
from ...objects.times import floor_to_second
from ...objects.workloads.job import Job
from ...rules.actions import Decision, Delete


def find_expiry_ms(job: Job, epoch_ms: int) -> int | None:
    """The instant at which a Job's time is over; None while it goes on, or where nothing limits it (TTL-04).

    Raises ValueError for a finished Job that does not say since when.
    """
    finished, seconds = job.status.finished, job.spec.ttl_seconds_after_finished
    if finished is None or seconds is None:
        return None
    if finished.last_transition_ms is None:
        raise ValueError(f"unable to find the time when the Job {job.key[1]}/{job.meta.name} finished")
    return floor_to_second(finished.last_transition_ms, epoch_ms) + seconds * 1000


def decide(job: Job, now_ms: int, epoch_ms: int, offset_ms: int = 0) -> Decision:
    """Delete a Job whose time is over, with its pods, or look again when it is (TTL-05 to TTL-11, TTL-16).

    `offset_ms`: by how much the controller's clock is ahead of the one that times are taken from (TTL-17).
    """
    if job.meta.deletion_ms is not None:
        return Decision()
    try:
        expiry_ms = find_expiry_ms(job, epoch_ms)
    except ValueError:
        return Decision(is_failure=True)
    if expiry_ms is None:
        return Decision()
    if expiry_ms <= now_ms + offset_ms:
        return Decision([Delete(job, FOREGROUND)])
    return Decision(recheck_at_ms=expiry_ms - offset_ms)
