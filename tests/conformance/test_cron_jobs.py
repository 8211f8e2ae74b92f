"""`cronjob_*.json`: when a CronJob runs, what one look does, and which Jobs are its own."""

from typing import Any

import pytest

from lifecycle.engine.controllers.cron_job.decide import (
    Look,
    Manager,
    Seen,
    decide,
    decide_changed,
    decide_started,
    find_owner,
    schedule_of,
    sort_by_start,
)
from lifecycle.engine.objects.times import format_time, parse_utc_ms
from lifecycle.engine.objects.workloads.cron_job import CronJob
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.actions import Delete, RecordEvent
from lifecycle.engine.rules.event_sources import CRON_JOB
from lifecycle.engine.rules.jobs.schedule_runs import MANY, find_runs, find_wake_ms
from tests.conformance.cases import Case, load_cases

# The epoch is 1970: instants are Unix times.
MANAGER = Manager()


def read_cron_job(data: dict[str, Any]) -> CronJob:
    return CronJob.from_json({"apiVersion": "batch/v1", "kind": "CronJob", **data})


def read_job(data: dict[str, Any]) -> Job:
    return Job.from_json({"apiVersion": "batch/v1", "kind": "Job", **data})


def text(instant_ms: int | None) -> str | None:
    return None if instant_ms is None else format_time(instant_ms, 0)


@pytest.mark.parametrize("case", load_cases("cronjob_owned_jobs"))
def test_cronjob_owned_jobs(case: Case) -> None:
    given = case["input"]
    meta = read_cron_job(given["cronJob"]).meta
    jobs = map(read_job, given["jobs"])
    owned = [job for job in jobs if find_owner(job) == (meta.namespace or "", meta.name)]
    assert [job.meta.name for job in owned] == case["expect"]["jobs"]


@pytest.mark.parametrize("case", load_cases("cronjob_schedule"))
def test_cronjob_schedule(case: Case) -> None:
    given, expect = case["input"], case["expect"]
    if given["op"] == "sortJobsByStartTime":
        assert [job.meta.name for job in sort_by_start([*map(read_job, given["jobs"])])] == expect["order"]
        return
    cron_job, now_ms = read_cron_job(given["cronJob"]), parse_utc_ms(given["now"])
    schedule = schedule_of(cron_job, MANAGER)
    since = cron_job.meta.creation_ms or 0, cron_job.status.last_schedule_ms
    if given["op"] == "nextScheduleTimeDuration":
        assert (find_wake_ms(schedule, *since, now_ms) - now_ms) / 1000 == expect["durationSeconds"]
        return
    heeds = given["op"] == "nextScheduleTime" or given["includeStartingDeadlineSeconds"]
    deadline_seconds = cron_job.spec.starting_deadline_seconds if heeds else None
    try:
        runs = find_runs(schedule, *since, deadline_seconds, now_ms)
    except ValueError:
        assert expect["error"]
        return
    assert not expect.get("error")
    if given["op"] == "nextScheduleTime":
        assert text(runs.latest_ms) == expect["schedule"]
    else:
        assert text(runs.earliest_ms) == expect["earliestTime"]
        assert text(runs.latest_ms) == expect["mostRecentTime"]
        assert ("many" if runs.count > MANY else "few" if runs.count else "none") == expect["missed"]


def make_created(look: Look, uid: str = "made") -> Job:
    """The Job that the API server made."""
    assert look.start is not None, "there is one to make"
    metadata = {**look.start.data["metadata"], "uid": uid}
    return read_job({"metadata": metadata, "spec": look.start.data["spec"]})


TAKEN, ENDING = "alreadyexists", "namespaceterminating"


def _read_refusal(given: dict[str, Any]) -> str | None:
    """Why the Job cannot be made, if the case says so."""
    if given.get("jobGetError"):
        pytest.skip("to read a Job never fails here")
    told = given.get("jobCreateError")
    words = "" if told is None else "".join(filter(str.isalpha, str(told))).lower()
    return next((known for known in (TAKEN, ENDING) if known in words), words or None)


@pytest.mark.parametrize("case", load_cases("cronjob_sync"))
def test_cronjob_sync(case: Case) -> None:
    given, expect = case["input"], case["expect"]
    # A look sees what the API server has: its list of active Jobs may be ahead of the cached one.
    status = given["cronJob"].get("status") or {}
    active = {one["uid"]: one for one in (*(status.get("active") or ()), *given["cronJobActiveInAPIServer"])}
    cron_job = read_cron_job({**given["cronJob"], "status": {**status, "active": [*active.values()]}})
    jobs = [*map(read_job, given["jobsInCache"])]
    there = [*jobs, *([read_job(given["jobInAPIServer"])] if given["jobInAPIServer"] else [])]
    now_ms, refusal = parse_utc_ms(given["now"]), _read_refusal(given)
    look = decide(Seen(cron_job, jobs, {job.meta.name: job for job in there}), now_ms, MANAGER)
    is_made = look.start is not None and refusal is None
    is_refused = look.start is not None and refusal not in (None, TAKEN)
    if is_made:
        decide_started(look, make_created(look))
    elif is_refused:
        look.wakes_ms = None
    elif look.start is not None:
        decide_started(look, there[-1] if there else None)
    is_changed = is_made or look.status != cron_job.status
    events = [one for one in look.actions if isinstance(one, RecordEvent)]
    if is_refused and refusal != ENDING:
        events.append(RecordEvent(cron_job, "Warning", "FailedCreate", "Error creating job", CRON_JOB))
    found = {
        "jobsCreated": int(is_made),
        "jobsDeleted": sum(isinstance(one, Delete) for one in look.actions),
        "warnings": sum(one.event_type == "Warning" for one in events),
        # What is made is told of by who makes it.
        "events": len(events) + int(is_made),
        "updateStatus": is_changed,
        "requeueAfterSeconds": None if look.wakes_ms is None else (look.wakes_ms - now_ms) / 1000,
        "active": len(look.status.active),
        "lastSuccessfulTime": text(look.status.last_successful_ms),
        "error": is_refused,
    }
    asserted = {name for name in expect if expect[name] is not None}
    assert {name: found[name] for name in asserted} == {name: expect[name] for name in asserted}


@pytest.mark.parametrize("case", load_cases("cronjob_update"))
def test_cronjob_update(case: Case) -> None:
    given, now_ms = case["input"], parse_utc_ms(case["input"]["now"])
    old, new = read_cron_job(given["oldCronJob"]), read_cron_job(given["newCronJob"])
    wakes_ms, _events = decide_changed(old, new, now_ms, MANAGER)
    # A schedule that cannot be read asks for no look.
    delay_seconds = None if wakes_ms is None else max(0, wakes_ms - now_ms) / 1000
    assert delay_seconds == case["expect"]["requeueDelaySeconds"]
