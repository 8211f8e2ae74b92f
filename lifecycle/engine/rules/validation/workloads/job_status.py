"""What a Job's status may not come to say, whoever keeps it: Kubernetes' own controller or another one.

A rule is asked only where what it is about has changed, so that a status that broke it before can be mended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.workloads.job import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    INDEXED,
    SUCCESS_CRITERIA_MET,
    SUSPENDED,
)
from ..words.field_error import OMITTED, FieldError
from ..words.go_structs import show_struct
from ..words.part import Part
from .workloads import Gates

Json = Mapping[str, Any]
_COUNTS = ("active", "succeeded", "failed", "ready", "terminating")
_TERMINAL = (FAILED, COMPLETE, FAILURE_TARGET)


class _Change:
    """Two versions of a Job: what its status said, what it is to say, and which of that is new."""

    def __init__(self, old: Json, new: Json) -> None:
        self.before: Json = old.get("status") or {}
        self.status = Part(new.get("status"), "status")
        self.spec: Json = new.get("spec") or {}
        self.was, self.holds = _list_true(self.before), _list_true(self.status.data)
        self.is_finished = bool({COMPLETE, FAILED} & self.holds)
        self.ends_or_begins = self.is_finished != bool({COMPLETE, FAILED} & self.was)

    def is_new(self, *fields: str) -> bool:
        """Whether one of these fields of the status has changed."""
        return any(self.before.get(field) != self.status[field] for field in fields)

    def turns(self, *conditions: str) -> bool:
        """Whether one of these conditions has become True, or is so no more."""
        return any((one in self.was) != (one in self.holds) for one in conditions)

    def refuse_conditions(self, detail: str) -> None:
        """Conditions that do not go together."""
        self.status.refuse("conditions", detail, OMITTED)


def _list_true(status: Json) -> set[str]:
    conditions = status.get("conditions") or ()
    return {one.get("type") or "" for one in conditions if one.get("status") == "True"}


def validate_job_status(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """Everything wrong with a status, in the API server's order (JOB-TERM-01, JOB-MANAGED-01)."""
    change = _Change(old, new)
    change.status.counts(*_COUNTS)
    _validate_uncounted(change.status.part("uncountedTerminatedPods"))
    _validate_completion(change)
    _validate_end(change)
    _validate_indexes(change)
    _validate_pods(change)
    _validate_success(change)
    _validate_transition(change)
    return change.status.errors


def _validate_uncounted(pods: Part) -> None:
    seen: set[str] = set()
    for field in ("succeeded", "failed"):
        for index, uid in enumerate(pods[field] or ()):
            if uid:
                pods.once(f"{field}[{index}]", uid, seen)
            else:
                pods.refuse(f"{field}[{index}]", "must not be empty", uid)


def _validate_completion(change: _Change) -> None:
    status, is_complete = change.status, COMPLETE in change.holds
    if change.turns(COMPLETE, FAILED) and is_complete and FAILED in change.holds:
        change.refuse_conditions("cannot set Complete=True and Failed=true conditions")
    if change.turns(COMPLETE, FAILURE_TARGET) and is_complete and FAILURE_TARGET in change.holds:
        change.refuse_conditions("cannot set Complete=True and FailureTarget=true conditions")
    started, completed = status["startTime"], status["completionTime"]
    if change.turns(COMPLETE) or change.is_new("completionTime"):
        if completed is not None and not is_complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            status.refuse("completionTime", detail)
        if completed is None and is_complete:
            status.require("completionTime", "completionTime is required for Complete jobs")
    if change.is_new("startTime", "completionTime") and started and completed and completed < started:
        status.refuse("completionTime", "must be equal to or after `startTime`")


def _validate_end(change: _Change) -> None:
    """A Job ends after what decided it, and with no pod left that runs or is not counted."""
    status, holds = change.status, change.holds
    fails_anew = change.turns(FAILED) or change.is_new("failedIndexes")
    if fails_anew and FAILED in holds and FAILURE_TARGET not in holds:
        change.refuse_conditions("cannot set Failed=True condition without the FailureTarget=true condition")
    is_new = change.turns(COMPLETE, SUCCESS_CRITERIA_MET)
    if is_new and COMPLETE in holds and SUCCESS_CRITERIA_MET not in holds:
        change.refuse_conditions(
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        )
    if not change.is_finished:
        return
    if (change.ends_or_begins or change.is_new("active")) and status["active"]:
        status.refuse("active", "active>0 is invalid for finished job")
    never_ran = change.spec.get("suspend") is True and change.spec.get("completions") == 0
    if (change.ends_or_begins or change.is_new("startTime")) and not status["startTime"] and not never_ran:
        status.require("startTime", "startTime is required for finished job")
    uncounted = status.part("uncountedTerminatedPods")
    is_new = change.ends_or_begins or change.is_new("uncountedTerminatedPods")
    if is_new and (uncounted["succeeded"] or uncounted["failed"]):
        shown = show_struct("UncountedTerminatedPods", uncounted.data)
        status.refuse("uncountedTerminatedPods", "must be empty for finished job", shown)


def _validate_indexes(change: _Change) -> None:
    from .index_ranges import find_common_index

    status, spec = change.status, change.spec
    completed, failed = status["completedIndexes"] or "", status["failedIndexes"]
    completions, has_limit = spec.get("completions"), spec.get("backoffLimitPerIndex") is not None
    is_completed_new, is_failed_new = change.is_new("completedIndexes"), change.is_new("failedIndexes")
    if is_completed_new and completions is not None:
        _validate_text(status, "completedIndexes", completions)
    if is_failed_new and completions is not None and has_limit and failed is not None:
        _validate_text(status, "failedIndexes", completions)
    if is_completed_new and completed and spec.get("completionMode") != INDEXED:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        status.refuse("completedIndexes", detail)
    if is_failed_new and failed is not None and not has_limit:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        status.refuse("failedIndexes", detail)
    if (is_failed_new or is_completed_new) and completions is not None and failed is not None:
        common = find_common_index(completed, failed, completions)
        if common is not None:
            status.refuse("failedIndexes", f"failedIndexes and completedIndexes overlap at index: {common}")


def _validate_text(status: Part, field: str, completions: int) -> None:
    from .index_ranges import count_indexes

    try:
        count_indexes(status[field] or "", completions)
    except ValueError as problem:
        status.refuse(field, f"error parsing {field}: {problem}", status[field] or "")


def _validate_pods(change: _Change) -> None:
    status = change.status
    is_new = change.ends_or_begins or change.is_new("terminating")
    if is_new and change.is_finished and status["terminating"]:
        status.refuse("terminating", "terminating>0 is invalid for finished job")
    ready = status["ready"]
    if change.is_new("ready", "active") and ready is not None and ready > (status["active"] or 0):
        status.refuse("ready", "cannot set more ready pods than active")


def _validate_success(change: _Change) -> None:
    is_met = SUCCESS_CRITERIA_MET in change.holds
    if is_met and FAILED in change.holds:
        change.refuse_conditions("cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if is_met and FAILURE_TARGET in change.holds:
        change.refuse_conditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if change.spec.get("successPolicy") is not None and not is_met and COMPLETE in change.holds:
        change.refuse_conditions(
            "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        )


def _validate_transition(change: _Change) -> None:
    """What was decided stays, and counts only grow."""
    status, before = change.status, change.before
    for name in _TERMINAL:
        if name in change.was and name not in change.holds:
            change.refuse_conditions(f"cannot disable the terminal {name}=True condition")
    spec = change.spec
    is_elastic = spec.get("completionMode") == INDEXED and spec.get("completions") == spec.get("parallelism")
    for field in ("failed",) if is_elastic else ("failed", "succeeded"):
        if (status[field] or 0) < (before.get(field) or 0):
            status.refuse(field, f"cannot decrease the {field} counter", status[field] or 0)
    if before.get("completionTime") and status["completionTime"] and change.is_new("completionTime"):
        status.refuse("completionTime", "field is immutable")
    is_resumed = SUSPENDED in change.was and any(
        one.get("type") == SUSPENDED and one.get("status") == "False" for one in status["conditions"] or ()
    )
    restarts = before.get("startTime") and change.is_new("startTime")
    if restarts and not is_resumed and not spec.get("suspend"):
        status.require("startTime", "startTime cannot be removed for unsuspended job")
    if SUCCESS_CRITERIA_MET in change.was and SUCCESS_CRITERIA_MET not in change.holds:
        change.refuse_conditions("cannot disable the SuccessCriteriaMet=True condition")
    if COMPLETE in change.was and SUCCESS_CRITERIA_MET in change.holds - change.was:
        change.refuse_conditions(
            "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        )
