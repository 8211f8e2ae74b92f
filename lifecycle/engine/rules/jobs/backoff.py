"""How long a Job waits before it tries again: 10 s after the first failure, doubling, at most 10 minutes.

Failures count since the last success, from the end of the latest failed pod (JOB-BACKOFF-02, -03). With a
limit per index each index waits by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle.lean_tuples import NamedTuple

from ...objects.pods.pod import Pod
from .pods import find_finish_ms, read_failure_count, read_ignored_count

FIRST_BACK_OFF_MS = 10_000
MAX_BACK_OFF_MS = 600_000


class Failures(NamedTuple):
    """How many pods failed since the last success, and when the latest of them ended (None: none did)."""

    number: int = 0
    last_ms: int | None = None


NO_FAILURES = Failures()


def with_ends(known: Failures, succeeded_ms: Sequence[int], failed_ms: Sequence[int]) -> Failures:
    """The record with the ends of pods that are newly known."""
    if not succeeded_ms:
        return Failures(known.number + len(failed_ms), max(failed_ms)) if failed_ms else known
    # What failed before a success, or with it, no longer counts.
    success_ms = max(succeeded_ms)
    since = [end_ms for end_ms in failed_ms if end_ms > success_ms]
    return Failures(len(since), max(since, default=None))


def decide_wait_ms(
    failures: Failures, now_ms: int, first_ms: int = FIRST_BACK_OFF_MS, most_ms: int = MAX_BACK_OFF_MS
) -> int:
    """How much longer no pod is to be made."""
    if failures.number == 0 or failures.last_ms is None:
        return 0
    # The first delay is never capped, as in Kubernetes.
    doubled_ms = first_ms << min(failures.number - 1, 62)
    delay_ms = doubled_ms if failures.number == 1 else min(doubled_ms, most_ms)
    return max(0, delay_ms - (now_ms - failures.last_ms))


def decide_index_wait_ms(
    failed: Pod | None,
    now_ms: int,
    first_ms: int = FIRST_BACK_OFF_MS,
    most_ms: int = MAX_BACK_OFF_MS,
    epoch_ms: int = 0,
) -> int:
    """The same for one index, from the pod of it that failed last (JOB-BLPI-12)."""
    if failed is None:
        return 0
    annotations = failed.meta.annotations
    count = read_failure_count(annotations) + read_ignored_count(annotations) + 1
    return decide_wait_ms(Failures(count, find_finish_ms(failed, epoch_ms)), now_ms, first_ms, most_ms)
