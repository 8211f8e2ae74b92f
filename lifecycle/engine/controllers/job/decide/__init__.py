"""What a Job does next, from what was seen of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lifecycle.lean_dataclasses import dataclass

from ....objects.condition import Condition, find_condition, with_condition
from ....objects.pods.pod import Pod
from ....objects.workloads.job import COMPLETE, NONE_UNCOUNTED, SUSPENDED, TRACKING_FINALIZER, JobStatus
from ....objects.workloads.job import Job as Job
from ....rules.actions import Action, DeletePod, RecordEvent, RemoveFinalizer, Update
from ....rules.event_sources import JOB as SOURCE
from ....rules.jobs.pods import is_tracked
from .accounting import take_account
from .seen import JobDecision, Look, Seen, SeenPods

if TYPE_CHECKING:
    from .pods import Plan


@dataclass(slots=True)
class _Step:
    """A look that has its pods. `active`, `ready` and `terminating`: as they are once it has deleted some."""

    seen: Seen
    look: Look
    plan: Plan
    active: int
    ready: int
    terminating: int
    end: Condition | None


def decide(seen: Seen, now_ms: int) -> JobDecision:
    """Make pods, or delete some; then have the status say so, and count what has ended."""
    from .look import look_at
    from .pods import plan_pods

    job = seen.job
    if seen.gates.is_managed_elsewhere(job.spec):
        return JobDecision()
    if job.is_finished:
        return JobDecision(_release(seen.pods.list_tracked() if seen.pods.tracked else ()))
    # What has ended, and what follows from that, stays as it was while pods are made: a failed pod that
    # was waiting for the next of its index is let go by the look that follows (JOB-BLPI-12).
    look = look_at(seen, now_ms) if seen.look is None else seen.look
    plan = plan_pods(seen, look, now_ms)
    if plan.creations:
        return JobDecision(plan.creations, goes_on=True, look=look)
    return _settle(_see_counts(seen, look, plan, now_ms), now_ms)


def _release(pods: Sequence[Pod]) -> list[Action]:
    return [RemoveFinalizer(pod, TRACKING_FINALIZER) for pod in pods]


def _see_counts(seen: Seen, look: Look, plan: Plan, now_ms: int) -> _Step:
    from .look import make_success

    pods, deleted = seen.pods, plan.deletions
    # While it waits to try again, Kubernetes tells of no active pod, whatever else runs.
    active = 0 if plan.wait_ms is not None else pods.active - len(deleted)
    ready = pods.ready - sum(pod.is_ready for pod in deleted) if deleted else pods.ready
    end = look.end
    if end is None and active == 0 and _is_reached(seen, look):
        end = make_success(seen.gates, now_ms)
    elif end is not None and not seen.is_settled:
        end = None
    return _Step(seen, look, plan, active, ready, pods.terminating + len(deleted), end)


def _is_reached(seen: Seen, look: Look) -> bool:
    """Whether enough pods have succeeded: of a work queue one (JOB-PAR-08)."""
    completions = seen.job.spec.completions
    return look.succeeded > 0 if completions is None else look.succeeded >= completions


def _settle(step: _Step, now_ms: int) -> JobDecision:
    """Deletions, the status with what ended, its pods let go, the status with the counts."""
    seen, look, job = step.seen, step.look, step.seen.job
    told, events = _tell_suspension(step, _tell_counts(step), now_ms)
    if step.ready > step.active:
        # The API server takes no more ready pods than active ones: nothing is counted while others are ready.
        return JobDecision(events, recheck_at_ms=_find_recheck(step, now_ms), is_failure=True)
    account = take_account(seen, look, told, step.end, step.terminating, now_ms)
    actions: list[Action] = [*_delete(step), *events]
    is_changed = account.told is not job.status and account.told != job.status
    if is_changed:
        actions.append(Update(job.with_status(account.told)))
    if account.released:
        actions += _release(account.released)
    if account.final is not account.told and account.final != account.told:
        actions.append(Update(job.with_status(account.final)))
    if account.end is not None:
        actions += _tell_finish(job, account.final, account.end)
    refusals = seen.tried.refusals
    return JobDecision(
        actions,
        recheck_at_ms=_find_recheck(step, now_ms),
        is_failure=bool(refusals) and not any(one.is_ending for one in refusals),
        # As Kubernetes hears of its own writes, and looks again.
        is_unfinished=bool(actions) or seen.tried.calls > 0,
        failures=look.failures if is_changed else None,
    )


def _delete(step: _Step) -> list[Action]:
    """Pods that are deleted because they are too many count as nothing: their finalizer goes along."""
    job, deletions = step.seen.job, step.plan.deletions
    actions: list[Action] = []
    for pod in deletions:
        if step.plan.is_managed and is_tracked(pod):
            actions.append(RemoveFinalizer(pod, TRACKING_FINALIZER))
        actions.append(DeletePod(pod, job, SOURCE))
    return actions


def _tell_counts(step: _Step) -> JobStatus:
    status, gates = step.seen.job.status, step.seen.gates
    return status.changed(
        active=step.active,
        ready=step.ready,
        terminating=step.terminating if gates.replacement_policy else None,
        start_ms=step.look.start_ms,
        uncounted=status.uncounted or NONE_UNCOUNTED,
    )


def _tell_suspension(step: _Step, status: JobStatus, now_ms: int) -> tuple[JobStatus, list[Action]]:
    """Say that it is suspended, or is so no longer; one that never was says nothing (JOB-SUSP-07 to -11)."""
    from .look import make_condition

    job = step.seen.job
    if step.end is not None or not step.plan.is_managed:
        return status, []
    known, is_on = None, job.spec.suspend
    if status.conditions:
        known = find_condition(status.conditions, SUSPENDED)
    if known is None and not is_on:
        return status, []
    reason, event = ("JobSuspended", "Suspended") if is_on else ("JobResumed", "Resumed")
    message = f"Job {event.lower()}"
    # Kubernetes tells it again where others have written another reason, or another message.
    if known is not None and (known.status, known.reason, known.message) == (str(is_on), reason, message):
        return status, []
    condition = make_condition(SUSPENDED, reason, message, now_ms, str(is_on))
    told = status.replace(
        conditions=with_condition(status.conditions, condition),
        start_ms=status.start_ms if is_on else now_ms,
    )
    return told, [RecordEvent(job, "Normal", event, message, SOURCE)]


def _tell_finish(job: Job, status: JobStatus, end: Condition) -> list[Action]:
    if end.type != COMPLETE:
        return [RecordEvent(job, "Warning", end.reason, end.message, SOURCE)]
    told: list[Action] = []
    if job.spec.completions is not None and status.succeeded > job.spec.completions:
        message = "Too many succeeded pods running after completion count reached"
        told.append(RecordEvent(job, "Warning", "TooManySucceededPods", message, SOURCE))
    return [*told, RecordEvent(job, "Normal", "Completed", "Job completed", SOURCE)]


def _find_recheck(step: _Step, now_ms: int) -> int | None:
    """When a wait is over, or its deadline has come."""
    from .look import find_deadline_ms

    dues = [] if step.plan.wait_ms is None else [now_ms + step.plan.wait_ms]
    deadline_ms = find_deadline_ms(step.seen.job, step.look, step.seen.epoch_ms) if step.end is None else None
    if deadline_ms is not None:
        dues.append(deadline_ms)
    return min(dues, default=None)


__all__ = ["JobDecision", "Look", "Seen", "SeenPods", "decide"]
