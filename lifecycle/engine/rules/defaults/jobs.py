"""Defaults of Jobs and CronJobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pods import Json, fill
from .workloads import Gates, default_template


def default_job(spec: Mapping[str, Any], gates: Gates) -> Json:
    """One pod at a time, tried again 6 times (JOB-SPEC-10)."""
    found = _with_template(spec, gates)
    # Neither given: one pod. Only parallelism given: a work queue, whose completions stay open.
    if found.get("completions") is None and found.get("parallelism") is None:
        found["completions"] = 1
    fill(
        found,
        parallelism=1,
        completionMode="NonIndexed",
        suspend=False,
        manualSelector=False,
        podReplacementPolicy="TerminatingOrFailed" if found.get("podFailurePolicy") is None else "Failed",
    )
    # With a limit per index the total is as good as unlimited.
    fill(found, backoffLimit=6 if found.get("backoffLimitPerIndex") is None else 2**31 - 1)
    return found


def default_cron_job(spec: Mapping[str, Any], gates: Gates) -> Json:
    """Jobs may overlap; 3 that succeeded and 1 that failed are kept (CRON-SPEC-03)."""
    found = dict(spec)
    found["concurrencyPolicy"] = found.get("concurrencyPolicy") or "Allow"
    fill(found, suspend=False, successfulJobsHistoryLimit=3, failedJobsHistoryLimit=1)
    template = found.get("jobTemplate") or {}
    # Only the pod template: the Job's own defaults come when the Job is made.
    job = _with_template(template.get("spec") or {}, gates)
    found["jobTemplate"] = {**template, "metadata": dict(template.get("metadata") or {}), "spec": job}
    return found


def _with_template(spec: Mapping[str, Any], gates: Gates) -> Json:
    found = _with_patterns(spec)
    found["template"] = default_template(found.get("template") or {}, gates)
    return found


def _with_patterns(spec: Mapping[str, Any]) -> Json:
    """A Job's spec whose failure rules say that a condition is to be True where they leave that out."""
    policy = spec.get("podFailurePolicy")
    if policy is None:
        return dict(spec)
    rules = [
        {**rule, "onPodConditions": [_with_status(pattern) for pattern in rule["onPodConditions"]]}
        if rule.get("onPodConditions")
        else rule
        for rule in policy.get("rules") or ()
    ]
    return {**spec, "podFailurePolicy": {**policy, "rules": rules}}


def _with_status(pattern: Mapping[str, Any]) -> Json:
    return {**pattern, "status": pattern.get("status") or "True"}
