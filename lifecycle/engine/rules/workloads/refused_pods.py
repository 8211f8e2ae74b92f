"""What keeps a workload from making its pods: a quota, a missing account, a security standard. Pure.

Of a CronJob: what keeps it from making its Jobs. ReplicaSets, ReplicationControllers and Deployments say so
in their condition ReplicaFailure; the other workloads have nothing but their controllers' events, the last
of which counts while they are short of pods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifecycle.late_patterns import late_pattern

from ...objects.condition import Condition, find_condition
from ...objects.names import FAILED_CREATE, REPLICA_FAILURE
from ...objects.workloads.cron_job import CRON_JOB_KIND
from ...objects.workloads.daemon_set import DAEMON_SET_KIND
from ...objects.workloads.job import JOB_KIND, Job
from ...objects.workloads.stateful_set import STATEFUL_SET_KIND
from ..telling.noticed import Failing
from ..telling.verdicts import quote, tell_instant

Json = Mapping[str, Any]
# What controllers, and clients that combine many alike, put in front of what the API server said.
_HEAD = late_pattern(
    r"(\(combined from similar events\): )?(Error creating(?: job)?: |Create .{1,600}? failed error: )?"
    r'((?:pods|jobs\.batch) "[^"]*" is forbidden: )?'
)
_HAS = ("replicas", "currentNumberScheduled", "active")


def find_refusal(workload: Json, epoch_ms: int) -> Failing | None:
    """What its status says of pods that could not be made, and since when; None when it says nothing."""
    told = (workload.get("status") or {}).get("conditions") or ()
    conditions = [Condition.from_json(one, epoch_ms) for one in told]
    failure = find_condition(conditions, REPLICA_FAILURE)
    if failure is None or failure.status != "True" or failure.reason != FAILED_CREATE:
        return None
    return Failing(failure.last_transition_ms or 0, failure.message)


def is_short(kind: str, workload: Json) -> bool:
    """Whether a workload whose status says nothing of refused pods wants more pods than it has.

    A CronJob always wants another run.
    """
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    if kind == STATEFUL_SET_KIND.id:
        return bool(status.get("replicas", 0) < spec.get("replicas", 1))
    if kind == DAEMON_SET_KIND.id:
        return bool(status.get("currentNumberScheduled", 0) < status.get("desiredNumberScheduled", 0))
    if kind == CRON_JOB_KIND.id:
        return not spec.get("suspend")
    if kind != JOB_KIND.id or spec.get("suspend") or Job.from_json(workload).is_finished:
        return False
    active, done = status.get("active", 0), status.get("succeeded", 0)
    is_enough = spec.get("completions") is not None and active + done >= spec["completions"]
    return bool(active < spec.get("parallelism", 1)) and not is_enough


def tell_refusal(refusal: Failing, workload: Json) -> str:
    """`no pod can be made since 00:00:05 (exceeded quota: small, requested: pods=1, …)`; or no more pods."""
    status, spec = workload.get("status") or {}, workload.get("spec") or {}
    which = "no more pods" if any(status.get(name) for name in _HAS) else "no pod"
    if "jobTemplate" in spec:
        which = "no run"
    why = _HEAD.sub("", refusal.message, count=1)
    return f"{which} can be made since {tell_instant(refusal.since_ms)}{quote(why)}"
