"""CronJobs: Jobs that come again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from lifecycle.lean_dataclasses import dataclass

from ..condition import Condition
from ..kinds import Kind
from ..record import Reading
from ..times import format_time, parse_time_or_none
from .job import PREFIX, Job
from .workload import Workload, WorkloadStatus

CRON_JOB_KIND = Kind("batch/v1", "CronJob", "cronjobs", True, "cj")
SCHEDULED_AT = PREFIX + "cronjob-scheduled-timestamp"
"""The annotation of a Job that says for when it was made."""
ALLOW, FORBID, REPLACE = "Allow", "Forbid", "Replace"


class CronJobSpec(Reading):
    """What a CronJob asks for. `raw` is the stored JSON; limits are None for none."""

    __slots__ = (
        "concurrency_policy", "failed_limit", "job_template", "raw", "schedule", "starting_deadline_seconds",
        "successful_limit", "suspend", "time_zone",
    )  # fmt: skip

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.schedule: str = raw.get("schedule") or ""
        self.time_zone: str | None = raw.get("timeZone")
        self.starting_deadline_seconds: int | None = raw.get("startingDeadlineSeconds")
        self.concurrency_policy: str = raw.get("concurrencyPolicy") or ALLOW
        self.suspend: bool = bool(raw.get("suspend"))
        self.successful_limit: int | None = raw.get("successfulJobsHistoryLimit")
        self.failed_limit: int | None = raw.get("failedJobsHistoryLimit")
        self.job_template: Mapping[str, Any] = raw.get("jobTemplate") or {}


@dataclass(slots=True, eq=False)
class CronJobStatus(WorkloadStatus):
    """What is reported of a CronJob. `active`: references, as JSON, to Jobs of its own that go on."""

    active: tuple[dict[str, Any], ...] = ()
    last_schedule_ms: int | None = None
    last_successful_ms: int | None = None
    conditions: tuple[Condition, ...] = ()
    extra: dict[str, Any] | None = None
    INTEGERS: ClassVar = ()
    NUMBERS: ClassVar = ()
    TOLD_AT_ZERO: ClassVar = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> Self:
        """Read `status`."""
        rest = dict(data or {})
        active = tuple(rest.pop("active", None) or ())
        scheduled, succeeded = rest.pop("lastScheduleTime", None), rest.pop("lastSuccessfulTime", None)
        return cls(
            active,
            parse_time_or_none(scheduled, epoch_ms),
            parse_time_or_none(succeeded, epoch_ms),
            extra=rest or None,
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form, without what is empty."""
        data: dict[str, Any] = {"active": list(self.active)} if self.active else {}
        if self.last_schedule_ms is not None:
            data["lastScheduleTime"] = format_time(self.last_schedule_ms, epoch_ms)
        if self.last_successful_ms is not None:
            data["lastSuccessfulTime"] = format_time(self.last_successful_ms, epoch_ms)
        return {**data, **(self.extra or {})}

    def has_active(self, uid: str) -> bool:
        """Whether a Job of that uid is among the active ones."""
        return any(one.get("uid") == uid for one in self.active)

    def without(self, uid: str) -> Self:
        """The status without an active Job."""
        return self.replace(active=tuple(one for one in self.active if one.get("uid", "") != uid))

    def with_started(self, job: Job, scheduled_ms: int) -> Self:
        """The status once a Job was made for an instant."""
        return self.replace(active=(*self.active, refer_to(job)), last_schedule_ms=scheduled_ms)


class CronJob(Workload):
    """A CronJob, typed."""

    __slots__ = ()
    KIND = CRON_JOB_KIND.name
    SPEC, STATUS = CronJobSpec, CronJobStatus
    spec: CronJobSpec
    status: CronJobStatus


def refer_to(job: Job) -> dict[str, Any]:
    """An object reference to a Job, as it is now."""
    return {
        "kind": job.kind.name,
        "namespace": job.meta.namespace or "",
        "name": job.meta.name,
        "uid": job.meta.uid,
        "apiVersion": job.kind.api_version,
        "resourceVersion": str(job.resource_version),
    }
