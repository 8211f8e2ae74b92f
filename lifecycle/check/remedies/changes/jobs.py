"""How often work is tried, how long it may take, and when it is begun."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.check.remedies.candidates import Candidate, Case, Json
from lifecycle.engine.objects.workloads.cron_job import CRON_JOB_KIND
from lifecycle.engine.objects.workloads.job import JOB_KIND

TRIES, AGAIN, DISRUPTED, CONCURRENCY, DEADLINE, START = (
    "tries", "restart policy", "failure policy", "concurrency", "job deadline", "start",
)  # fmt: skip
_TRIES, _DEADLINE_SECONDS = 6, 600
"""A Job is tried again as often where nothing is said."""


def try_again(case: Case) -> Iterator[Candidate]:
    """A pod that is lost does not end the work."""
    job = _find_job(case)
    if job is None:
        return
    limit = job.get("backoffLimit")
    if limit is not None and limit < _TRIES:
        yield _change(case, f"backoffLimit {_TRIES}", TRIES, {"backoffLimit": _TRIES})
    if case.pod.get("restartPolicy") == "Never":
        if not job.get("podFailurePolicy"):
            pattern = [{"type": "DisruptionTarget", "status": "True"}]
            rules = {"rules": [{"action": "Ignore", "onPodConditions": pattern}]}
            text = "podFailurePolicy that ignores disruptions"
            yield _change(case, text, DISRUPTED, {"podFailurePolicy": rules})
        yield case.change_pod("restartPolicy OnFailure", AGAIN, {"restartPolicy": "OnFailure"})


def end_in_time(case: Case) -> Iterator[Candidate]:
    """A run that comes to no end is ended, so that others can begin."""
    job = _find_job(case)
    if job is None:
        return
    known = job.get("activeDeadlineSeconds")
    if case.kind == CRON_JOB_KIND.id and known is None:
        text = f"activeDeadlineSeconds {_DEADLINE_SECONDS // 2}"
        yield _change(case, text, DEADLINE, {"activeDeadlineSeconds": _DEADLINE_SECONDS // 2})
    if known is not None:
        yield _change(
            case, f"activeDeadlineSeconds {4 * known}", DEADLINE, {"activeDeadlineSeconds": 4 * known}
        )


def begin_again(case: Case) -> Iterator[Candidate]:
    """A run that hangs is replaced; one whose time has passed is still begun."""
    if case.kind != CRON_JOB_KIND.id:
        return
    if case.spec.get("concurrencyPolicy") == "Forbid":
        yield case.change("concurrencyPolicy Replace", CONCURRENCY, {"concurrencyPolicy": "Replace"})
    known = case.spec.get("startingDeadlineSeconds")
    for seconds in (_DEADLINE_SECONDS, 3_600):
        if known is None or known < seconds:
            change = {"startingDeadlineSeconds": seconds}
            yield case.change(f"startingDeadlineSeconds {seconds}", START, change)
            return


def _find_job(case: Case) -> Json | None:
    """The spec of the Jobs."""
    if case.kind == JOB_KIND.id:
        return case.spec
    if case.kind == CRON_JOB_KIND.id:
        found: Json = (case.spec.get("jobTemplate") or {}).get("spec") or {}
        return found
    return None


def _change(case: Case, text: str, family: str, spec: Json) -> Candidate:
    is_made_by = case.kind == CRON_JOB_KIND.id
    return case.change(text, family, {"jobTemplate": {"spec": spec}} if is_made_by else spec)
