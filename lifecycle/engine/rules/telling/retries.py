"""When a Job that backs off tries again, and with how many pods. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ...objects.pods.pod import FAILED, SUCCEEDED, Pod
from ...objects.workloads.job import Job
from ..jobs.backoff import NO_FAILURES, decide_wait_ms, with_ends
from ..jobs.pods import find_finish_ms
from .verdicts import tell_instant, tell_span


def tell_back_off(job: Job, pods: Sequence[Pod], now_ms: int, epoch_ms: int = 0) -> list[str]:
    """`backs off after 10 failures: 10 pods start at 00:10:05, in 4m 10s`; [] of one that does not.

    With a limit per index each index waits by itself, and nothing is said of all.
    """
    spec, status = job.spec, job.status
    if status.active or status.finished is not None or spec.suspend or spec.is_managed_elsewhere:
        return []
    if spec.backoff_limit_per_index is not None:
        return []
    succeeded = [find_finish_ms(one, epoch_ms) for one in pods if one.status.phase == SUCCEEDED]
    failed = [find_finish_ms(one, epoch_ms) for one in pods if one.status.phase == FAILED]
    failures = with_ends(
        NO_FAILURES,
        succeeded,
        failed,
    )
    wait_ms = decide_wait_ms(failures, now_ms)
    if not wait_ms:
        return []
    left = spec.parallelism
    if spec.completions is not None:
        left = min(left, spec.completions - status.succeeded)
    many = f"{left} pod{'s start' if left != 1 else ' starts'}"
    times = f"{failures.number} failure{'s' if failures.number > 1 else ''}"
    return [f"backs off after {times}: {many} at {tell_instant(now_ms + wait_ms)}, in {tell_span(wait_ms)}"]
