"""CronJobs: a schedule, limits, and the Job that is made."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from .part import Part, gathers
from .schedules import check_schedule, is_zone_name
from .workloads import Gates, validate_job_spec

# A Job's name is that of its CronJob, a hyphen and ten digits, and no longer than a label.
_LONGEST_NAME = 63 - 11


@gathers("spec")
def validate_cron_job(spec: Part, gates: Gates) -> None:
    """Everything a CronJob says, in the API server's order."""
    _validate_schedule(spec)
    spec.counts("startingDeadlineSeconds")
    _validate_zone(spec)
    spec.choice("concurrencyPolicy", ("Allow", "Forbid", "Replace"))
    validate_job_spec(spec.part("jobTemplate").part("spec"), gates)
    spec.counts("successfulJobsHistoryLimit", "failedJobsHistoryLimit")


@gathers("")
def validate_new_cron_job(data: Part) -> None:
    """A name that leaves room for those of its Jobs."""
    metadata = data.part("metadata")
    if len(metadata["name"] or "") > _LONGEST_NAME:
        metadata.refuse("name", f"must be no more than {_LONGEST_NAME} characters")


def _validate_schedule(spec: Part) -> None:
    schedule = spec["schedule"]
    if not schedule:
        spec.require("schedule")
        return
    if problem := check_schedule(schedule):
        spec.refuse("schedule", problem)
    if "TZ" in schedule:
        spec.refuse("schedule", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


def _validate_zone(spec: Part) -> None:
    zone = spec["timeZone"]
    if zone is None:
        return
    if not zone:
        spec.refuse("timeZone", "timeZone must be nil or non-empty string")
    elif zone.lower() == "local":
        where = "as defined in https://www.iana.org/time-zones"
        spec.refuse("timeZone", f"timeZone must be an explicit time zone {where}")
    elif not is_zone_name(zone) or zone not in _list_zones():
        spec.refuse("timeZone", f"unknown time zone {zone}")


@cache
def _list_zones() -> frozenset[str]:
    """All time zones: part of the program, the same on every machine."""
    return frozenset(files("tzdata").joinpath("zones").read_text().split())
