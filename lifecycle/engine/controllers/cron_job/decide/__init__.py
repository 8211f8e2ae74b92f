"""One look at a CronJob: what became of its Jobs, and whether it is time for another one.

Models Kubernetes v1.35's syncCronJob with the cleanup before it, its order and its events' words. Left out:
its events about requests that fail for reasons no cluster here has (FailedGet, FailedDelete), and
MissSchedule, which that release never tells: a run beyond the starting deadline is not even found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC as UTC_ZONE
from datetime import datetime, timedelta
from typing import Any

from lifecycle.lean_dataclasses import dataclass, field

from ....objects.meta import StoredObject, controller_reference
from ....objects.time_zones import UTC, load_zone
from ....objects.times import floor_to_second
from ....objects.workloads.cron_job import FORBID, REPLACE, SCHEDULED_AT, CronJob, CronJobStatus
from ....objects.workloads.job import COMPLETE, FAILED, Job
from ....rules.actions import Action, CreateJson, Delete, RecordEvent, Update, Words
from ....rules.event_sources import CRON_JOB as SOURCE
from ....rules.jobs.schedule_runs import MANY, Runs, find_runs, find_wake_after_ms, find_wake_ms
from ....rules.jobs.schedules import Schedule, read_schedule

_ALREADY_ACTIVE = "Not starting job because prior execution is running and concurrency policy is Forbid"
_TOO_MANY = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
_UNSUPPORTED = (
    "is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
    " for more details"
)


@dataclass(frozen=True, slots=True)
class Manager:
    """What is set of the controller: the time zone of its machine, and whether it starts the latest run when
    more than a hundred were missed, as since v1.21, or none (CRON-MISS-02)."""

    epoch_ms: int = 0
    time_zone: str = UTC
    starts_after_many: bool = True


@dataclass(slots=True)
class Seen:
    """What a look sees: the CronJob, the Jobs that name it as their controller, oldest first, and of the Jobs
    that its status calls active those that are there, by name."""

    cron_job: CronJob
    jobs: Sequence[Job] = ()
    present: Mapping[str, Job] = field(default_factory=dict)


@dataclass(slots=True)
class Look:
    """Where a look leads: writes in order, the status after them, the Job to make then, and the next look.

    `starts_ms`: for when the Job is made. `wakes_ms` is None where only a change wakes the controller.
    `steady_until_ms`: when time alone may lead elsewhere (None: not known).
    """

    cron_job: CronJob
    status: CronJobStatus
    actions: list[Action] = field(default_factory=list)
    start: CreateJson | None = None
    starts_ms: int = 0
    wakes_ms: int | None = None
    steady_until_ms: int | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there was nothing to do."""
        return not self.actions and self.start is None and self.status is self.cron_job.status

    def tell(self, reason: str, message: str, event_type: str = "Normal") -> None:
        """An event about the CronJob."""
        self.actions.append(RecordEvent(self.cron_job, event_type, reason, message, SOURCE))

    def delete(self, job: Job) -> None:
        """A Job goes, with its pods."""
        self.actions.append(Delete(job))
        self.status = self.status.without(job.meta.uid)
        self.tell("SuccessfulDelete", f"Deleted job {job.meta.name}")


def decide(seen: Seen, now_ms: int, manager: Manager) -> Look:
    """One look, as far as the creation of a Job."""
    look = Look(seen.cron_job, seen.cron_job.status)
    endings = [find_ending(job) for job in seen.jobs]
    _remove_oldest(look, seen, endings)
    _follow_jobs(look, seen, endings, manager)
    if seen.cron_job.meta.deletion_ms is None:
        _follow_schedule(look, seen, now_ms, manager)
    return look


def decide_status(look: Look) -> list[Action]:
    """Write the status, where it has changed."""
    old = look.cron_job
    return [] if look.status == old.status else [Update(old.with_status(look.status))]


def decide_started(look: Look, job: Job | None) -> None:
    """After the Job was made, or was there already."""
    controller, uid = None if job is None else job.meta.controller, look.cron_job.meta.uid
    is_ours = controller is not None and controller.uid == uid
    if job is None or not is_ours or look.status.has_active(job.meta.uid):
        # Whoever has made it sees to the status; only a change leads on.
        look.wakes_ms = None
        return
    look.status = look.status.with_started(job, look.starts_ms)


# --- what became of Jobs ----------------------------------------------------------------------------------


def find_owner(job: StoredObject) -> tuple[str, str] | None:
    """Namespace and name of the CronJob whose a Job is. Kubernetes goes by its controller's name alone."""
    controller = job.meta.controller
    return (job.meta.namespace or "", controller.name) if controller is not None else None


def _remove_oldest(look: Look, seen: Seen, endings: Sequence[str | None]) -> None:
    """Keep as many finished Jobs of a kind as is said, those that began last (CRON-HIST-01, -02)."""
    spec = seen.cron_job.spec
    for condition, limit in ((COMPLETE, spec.successful_limit), (FAILED, spec.failed_limit)):
        surplus = 0 if limit is None else endings.count(condition) - limit
        if surplus > 0:
            ended = [job for job, ending in zip(seen.jobs, endings, strict=True) if ending == condition]
            for job in sort_by_start(ended)[:surplus]:
                look.delete(job)


def find_ending(job: Job) -> str | None:
    """How a Job has ended, if it has."""
    found = job.status.finished
    return None if found is None else found.type


def sort_by_start(jobs: Sequence[Job]) -> list[Job]:
    """Those that began first, first; those that never did, last."""

    def rank(job: Job) -> tuple[bool, int, str]:
        return job.status.start_ms is None, job.status.start_ms or 0, job.meta.name

    return sorted(jobs, key=rank)


def _follow_jobs(look: Look, seen: Seen, endings: Sequence[str | None], manager: Manager) -> None:
    active = {one.get("uid") for one in look.status.active}
    for job, ending in zip(seen.jobs, endings, strict=True):
        uid, name = job.meta.uid, job.meta.name
        is_active = uid in active
        if ending is None:
            if not is_active:
                message = f"Saw a job that the controller did not create or forgot: {name}"
                look.tell("UnexpectedJob", message, "Warning")
            continue
        if is_active:
            look.status = look.status.without(uid)
            look.tell("SawCompletedJob", f"Saw completed job: {name}, condition: {ending}")
        if ending == COMPLETE:
            _note_success(look, job, manager)
    if not look.status.active:
        return
    known = {job.meta.uid for job in seen.jobs}
    for one in look.status.active:
        if one.get("uid") not in known and one.get("name") not in seen.present:
            look.tell("MissingJob", f"Active job went missing: {one.get('name')}")
            look.status = look.status.without(one.get("uid", ""))


def _note_success(look: Look, job: Job, manager: Manager) -> None:
    completed_ms, known_ms = job.status.completion_ms, look.status.last_successful_ms
    if completed_ms is None or (known_ms is not None and completed_ms <= known_ms):
        return
    completed_ms = floor_to_second(completed_ms, manager.epoch_ms)
    if known_ms is None or completed_ms > known_ms:
        look.status = look.status.replace(last_successful_ms=completed_ms)


# --- whether it is time -----------------------------------------------------------------------------------


def _follow_schedule(look: Look, seen: Seen, now_ms: int, manager: Manager) -> None:
    spec = seen.cron_job.spec
    if spec.time_zone is not None:
        try:
            load_zone(spec.time_zone or UTC)
        except ValueError as problem:
            message = f'invalid timeZone: "{spec.time_zone}": {problem}'
            look.tell("UnknownTimeZone", message, "Warning")
            return
    if spec.suspend:
        return
    if "TZ" in spec.schedule:
        message = f'CRON_TZ or TZ used in schedule "{spec.schedule}" {_UNSUPPORTED}'
        look.tell("UnsupportedSchedule", message, "Warning")
    try:
        schedule = schedule_of(seen.cron_job, manager)
    except ValueError as problem:
        message = f'unparseable schedule: "{spec.schedule}" : {problem}'
        look.tell("UnparseableSchedule", message, "Warning")
        return
    _start_if_due(look, seen, schedule, now_ms, manager)


def schedule_of(cron_job: CronJob, manager: Manager) -> Schedule:
    """A CronJob's schedule in its time zone; one that is not known is left out. Raises ValueError."""
    schedule, zone = cron_job.spec.schedule, cron_job.spec.time_zone
    if zone:
        try:
            load_zone(zone)
        except ValueError:
            zone = None
    return read_schedule(schedule, zone or manager.time_zone)


def decide_changed(
    old: CronJob | None, new: CronJob, now_ms: int, manager: Manager
) -> tuple[int | None, list[Action]]:
    """When to look at a new or changed CronJob: now, or with another schedule when that says (CRON-CHG-03).

    None for a schedule that cannot be read, and what is told of it.
    """
    before, after = old and (old.spec.schedule, old.spec.time_zone), (new.spec.schedule, new.spec.time_zone)
    if before is None or before == after:
        return now_ms, []
    try:
        last_ms = new.status.last_schedule_ms
        return _next_look_ms(new, last_ms, schedule_of(new, manager), now_ms, manager), []
    except ValueError:
        message = f"unparseable schedule for cronjob: {new.spec.schedule}"
        return None, [RecordEvent(new, "Warning", "UnParseableCronJobSchedule", message, SOURCE)]


def _next_look_ms(
    cron_job: CronJob, last_ms: int | None, schedule: Schedule, now_ms: int, manager: Manager
) -> int:
    since_ms = _since_ms(cron_job, last_ms, manager)
    return find_wake_ms(schedule, *since_ms, manager.epoch_ms + now_ms) - manager.epoch_ms


def _since_ms(cron_job: CronJob, last_ms: int | None, manager: Manager) -> tuple[int, int | None]:
    """Creation and last run in ms since 1970, as the API tells them: whole seconds."""
    epoch_ms = manager.epoch_ms
    created_ms = floor_to_second(cron_job.meta.creation_ms or 0, epoch_ms)
    return epoch_ms + created_ms, None if last_ms is None else epoch_ms + last_ms


def _start_if_due(look: Look, seen: Seen, schedule: Schedule, now_ms: int, manager: Manager) -> None:
    cron_job, epoch_ms = seen.cron_job, manager.epoch_ms
    created_ms, last_ms = _since_ms(cron_job, cron_job.status.last_schedule_ms, manager)
    deadline_seconds, now_utc_ms = cron_job.spec.starting_deadline_seconds, epoch_ms + now_ms
    try:
        runs = find_runs(schedule, created_ms, last_ms, deadline_seconds, now_utc_ms)
    except ValueError as problem:
        look.tell("InvalidSchedule", f"invalid schedule: {cron_job.spec.schedule} : {problem}", "Warning")
        return
    due_ms = _choose_due_ms(look, runs, last_ms, manager)
    if due_ms is not None and _may_start(look, seen, due_ms):
        look.start, look.starts_ms = _start(cron_job, due_ms), due_ms - epoch_ms
        # It is the last one then.
        look.wakes_ms = _next_look_ms(cron_job, look.starts_ms, schedule, now_ms, manager)
        return
    if deadline_seconds is None:
        look.wakes_ms = find_wake_after_ms(schedule, runs, now_utc_ms) - epoch_ms
        next_ms = schedule.next_after(runs.earliest_ms)
    else:
        look.wakes_ms = _next_look_ms(cron_job, cron_job.status.last_schedule_ms, schedule, now_ms, manager)
        next_ms = None
    if next_ms is None or next_ms <= now_utc_ms:
        next_ms = schedule.next_after(now_utc_ms)
    look.steady_until_ms = None if next_ms is None else next_ms - epoch_ms


def _choose_due_ms(look: Look, runs: Runs, last_ms: int | None, manager: Manager) -> int | None:
    """The run, in ms since 1970, that should have begun by now."""
    if runs.latest_ms is not None and runs.count > MANY:
        look.tell("TooManyMissedTimes", _TOO_MANY, "Warning")
        if not manager.starts_after_many:
            return None
    return None if runs.latest_ms == last_ms else runs.latest_ms


def _may_start(look: Look, seen: Seen, due_ms: int) -> bool:
    """Whether a run may begin beside those that go on; those it takes the place of go."""
    policy, active = seen.cron_job.spec.concurrency_policy, look.status.active
    if any(one.get("name") == name_run(seen.cron_job, due_ms) for one in active):
        return False
    if policy == FORBID and active:
        look.tell("JobAlreadyActive", _ALREADY_ACTIVE)
        return False
    for one in active if policy == REPLACE else ():
        job = seen.present.get(one.get("name", ""))
        if job is not None:
            look.delete(job)
    return True


def _start(cron_job: CronJob, scheduled_ms: int) -> CreateJson:
    words = Words(f"Created job {name_run(cron_job, scheduled_ms)}", "Error creating job: ")
    return CreateJson(make_job(cron_job, scheduled_ms), cron_job, SOURCE, words)


def name_run(cron_job: CronJob, scheduled_ms: int) -> str:
    """One name for one run: its minute since 1970 (CRON-NAME-03)."""
    return f"{cron_job.meta.name}-{scheduled_ms // 60_000}"


def make_job(cron_job: CronJob, scheduled_ms: int) -> dict[str, Any]:
    """The Job of a run, as JSON (CRON-TMPL-02, -03)."""
    template, reference = cron_job.spec.job_template, controller_reference(cron_job)
    metadata = template.get("metadata") or {}
    zone = load_zone(cron_job.spec.time_zone or UTC)
    moment = (datetime(1970, 1, 1, tzinfo=UTC_ZONE) + timedelta(milliseconds=scheduled_ms)).astimezone(zone)
    told = moment.isoformat().removesuffix("+00:00") + ("" if moment.utcoffset() else "Z")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name_run(cron_job, scheduled_ms),
            "namespace": cron_job.meta.namespace,
            "labels": dict(metadata.get("labels") or {}),
            "annotations": {**(metadata.get("annotations") or {}), SCHEDULED_AT: told},
            "ownerReferences": [reference.to_json()],
        },
        "spec": template.get("spec") or {},
    }
