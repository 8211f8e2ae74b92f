"""Counting each ended pod once: its uid into the status, its finalizer away, the uid into a count.

A pod that vanishes in between is known by its uid, and one whose finalizer is there is in no count yet. So
none is lost and none is counted twice, whenever the controller stops (JOB-FIN-03).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ....objects.condition import Condition
from ....objects.job import SUCCESS_CRITERIA_MET, JobStatus, UncountedPods
from ....objects.pod import SUCCEEDED, Pod
from ....rules.jobs.failure_policy import judge
from ....rules.jobs.indexes import format_indexes, has_index, with_indexes
from ....rules.jobs.pods import is_failed, read_index
from .look import Look, is_placed
from .seen import Seen

MAX_UNCOUNTED = 500
"""How many uids a status holds at most: the rest waits for the next look."""


@dataclass(slots=True)
class Account:
    """The status that names the newly ended pods, and the pods whose finalizer goes once it is written."""

    status: JobStatus
    pods: Sequence[Pod]
    is_full: bool


def take_account(seen: Seen, look: Look, end: Condition | None, status: JobStatus) -> Account:
    """Take in as many ended pods as the status holds. `end`: with which condition it ends, if any."""
    job = seen.job
    uncounted = status.uncounted or UncountedPods()
    succeeded, failed = list(uncounted.succeeded), list(uncounted.failed)
    lost_before = frozenset(uncounted.failed)
    known, indexes, released, is_full = frozenset(succeeded), [], [], False
    for pod in _list_candidates(seen, end):
        is_bad = is_failed(pod, seen.gates.replaces_only_failed(job.spec))
        if not _may_go(seen, look, end, pod, is_bad):
            continue
        released.append(pod)
        uid = pod.meta.uid
        if pod.status.phase == SUCCEEDED and uid not in lost_before:
            if not job.spec.is_indexed:
                if uid not in known:
                    succeeded.append(uid)
            elif is_placed(job, pod) and not has_index(look.known, read_index(pod)):
                indexes.append(read_index(pod))
        elif (is_bad or _fails(end)) and uid not in lost_before and _counts(seen, pod):
            failed.append(uid)
        if len(indexes) + len(succeeded) + len(failed) >= MAX_UNCOUNTED:
            is_full = True
            break
    status = status.replace(uncounted=UncountedPods(tuple(succeeded), tuple(failed)))
    if job.spec.is_indexed:
        done = with_indexes(look.done, indexes)
        status = status.replace(
            succeeded=look.succeeded,
            completed_indexes=format_indexes(done),
            failed_indexes=None if look.lost is None else format_indexes(look.lost),
        )
    return Account(status, released, is_full)


def _list_candidates(seen: Seen, end: Condition | None) -> Sequence[Pod]:
    """The pods whose finalizer may go: those that ended; of a Job that goes or ends all."""
    is_over = end is not None or seen.job.meta.deletion_ms is not None
    pods = seen.pods.list_tracked() if is_over else seen.pods.ended
    return sorted(pods, key=read_index) if seen.job.spec.is_indexed else pods


def _may_go(seen: Seen, look: Look, end: Condition | None, pod: Pod, is_bad: bool) -> bool:
    if seen.job.meta.deletion_ms is not None or end is not None or pod.status.phase == SUCCEEDED:
        return True
    # The last failed pod of an index stays until the next one of it is there.
    return is_bad and (look.awaiting or {}).get(read_index(pod)) is not pod


def _fails(end: Condition | None) -> bool:
    """Whether the Job fails: then what has not ended yet counts as failed."""
    return end is not None and end.type != SUCCESS_CRITERIA_MET


def _counts(seen: Seen, pod: Pod) -> bool:
    verdict = judge(seen.job.spec.failure_rules, pod, seen.gates.limit_per_index)
    return is_placed(seen.job, pod) and verdict.counts


def count_released(status: JobStatus, tracked: Collection[str], released: Collection[str] = ()) -> JobStatus:
    """The status with those of its uids in the counts whose pods have no finalizer, or will have none."""
    uncounted = status.uncounted
    if uncounted is None or not (uncounted.succeeded or uncounted.failed):
        return status
    succeeded = tuple(uid for uid in uncounted.succeeded if uid in tracked and uid not in released)
    failed = tuple(uid for uid in uncounted.failed if uid in tracked and uid not in released)
    return status.replace(
        succeeded=status.succeeded + len(uncounted.succeeded) - len(succeeded),
        failed=status.failed + len(uncounted.failed) - len(failed),
        uncounted=UncountedPods(succeeded, failed),
    )
