"""Whatever happens to a CronJob and its Jobs: no run begins twice, or beside another that forbids it."""

import random
from typing import Any

import pytest

from lifecycle.engine.controllers.cron_job import CronJobController
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.cron_job import SCHEDULED_AT, CronJob
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.jobs.schedules import read_schedule
from tests.engine.controllers.shift import Shift

pytestmark = pytest.mark.slow

MINUTE_MS = 60_000
SCHEDULES = ["* * * * *", "*/2 * * * *", "1-59/3 * * * *", "0,7,9 * * * *", "@every 90s", "@hourly"]
ZONES = [None, None, "Europe/Berlin", "Asia/Kathmandu"]
COMMANDS = ["sleep 5", "sleep 75", "sleep 20; exit 1", "sleep $(( $RANDOM % 200 ))", "sleep 400"]


def make_random(chance: random.Random) -> dict[str, Any]:
    container = {"name": "main", "image": "busybox:1.36", "command": ["sh", "-c", chance.choice(COMMANDS)]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec: dict[str, Any] = {
        "schedule": chance.choice(SCHEDULES),
        "concurrencyPolicy": chance.choice(["Allow", "Forbid", "Replace"]),
        "successfulJobsHistoryLimit": chance.randint(0, 3),
        "failedJobsHistoryLimit": chance.randint(0, 2),
        "jobTemplate": {"spec": {"backoffLimit": chance.randint(0, 1), "template": template}},
    }
    if chance.random() < 0.3:
        spec["startingDeadlineSeconds"] = chance.choice([10, 45, 200])
    zone = chance.choice(ZONES)
    if zone is not None and not spec["schedule"].startswith("@every"):
        spec["timeZone"] = zone
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "work"}, "spec": spec}


class Story:
    """One CronJob, what is done to it, and the Jobs that it made, by name."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.shift = Shift(chance.choice(["instant", "realistic"]), seed)
        self.manifest = make_random(chance)
        self.made: list[Job] = []
        self.jobs: dict[str, Job] = {}
        self.rows: list[dict[str, Any]] = []
        self.policies = {self.manifest["spec"]["concurrencyPolicy"]}
        self.shift.apply(self.manifest)

    def live(self) -> None:
        deeds = [self._delete_job, self._suspend, self._patch_policy, self._patch_limits, self._reload]
        for _ in range(self.chance.randint(2, 8)):
            self._run(self.chance.randint(0, 6 * MINUTE_MS))
            self.chance.choice(deeds)()
            self._take()
        self._patch(suspend=True)
        self._run(20 * MINUTE_MS)

    def _run(self, ms: int) -> None:
        cluster = self.shift.cluster
        until_ms = cluster.now_ms + ms
        while cluster.run_until(until_ms, stop=lambda _: True) < until_ms:
            self._take()
        self._take()

    def _take(self) -> None:
        """At each instant: what was made, and that nothing runs beside a run that forbids it."""
        changes = self.shift.cluster.take_changes()
        self.rows += [row_to_json(row) for row in changes.rows]
        for version in changes.versions:
            job = version.new
            if not isinstance(job, Job):
                continue
            if version.type == "ADDED":
                self.made.append(job)
            self.jobs[job.meta.uid] = job
            if version.type == "DELETED":
                del self.jobs[job.meta.uid]
        if "Allow" not in self.policies:
            going = [one for one in self.jobs.values() if not one.is_finished and not one.meta.deletion_ms]
            assert len(going) <= 1, [job.meta.name for job in going]

    def _patch(self, **spec: Any) -> None:
        payload = {"patch": {"spec": spec}, "type": "merge"}
        self.shift.done("patch", kind="CronJob", namespace="default", name="work", **payload)

    def _delete_job(self) -> None:
        if self.made:
            name = self.chance.choice(self.made).meta.name
            self.shift.submit("delete", kind="Job", namespace="default", name=name)

    def _suspend(self) -> None:
        self._patch(suspend=self.chance.random() < 0.5)

    def _patch_policy(self) -> None:
        policy = self.chance.choice(["Allow", "Forbid", "Replace"])
        self.policies.add(policy)
        self._patch(concurrencyPolicy=policy)

    def _patch_limits(self) -> None:
        self._patch(successfulJobsHistoryLimit=self.chance.randint(0, 3))

    def _reload(self) -> None:
        self._take()
        self.shift.save_and_load()

    # --- what must hold -------------------------------------------------------------------------------

    def check(self) -> None:
        cron_job = self.shift.cluster.find("CronJob", "default", "work")
        assert isinstance(cron_job, CronJob)
        runs = [parse_utc_ms(job.meta.annotations[SCHEDULED_AT]) for job in self.made]
        assert len(set(runs)) == len(runs), runs
        spec = self.manifest["spec"]
        schedule = read_schedule(spec["schedule"], spec.get("timeZone") or "UTC")
        if not spec["schedule"].startswith("@every"):
            assert all(schedule.next_after(run - 1) == run for run in runs)
        jobs = list(self.jobs.values())
        assert all(job.is_finished for job in jobs)
        assert cron_job.status.active == ()
        succeeded = [job for job in jobs if job.has_succeeded]
        assert cron_job.spec.successful_limit is not None and cron_job.spec.failed_limit is not None
        assert len(succeeded) <= cron_job.spec.successful_limit
        assert len(jobs) - len(succeeded) <= cron_job.spec.failed_limit
        if runs:
            assert cron_job.status.last_schedule_ms == max(runs) - self.shift.cluster.epoch_ms


def tell(seed: int) -> list[dict[str, Any]]:
    story = Story(seed)
    story.live()
    story.check()
    return story.rows


@pytest.mark.spec("CRON-CONC-02", "CRON-CONC-03", "CRON-HIST-01", "CRON-HIST-02", "CRON-NAME-03")
@pytest.mark.parametrize("seed", range(8))
def test_no_run_of_a_cron_job_begins_twice(seed: int):
    tell(seed)


@pytest.mark.parametrize("seed", range(100, 106))
def test_a_cron_job_that_rests_misses_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    rows = tell(seed)
    monkeypatch.setattr(CronJobController, "_holds", lambda *_: False)
    assert tell(seed) == rows


@pytest.mark.deep
@pytest.mark.parametrize("start", range(0, 3000, 100))
def test_no_run_of_many_cron_jobs_begins_twice(start: int):
    for seed in range(start, start + 100):
        tell(seed)
