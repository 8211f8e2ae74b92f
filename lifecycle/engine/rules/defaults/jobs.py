"""Defaults of Jobs and CronJobs, and the labels and selector that set the pods of one Job apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.workloads.job import CONTROLLER_UID, JOB_NAME
from .pods import Json, fill, fill_pointers
from .workloads import Gates, default_template

LEGACY_JOB_NAME, LEGACY_CONTROLLER_UID = "job-name", "controller-uid"
"""The labels' names of before they had a prefix: set beside the others for those who look for them."""


def default_job(spec: Mapping[str, Any], gates: Gates) -> Json:
    """One pod at a time, tried again 6 times (JOB-SPEC-10)."""
    found = _with_template(spec, gates)
    # Neither given: one pod. Only parallelism given: a work queue, whose completions stay open.
    if found.get("completions") is None and found.get("parallelism") is None:
        found["completions"] = 1
    fill_pointers(
        found,
        parallelism=1,
        completionMode="NonIndexed",
        suspend=False,
        manualSelector=False,
    )
    if found.get("podReplacementPolicy") is None:
        has_rules = found.get("podFailurePolicy") is not None
        found["podReplacementPolicy"] = "Failed" if has_rules else "TerminatingOrFailed"
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


def identify_job(data: Mapping[str, Any], uid: str) -> Json:
    """A new Job with its uid, and its pods' labels and selector made of that (JOB-SEL-01, JOB-LABEL-01).

    Labels and a selector that are there already stay: where they are others, the Job is refused.
    """
    metadata, spec = {**data["metadata"], "uid": uid}, data.get("spec")
    if spec is None or spec.get("manualSelector"):
        return {**data, "metadata": metadata}
    labels = name_labels(metadata.get("name") or "", uid)
    return {**data, "metadata": metadata, "spec": _with_selector(spec, labels)}


def name_labels(name: str, uid: str) -> dict[str, str]:
    """The labels by which the pods of a Job are known, those without a prefix first."""
    return {LEGACY_CONTROLLER_UID: uid, LEGACY_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}


def _with_selector(spec: Mapping[str, Any], labels: Mapping[str, str]) -> Json:
    template, selector = spec.get("template") or {}, spec.get("selector") or {}
    metadata = template.get("metadata") or {}
    own = {CONTROLLER_UID: labels[CONTROLLER_UID]}
    return {
        **spec,
        "selector": {**selector, "matchLabels": {**own, **(selector.get("matchLabels") or {})}},
        "template": {
            **template,
            "metadata": {**metadata, "labels": {**labels, **(metadata.get("labels") or {})}},
        },
    }
