"""Counting each ended pod once: its uid into the status, its finalizer away, the uid into a count.

A pod that vanishes in between is known by its uid, and one whose finalizer is there is in no count yet. So
none is lost and none is counted twice, whenever the controller stops (JOB-FIN-03).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.condition import Condition, is_true, with_condition
from ....objects.pods.pod import SUCCEEDED, Pod
from ....objects.workloads.job import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    NONE_UNCOUNTED,
    SUCCESS_CRITERIA_MET,
    JobStatus,
    UncountedPods,
)
from ....rules.jobs.pods import is_failed, read_index
from .seen import Look, Seen

MAX_UNCOUNTED = 500
"""How many uids a status holds at most: the rest waits for the next look."""


@dataclass(slots=True)
class Account:
    """The status that names newly ended pods, the pods that are let go then, the status with the counts.

    `end`: the terminal condition that the latter has, if it is the Job's end.
    """

    told: JobStatus
    released: Sequence[Pod]
    final: JobStatus
    end: Condition | None


@dataclass(slots=True)
class _Ended:
    """Ended pods, as many as the status holds: uids for it, indexes, and the pods themselves."""

    succeeded: list[str]
    failed: list[str]
    indexes: list[int] = field(default_factory=list)
    pods: list[Pod] = field(default_factory=list)
    is_full: bool = False


def take_account(
    seen: Seen, look: Look, status: JobStatus, end: Condition | None, terminating: int, now_ms: int
) -> Account:
    """Bring a status up to what has ended, with `end` as the condition that was decided (None: it goes on).

    A terminal condition waits until all pods are counted and none is left that has yet to stop (JOB-FIN-04,
    JOB-TERM-09): `terminating`.
    """
    from ....rules.jobs.indexes import count_indexes, format_indexes, with_indexes

    status = _count_released(status, seen.pods.tracked)
    if end is None and _goes_on_as_it_is(seen, status):
        return Account(status, (), status, None)
    ended = _gather(seen, look, status, end)
    if ended.succeeded or ended.failed or status.uncounted is None:
        status = status.changed(uncounted=UncountedPods(tuple(ended.succeeded), tuple(ended.failed)))
    if seen.job.spec.is_indexed:
        done = with_indexes(look.done, ended.indexes)
        status = status.changed(
            succeeded=count_indexes(done),
            completed_indexes=format_indexes(done),
            failed_indexes=None if look.lost is None else format_indexes(look.lost),
        )
    told, terminal = _tell_end(seen, status, end, now_ms)
    final = _count_released(told, seen.pods.tracked, {pod.meta.uid for pod in ended.pods})
    waits = seen.gates.delays_end and terminating > 0
    if terminal is None or ended.is_full or final.uncounted != NONE_UNCOUNTED or waits:
        return Account(told, ended.pods, final, None)
    return Account(told, ended.pods, _finish(final, terminal), terminal)


def _goes_on_as_it_is(seen: Seen, status: JobStatus) -> bool:
    """Whether there is nothing to be counted: nothing has ended, and the Job is not to."""
    job = seen.job
    is_over = bool(seen.pods.ended) or job.meta.deletion_ms is not None
    return not (is_over or job.spec.is_indexed or status.uncounted is None)


def _gather(seen: Seen, look: Look, status: JobStatus, end: Condition | None) -> _Ended:
    from ....rules.jobs.indexes import has_index
    from .look import is_placed

    job, only_failed = seen.job, seen.gates.replaces_only_failed(seen.job.spec)
    before = status.uncounted or NONE_UNCOUNTED
    ended, lost, done = _Ended([*before.succeeded], [*before.failed]), {*before.failed}, {*before.succeeded}
    for pod in _list_candidates(seen, end):
        is_bad, uid = is_failed(pod, only_failed), pod.meta.uid
        if not _may_go(seen, look, end, pod, is_bad):
            continue
        ended.pods.append(pod)
        if pod.status.phase == SUCCEEDED and uid not in lost:
            if not job.spec.is_indexed:
                ended.succeeded += () if uid in done else (uid,)
            elif is_placed(job, pod) and not has_index(look.known, read_index(pod)):
                ended.indexes.append(read_index(pod))
        elif (is_bad or _fails(seen, end)) and uid not in lost and _counts(seen, pod):
            ended.failed.append(uid)
        if len(ended.indexes) + len(ended.succeeded) + len(ended.failed) >= MAX_UNCOUNTED:
            ended.is_full = True
            break
    return ended


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


def _fails(seen: Seen, end: Condition | None) -> bool:
    """Whether the Job fails: then what has not ended yet counts as failed."""
    return end is not None and not (end.type == SUCCESS_CRITERIA_MET and seen.gates.tells_success)


def _counts(seen: Seen, pod: Pod) -> bool:
    from ....rules.jobs.failure_policy import judge
    from .look import is_placed

    verdict = judge(seen.job.spec.failure_rules, pod, seen.gates.limit_per_index)
    return is_placed(seen.job, pod) and verdict.counts


def _count_released(status: JobStatus, tracked: Collection[str], released: Collection[str] = ()) -> JobStatus:
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


# --- the end ----------------------------------------------------------------------------------------------


def _tell_end(
    seen: Seen, status: JobStatus, end: Condition | None, now_ms: int
) -> tuple[JobStatus, Condition | None]:
    """The status with the interim condition, and the terminal one that is to follow (JOB-PODTERM-01)."""
    from .look import make_condition

    interims = (FAILURE_TARGET, SUCCESS_CRITERIA_MET) if seen.gates.tells_success else (FAILURE_TARGET,)
    if end is None or end.type not in interims:
        return status, end
    if end.type == FAILURE_TARGET or not is_true(status.conditions, end.type):
        status = status.replace(conditions=(*status.conditions, end))
    terminal = FAILED if end.type == FAILURE_TARGET else COMPLETE
    return status, make_condition(terminal, end.reason, end.message, now_ms)


def _finish(status: JobStatus, end: Condition) -> JobStatus:
    completed_ms = end.last_transition_ms if end.type == COMPLETE else status.completion_ms
    return status.replace(conditions=with_condition(status.conditions, end), completion_ms=completed_ms)
