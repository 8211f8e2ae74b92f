"""CronJobs: a schedule, limits, and the Job that is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....objects.time_zones import is_zone, is_zone_name
from ...jobs.schedules import read_schedule
from ..words.field_error import FieldError
from ..words.part import Part, gathers
from .jobs import list_job_warnings, validate_job_spec
from .workloads import Gates

Json = Mapping[str, Any]
# A Job's name is that of its CronJob, a hyphen and ten digits, and no longer than a label.
_LONGEST_NAME = 63 - 11
_POLICIES = ("Allow", "Forbid", "Replace")


@gathers("")
def validate_cron_job(data: Part, gates: Gates) -> None:
    """A new CronJob, in the API server's order (CRON-SPEC-*, CRON-SCHED-*, CRON-TZ-04, CRON-TZ-05)."""
    _validate_spec(data.part("spec"), None, gates)
    # What has a longer name since before this rule can still be changed.
    if len(data.part("metadata")["name"] or "") > _LONGEST_NAME:
        data.part("metadata").refuse("name", f"must be no more than {_LONGEST_NAME} characters")


def validate_cron_job_update(old: Json, new: Json, gates: Gates) -> list[FieldError]:
    """A changed CronJob: what it had before and is refused now may stay as it is (CRON-TZ-06)."""
    spec = Part(new.get("spec"), "spec")
    _validate_spec(spec, old.get("spec") or {}, gates)
    return spec.errors


def _validate_spec(spec: Part, before: Json | None, gates: Gates) -> None:
    from .job_policies import refuse_manual_selector

    _validate_schedule(spec, before)
    spec.counts("startingDeadlineSeconds")
    if before is None or before.get("timeZone") != spec["timeZone"]:
        _validate_zone(spec)
    spec.choice("concurrencyPolicy", _POLICIES, needed=True)
    job = spec.part("jobTemplate").part("spec")
    validate_job_spec(job, gates)
    refuse_manual_selector(job)
    spec.counts("successfulJobsHistoryLimit", "failedJobsHistoryLimit")


def list_cron_job_warnings(data: Json) -> list[str]:
    """What is accepted of a CronJob and warned of: a time zone that it has in its schedule since long ago."""
    spec = data.get("spec") or {}
    job = (spec.get("jobTemplate") or {}).get("spec") or {}
    warnings = list_job_warnings(job, "spec.jobTemplate.spec")
    if "TZ" in (spec.get("schedule") or ""):
        where = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
        # The API server does name the field so.
        field = "spec.spec.schedule"
        warnings.append(
            f"cannot use TZ or CRON_TZ in {field}, use timeZone instead, see {where} for more details"
        )
    return warnings


def check_schedule(text: str) -> str:
    """What is wrong with a schedule, in the words of the parser that Kubernetes uses; "" when nothing is."""
    try:
        read_schedule(text)
    except ValueError as problem:
        return str(problem)
    return ""


def _validate_schedule(spec: Part, before: Json | None) -> None:
    schedule = spec["schedule"]
    if not schedule:
        spec.require("schedule")
        return
    if problem := check_schedule(schedule):
        spec.refuse("schedule", problem)
    if "TZ" not in schedule:
        return
    if "TZ" not in ((before or {}).get("schedule") or ""):
        spec.refuse("schedule", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
    elif spec["timeZone"] is not None:
        spec.refuse("schedule", "cannot use both timeZone field and TZ or CRON_TZ in schedule")


def _validate_zone(spec: Part) -> None:
    zone = spec["timeZone"]
    if zone is None:
        return
    if not zone:
        spec.refuse("timeZone", "timeZone must be nil or non-empty string")
    elif zone.lower() == "local" and is_zone_name(zone):
        where = "as defined in https://www.iana.org/time-zones"
        spec.refuse("timeZone", f"timeZone must be an explicit time zone {where}")
        if zone != "Local":
            spec.refuse("timeZone", f"unknown time zone {zone}")
    elif ".." in zone and is_zone_name(zone):
        # Such a name could lead out of where the zones are.
        spec.refuse("timeZone", "time: invalid location name")
    elif not is_zone(zone):
        spec.refuse("timeZone", f"unknown time zone {zone}")
