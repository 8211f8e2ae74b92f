"""Where a Job stands: what has newly ended, and whether that is its end.

Causes of the end are looked for in Kubernetes' order: one found before, a rule that fails the Job, its limit,
its deadline, its failed indexes, its success policy (JOB-TERM-15). That enough pods have succeeded is seen
later, when it is known which pods stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....objects.condition import Condition, find_condition
from ....objects.pods.pod import SUCCEEDED, Pod
from ....objects.times import floor_to_second
from ....objects.workloads.job import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    NONE_UNCOUNTED,
    SUCCESS_CRITERIA_MET,
    Job,
)
from ....rules.jobs.backoff import with_ends
from ....rules.jobs.failure_policy import judge
from ....rules.jobs.gates import JobGates
from ....rules.jobs.indexes import (
    count_indexes,
    has_index,
    parse_indexes,
    with_indexes,
)
from ....rules.jobs.pods import (
    find_finish_ms,
    is_failed,
    read_failure_count,
    read_ignored_count,
    read_index,
)
from ....rules.jobs.success_policy import find_success
from .seen import Look, Seen


def look_at(seen: Seen, now_ms: int) -> Look:
    """Count what has ended since the last look, and see whether the Job is to end."""
    look, placed, failed = _count_ended(seen, now_ms)
    look.end = _find_standing(seen.job, seen.gates, now_ms) or _find_failure(seen, look, now_ms)
    if seen.job.spec.is_indexed:
        _see_indexes(seen, look, placed, failed, now_ms)
    return look


def _count_ended(seen: Seen, now_ms: int) -> tuple[Look, Sequence[Pod], Sequence[Pod]]:
    """What is in no count yet, the ended pods that can count, and those of them that have failed."""
    job, status = seen.job, seen.job.status
    start_ms, known = _find_start(job, now_ms), status.uncounted
    if not seen.pods.ended and (known is None or known == NONE_UNCOUNTED):
        return Look(start_ms, status.succeeded, status.failed, seen.failures), (), ()
    done_before = set(known.succeeded) if known else set()
    lost_before = set(known.failed) if known else set()
    only_failed = seen.gates.replaces_only_failed(job.spec)
    placed = [pod for pod in seen.pods.ended if is_placed(job, pod)]
    succeeded = [pod for pod in placed if pod.status.phase == SUCCEEDED and pod.meta.uid not in done_before]
    failed = [pod for pod in placed if is_failed(pod, only_failed)]
    new_failed = [pod for pod in failed if pod.meta.uid not in lost_before]
    counted = sum(judge(job.spec.failure_rules, pod, seen.gates.limit_per_index).counts for pod in new_failed)
    look = Look(
        start_ms,
        status.succeeded + len(succeeded) + len(done_before),
        status.failed + counted + len(lost_before),
        with_ends(
            seen.failures,
            *([find_finish_ms(one, seen.epoch_ms) for one in ended] for ended in (succeeded, new_failed)),
        ),
    )
    return look, placed, failed


def is_placed(job: Job, pod: Pod) -> bool:
    """Whether a pod's end can count: of an Indexed Job it has an index that is to be done."""
    return not job.spec.is_indexed or 0 <= read_index(pod) < (job.spec.completions or 0)


def _find_start(job: Job, now_ms: int) -> int | None:
    """Since when it runs: its first look. One that resumes has its old start until that is told (syncJob)."""
    known_ms = job.status.start_ms
    return known_ms if job.spec.suspend or known_ms is not None else now_ms


def make_condition(type_: str, reason: str, message: str, now_ms: int, status: str = "True") -> Condition:
    """A condition of a Job that is new, or has changed."""
    return Condition(type_, status, reason, message, now_ms, last_probe_ms=now_ms)


def _find_standing(job: Job, gates: JobGates, now_ms: int) -> Condition | None:
    """What an earlier look has found."""
    if not job.status.conditions:
        return None
    met = find_condition(job.status.conditions, SUCCESS_CRITERIA_MET)
    if met is not None and met.status == "True" and gates.tells_success:
        return met
    target = find_condition(job.status.conditions, FAILURE_TARGET)
    if target is not None and target.status == "True":
        return make_condition(FAILED, target.reason, target.message, now_ms)
    return None


def _find_failure(seen: Seen, look: Look, now_ms: int) -> Condition | None:
    """A rule of its policy, its limit, its deadline."""
    spec = seen.job.spec
    message = _find_failing_rule(seen) if spec.failure_rules else None
    if message is not None:
        return make_condition(FAILURE_TARGET, "PodFailurePolicy", message, now_ms)
    if look.failed > spec.backoff_limit or _exceeds_restarts(seen):
        message = "Job has reached the specified backoff limit"
        return make_failure(seen.gates, "BackoffLimitExceeded", message, now_ms)
    deadline_ms = find_deadline_ms(seen.job, look, seen.epoch_ms)
    if deadline_ms is not None and deadline_ms <= now_ms:
        message = "Job was active longer than specified deadline"
        return make_failure(seen.gates, "DeadlineExceeded", message, now_ms)
    return None


def _find_failing_rule(seen: Seen) -> str | None:
    """What a rule that fails the Job says of one of its failed pods, counted or not."""
    only_failed = seen.gates.replaces_only_failed(seen.job.spec)
    for pod in (*seen.pods.ended, *seen.pods.failing):
        verdict = judge(seen.job.spec.failure_rules, pod, seen.gates.limit_per_index)
        if verdict.message is not None and is_failed(pod, only_failed):
            return verdict.message
    return None


def _exceeds_restarts(seen: Seen) -> bool:
    """Whether containers were restarted in place as often as allowed, or once where that is 0."""
    spec = seen.job.spec
    if spec.template.spec.restart_policy != "OnFailure":
        return False
    return seen.pods.restarts >= max(spec.backoff_limit, 1)


def find_deadline_ms(job: Job, look: Look, epoch_ms: int) -> int | None:
    """When it will have been active for too long; its start is known to the second (JOB-DEADLINE-01, -05).

    The look that resumes it counts from the start before it was suspended still: a Job that was so until its
    deadline fails with it (job_controller.go, pastActiveDeadline).
    """
    seconds = job.spec.active_deadline_seconds
    if seconds is None or look.start_ms is None or job.spec.suspend:
        return None
    return floor_to_second(look.start_ms, epoch_ms) + seconds * 1000


def make_failure(gates: JobGates, reason: str, message: str, now_ms: int) -> Condition:
    """The condition with which a Job begins to fail."""
    return make_condition(FAILURE_TARGET if gates.delays_end else FAILED, reason, message, now_ms)


def make_success(gates: JobGates, now_ms: int) -> Condition:
    """The condition with which a Job whose completions are reached begins to be complete (JOB-TERM-07)."""
    type_ = SUCCESS_CRITERIA_MET if gates.delays_end else COMPLETE
    if not gates.success_policy:
        return make_condition(type_, "", "", now_ms)
    return make_condition(type_, "CompletionsReached", "Reached expected number of succeeded pods", now_ms)


# --- indexes ----------------------------------------------------------------------------------------------


def _see_indexes(seen: Seen, look: Look, placed: Sequence[Pod], failed: Sequence[Pod], now_ms: int) -> None:
    job, spec, gates = seen.job, seen.job.spec, seen.gates
    completions = spec.completions or 0
    look.known = parse_indexes(job.status.completed_indexes, completions)
    look.done = with_indexes(look.known, (read_index(pod) for pod in placed if pod.status.phase == SUCCEEDED))
    look.succeeded = count_indexes(look.done)
    if gates.limits_index(spec):
        before = parse_indexes(job.status.failed_indexes or "", completions)
        look.lost = with_indexes(before, (read_index(pod) for pod in failed if _is_lost(seen, pod)))
        look.end = look.end or _find_lost(seen, look, now_ms)
        look.awaiting = _find_awaiting(seen, look, failed)
    if look.end is None and gates.success_policy:
        message = find_success(spec.success_rules, completions, look.done)
        if message is not None:
            look.end = make_condition(SUCCESS_CRITERIA_MET, "SuccessPolicy", message, now_ms)


def _is_lost(seen: Seen, pod: Pod) -> bool:
    """Whether a failed pod's index is tried no more (JOB-BLPI-03, JOB-PFP-12)."""
    verdict = judge(seen.job.spec.failure_rules, pod)
    limit = seen.job.spec.backoff_limit_per_index or 0
    is_spent = read_failure_count(pod.meta.annotations) >= limit
    return verdict.action == "FailIndex" or (verdict.counts and is_spent)


def _find_lost(seen: Seen, look: Look, now_ms: int) -> Condition | None:
    """Too many failed indexes, or all indexes ended and one of them failed (JOB-BLPI-06, -07)."""
    spec, lost = seen.job.spec, count_indexes(look.lost or ())
    if spec.max_failed_indexes is not None and lost > spec.max_failed_indexes:
        message = "Job has exceeded the specified maximal number of failed indexes"
        return make_failure(seen.gates, "MaxFailedIndexesExceeded", message, now_ms)
    if lost and lost + look.succeeded >= (spec.completions or 0):
        return make_failure(seen.gates, "FailedIndexes", "Job has failed indexes", now_ms)
    return None


def _find_awaiting(seen: Seen, look: Look, failed: Sequence[Pod]) -> dict[int, Pod]:
    """Failed pods that stay until another of their index is there: it goes on counting from theirs."""
    found: dict[int, Pod] = {}
    for pod in failed:
        index = read_index(pod)
        is_settled = has_index(look.done, index) or has_index(look.lost or (), index)
        if is_settled or index in seen.pods.by_index:
            continue
        last = found.get(index)
        if last is None or _comes_after(pod, last, seen.epoch_ms):
            found[index] = pod
    return found


def _comes_after(pod: Pod, last: Pod, epoch_ms: int) -> bool:
    tries, tries_before = (
        read_failure_count(one.meta.annotations) + read_ignored_count(one.meta.annotations)
        for one in (pod, last)
    )
    return tries >= tries_before and find_finish_ms(pod, epoch_ms) >= find_finish_ms(last, epoch_ms)
