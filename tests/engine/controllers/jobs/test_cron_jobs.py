"""CronJobs and the limit to the life of finished Jobs: single looks, and whole clusters behind their door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.controllers.cron_job.decide import (
    Look,
    Manager,
    Seen,
    decide,
    decide_changed,
    decide_started,
)
from lifecycle.engine.heart.trace import row_to_json
from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.codec import encode
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.cron_job import CronJob
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.actions import Delete, RecordEvent
from lifecycle.engine.upgrades import Known

Json = dict[str, Any]
EPOCH = "2024-01-01T00:00:00Z"
EPOCH_MS = parse_utc_ms(EPOCH)
TEMPLATE: Json = {
    "spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "hello", "image": "busybox:1.28", "command": ["sh", "-c", "sleep 5"]}],
    }
}


def make_cron_job(
    name: str = "hello", job: Json | None = None, metadata: Json | None = None, **spec: Any
) -> Json:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "default", **(metadata or {})},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"backoffLimit": 0, "template": TEMPLATE, **(job or {})}},
            **spec,
        },
    }


# --- single looks -----------------------------------------------------------------------------------------


def see(status: Json | None = None, jobs: tuple[Json, ...] = (), created: str = EPOCH, **spec: Any) -> Seen:
    """A CronJob as it is stored, and its Jobs."""
    metadata = {"uid": "cron", "creationTimestamp": created}
    data = make_cron_job(metadata=metadata, **spec) | {"status": status or {}}
    found = [Job.from_json({"apiVersion": "batch/v1", "kind": "Job", **job}) for job in jobs]
    return Seen(CronJob.from_json(data), found, {job.meta.name: job for job in found})


def look_at(seen: Seen, now: str, **manager: Any) -> Look:
    # Instants are counted from 1970 here.
    return decide(seen, parse_utc_ms(now), Manager(**manager))


def events(look: Look) -> list[tuple[str, str]]:
    return [(one.reason, one.message) for one in look.actions if isinstance(one, RecordEvent)]


def make_job(name: str, condition: str | None = None, **status: Any) -> Json:
    conditions = [{"type": condition, "status": "True"}] if condition else []
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": "CronJob",
                    "name": "hello",
                    "uid": "cron",
                    "controller": True,
                }
            ],
        },
        "status": {"conditions": conditions, **status},
    }


def active(*names: str) -> list[Json]:
    return [{"kind": "Job", "name": name, "namespace": "default", "uid": f"uid-{name}"} for name in names]


@pytest.mark.spec("CRON-DEADLINE-05", "CRON-DEADLINE-02", "CRON-MISS-01")
@pytest.mark.parametrize(
    "now, starts",
    [
        pytest.param("2024-01-01T03:03:20Z", False, id="at the deadline it is over"),
        pytest.param("2024-01-01T03:03:19Z", True, id="a second before it is not"),
        pytest.param("2024-01-01T03:03:21Z", False, id="201 s late"),
    ],
)
def test_a_run_may_be_late_by_its_deadline(now: str, starts: bool) -> None:
    # A run at the very deadline is not among those after it: Kubernetes asks for the next after that instant.
    look = look_at(see(schedule="0 3 * * *", startingDeadlineSeconds=200), now)
    assert (look.start is not None) is starts
    assert look.wakes_ms == parse_utc_ms("2024-01-02T03:00:00Z") + 100


@pytest.mark.spec("CRON-MISS-08")
def test_no_run_is_older_than_the_cron_job() -> None:
    look = look_at(see(created="2024-01-01T00:00:10Z", schedule="0 * * * *"), "2024-01-01T00:30:00Z")
    assert look.start is None
    assert look.wakes_ms == parse_utc_ms("2024-01-01T01:00:00Z") + 100


@pytest.mark.spec("CRON-MISS-02", "CRON-MISS-03")
@pytest.mark.parametrize("starts", [True, False])
def test_more_than_a_hundred_missed_runs_are_told_of(starts: bool) -> None:
    look = look_at(see(), "2024-01-01T01:41:00Z", starts_after_many=starts)
    assert events(look) == [
        (
            "TooManyMissedTimes",
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
        )
    ]
    assert (look.start is not None) is starts
    assert events(look_at(see(), "2024-01-01T01:40:00Z")) == []


@pytest.mark.spec("CRON-TMPL-02", "CRON-TMPL-03", "CRON-NAME-03")
def test_a_run_is_the_template_with_its_time() -> None:
    seen = see(schedule="0 3 * * *", timeZone="Asia/Kolkata")
    template = seen.cron_job.spec.raw["jobTemplate"]
    template["metadata"] = {"labels": {"a": "b"}, "annotations": {"x": "y"}}
    look = look_at(seen, "2024-01-01T21:30:00Z")
    assert look.start is not None
    assert look.start.data["metadata"] == {
        "name": "hello-28402410",
        "namespace": "default",
        "labels": {"a": "b"},
        "annotations": {
            "x": "y",
            "batch.kubernetes.io/cronjob-scheduled-timestamp": "2024-01-02T03:00:00+05:30",
        },
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": "hello",
                "uid": "cron",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
    assert look.start.data["spec"] == template["spec"]


@pytest.mark.spec("CRON-SCHED-16", "CRON-TZ-04", "CRON-TZ-06", "CRON-API-03")
@pytest.mark.parametrize(
    "spec, told",
    [
        (
            {"schedule": "59 23 31 2 *"},
            (
                "InvalidSchedule",
                "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than"
                " 1 second",
            ),
        ),
        (
            {"timeZone": "Mars/Olympus"},
            ("UnknownTimeZone", 'invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus'),
        ),
        (
            {"schedule": "often"},
            (
                "UnparseableSchedule",
                'unparseable schedule: "often" : expected exactly 5 fields, found 1: [often]',
            ),
        ),
    ],
)
def test_a_schedule_that_never_comes_is_told_of(spec: Json, told: tuple[str, str]) -> None:
    look = look_at(see(**spec), "2024-01-01T01:00:00Z")
    assert events(look) == [told]
    assert (look.start, look.wakes_ms) == (None, None)


@pytest.mark.parametrize(
    "spec, wakes, told",
    [
        pytest.param({"schedule": "0 * * * *"}, "2024-01-01T11:00:00.1Z", [], id="another schedule"),
        pytest.param(
            {"timeZone": "Asia/Kolkata", "schedule": "0 * * * *"},
            "2024-01-01T10:30:00.1Z",
            [],
            id="in another zone",
        ),
        pytest.param(
            {"timeZone": "Nowhere/Land", "schedule": "0 * * * *"},
            "2024-01-01T11:00:00.1Z",
            [],
            id="a zone that is not known is told of by the look then",
        ),
        pytest.param(
            {"schedule": "nonsense"},
            None,
            ["unparseable schedule for cronjob: nonsense"],
            id="not a schedule",
        ),
    ],
)
def test_a_changed_schedule_plans_the_next_look(spec: Json, wakes: str | None, told: list[str]) -> None:
    old, new = see().cron_job, see({"lastScheduleTime": "2024-01-01T10:00:00Z"}, **spec).cron_job
    wakes_ms, actions = decide_changed(old, new, parse_utc_ms("2024-01-01T10:15:00Z"), Manager())
    assert wakes_ms == (None if wakes is None else parse_utc_ms(wakes))
    assert [one.message for one in actions if isinstance(one, RecordEvent)] == told


@pytest.mark.spec("CRON-TZ-06")
def test_a_zone_in_the_schedule_works_with_a_warning() -> None:
    look = look_at(see(schedule="TZ=Asia/Kolkata 30 6 * * *"), "2024-01-01T01:00:00Z")
    (told,) = events(look)
    assert told[0] == "UnsupportedSchedule"
    assert look.start is not None


@pytest.mark.spec("CRON-API-03")
def test_what_became_of_jobs_is_told() -> None:
    seen = see(
        {"active": active("done", "bad", "lost", "going"), "lastScheduleTime": "2024-01-01T00:59:00Z"},
        (
            make_job("done", "Complete", completionTime="2024-01-01T00:59:09Z"),
            make_job("bad", "Failed"),
            make_job("going"),
            make_job("strange"),
        ),
        suspend=True,
    )
    look = look_at(seen, "2024-01-01T01:00:00Z")
    assert events(look) == [
        ("SawCompletedJob", "Saw completed job: done, condition: Complete"),
        ("SawCompletedJob", "Saw completed job: bad, condition: Failed"),
        ("UnexpectedJob", "Saw a job that the controller did not create or forgot: strange"),
        ("MissingJob", "Active job went missing: lost"),
    ]
    assert look.status.to_json() == {
        "active": active("going"),
        "lastScheduleTime": "2024-01-01T00:59:00Z",
        "lastSuccessfulTime": "2024-01-01T00:59:09Z",
    }


@pytest.mark.spec("CRON-HIST-01", "CRON-HIST-02")
def test_the_jobs_that_began_first_go_first() -> None:
    starts = {"b": "2024-01-01T00:02:00Z", "a": "2024-01-01T00:01:00Z", "c": "2024-01-01T00:03:00Z"}
    jobs = tuple(make_job(name, "Complete", startTime=start) for name, start in starts.items())
    seen = see({"active": active("a")}, (*jobs, make_job("never", "Failed")), suspend=True,
        successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)  # fmt: skip
    look = look_at(seen, "2024-01-01T01:00:00Z")
    assert [one.old.meta.name for one in look.actions if isinstance(one, Delete)] == ["a", "b", "never"]
    # One that goes is no more looked for, nor told of.
    assert events(look) == [("SuccessfulDelete", f"Deleted job {name}") for name in ("a", "b", "never")]
    assert look.status.active == ()


def test_a_job_of_that_name_that_is_anothers_stops_the_runs() -> None:
    seen = see(schedule="0 * * * *")
    look = look_at(seen, "2024-01-01T01:00:00Z")
    other = Job.from_json({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "hello-28401180"}})
    decide_started(look, other)
    assert (look.status, look.wakes_ms, events(look)) == (seen.cron_job.status, None, [])


def test_a_cron_job_that_goes_starts_nothing() -> None:
    seen = see()
    seen.cron_job = seen.cron_job.replace(meta=seen.cron_job.meta.replace(deletion_ms=0))
    look = look_at(seen, "2024-01-01T01:00:00Z")
    assert (look.start, look.wakes_ms, look.actions) == (None, None, [])


# --- whole clusters ---------------------------------------------------------------------------------------


class Box:
    """A cluster whose epoch is the first instant of 2024."""

    def __init__(self, cluster: Cluster | None = None, **settings: Any) -> None:
        self.cluster = cluster or Cluster(epoch_ms=EPOCH_MS, settings=Settings(timing="instant", **settings))
        self.rows: list[Json] = []
        self._count = 0

    def submit(self, command: str, /, **payload: Any) -> Any:
        self._count += 1
        return self.cluster.submit(Command(f"c{self._count}", command, payload))

    def done(self, command: str, /, **payload: Any) -> Json:
        result = self.submit(command, **payload)
        assert result.ok, result.status
        return result.object

    def patch(self, kind: str, name: str, patch: Json) -> Json:
        return self.done("patch", kind=kind, namespace="default", name=name, type="merge", patch=patch)

    def run(self, seconds: float) -> Box:
        """On to an instant."""
        self.cluster.run_until(round(seconds * 1000))
        return self

    def take(self) -> list[Json]:
        self.rows += [row_to_json(row) for row in self.cluster.take_changes().rows]
        return self.rows

    def jobs(self) -> list[str]:
        return sorted(job["metadata"]["name"] for job in self.cluster.list("Job"))

    def events(self, name: str = "hello") -> list[tuple[int, str]]:
        return [
            (row["at_ms"], row["reason"])
            for row in self.take()
            if row["type"] == "event" and (row["kind"], row["name"]) == ("CronJob", name)
        ]

    def get(self, kind: str, name: str) -> Json:
        found = self.cluster.get(kind, "default", name)
        assert found is not None, (kind, name)
        return found


def test_a_run_is_as_a_client_would_have_made_it() -> None:
    box = Box()
    box.done("create", object=make_cron_job(job={"template": TEMPLATE, "podFailurePolicy": None}))
    job = box.run(61).get("Job", "hello-28401121")
    uid = job["metadata"]["uid"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert job["spec"]["parallelism"] == 1
    assert job["metadata"]["annotations"] == {
        "batch.kubernetes.io/cronjob-scheduled-timestamp": "2024-01-01T00:01:00Z"
    }
    reference = box.get("CronJob", "hello")["status"]["active"][0]
    # As of its creation.
    told = {
        "kind": "Job",
        "namespace": "default",
        "name": "hello-28401121",
        "uid": uid,
        "apiVersion": "batch/v1",
    }
    assert {name: reference[name] for name in told} == told
    assert 0 < int(reference["resourceVersion"]) < int(job["metadata"]["resourceVersion"])


@pytest.mark.spec("CRON-HIST-03")
def test_what_is_due_first_removes_a_finished_job() -> None:
    box = Box()
    box.done("create", object=make_cron_job(job={"ttlSecondsAfterFinished": 10}))
    box.run(74)
    assert box.jobs() == ["hello-28401121"]
    assert box.run(76).jobs() == []
    assert box.run(122).jobs() == ["hello-28401122"]


@pytest.mark.spec("CRON-CHG-03")
def test_another_schedule_plans_the_next_run_anew() -> None:
    box = Box()
    box.done("create", object=make_cron_job(schedule="0 3 * * *"))
    box.run(65)
    box.patch("CronJob", "hello", {"spec": {"schedule": "*/2 * * * *"}})
    # The first of its runs since creation lies ahead.
    assert box.run(119).jobs() == []
    assert box.run(121).jobs() == ["hello-28401122"]
    box.patch("CronJob", "hello", {"spec": {"schedule": "0 3 * * *", "timeZone": "Asia/Kolkata"}})
    # 03:00 there was at 21:30 of the day before; the next is 21 hours away.
    assert box.run(600).jobs() == ["hello-28401122"]


@pytest.mark.spec("CRON-API-04")
def test_a_job_made_by_hand_is_no_run() -> None:
    box = Box()
    cron_job = box.done("create", object=make_cron_job(schedule="0 0 1 6 *"))
    metadata = cron_job["metadata"]
    reference = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": "hello",
        "uid": metadata["uid"],
        "controller": True,
    }
    made = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "hand",
            "annotations": {"cronjob.kubernetes.io/instantiate": "manual"},
            "ownerReferences": [reference],
        },
        "spec": cron_job["spec"]["jobTemplate"]["spec"],
    }
    box.done("create", object=made)
    box.run(60)
    assert {reason for _, reason in box.events()} == {"UnexpectedJob"}
    status = box.get("CronJob", "hello")["status"]
    assert set(status) == {"lastSuccessfulTime"}
    # It goes with the CronJob, as any of its Jobs.
    box.done("delete", kind="CronJob", namespace="default", name="hello")
    assert box.run(61).jobs() == []


@pytest.mark.spec("CRON-API-02")
def test_what_kubectl_prints_of_a_cron_job() -> None:
    box = Box()
    box.done("create", object=make_cron_job())
    box.done("create", object=make_cron_job("weekly", schedule="0 3 * * 1", timeZone="Etc/UTC", suspend=True))

    def show(name: str) -> dict[str, Any]:
        return decide_columns(box.get("CronJob", name), box.cluster.now_ms, epoch_ms=EPOCH_MS)

    empty = {"TIMEZONE": "<none>", "SUSPEND": "False", "ACTIVE": 0, "LAST SCHEDULE": "<none>"}
    box.run(10)
    assert show("hello") == {"NAME": "hello", "SCHEDULE": "* * * * *", **empty, "AGE": "10s"}
    box.run(62)
    assert show("hello") == {
        "NAME": "hello", "SCHEDULE": "* * * * *", **empty, "ACTIVE": 1, "LAST SCHEDULE": "2s", "AGE": "62s",
    }  # fmt: skip
    assert (show("weekly")["TIMEZONE"], show("weekly")["SUSPEND"]) == ("Etc/UTC", "True")


@pytest.mark.spec("CRON-DEADLINE-07")
def test_the_shortest_deadline_lets_runs_begin_in_time() -> None:
    # Nothing polls here: a run begins a tenth of a second late.
    box = Box()
    box.done("create", object=make_cron_job(startingDeadlineSeconds=1))
    assert box.run(121).jobs() == ["hello-28401121", "hello-28401122"]
    # With none at all each run is missed: it is over before the controller looks.
    box.patch("CronJob", "hello", {"spec": {"startingDeadlineSeconds": 0}})
    assert box.run(300).jobs() == ["hello-28401121", "hello-28401122"]


@pytest.mark.spec("JOB-API-05", "JOB-API-07")
def test_a_job_takes_all_patches_and_reads_alike_everywhere() -> None:
    box = Box()
    spec = {"template": TEMPLATE, "suspend": True}
    box.done(
        "create", object={"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}
    )
    where = {"kind": "Job", "namespace": "default", "name": "a"}
    for how, patch in (
        ("merge", {"spec": {"parallelism": 2}}),
        ("strategic", {"spec": {"parallelism": 3}}),
        ("json", [{"op": "replace", "path": "/spec/parallelism", "value": 4}]),
    ):
        box.done("patch", **where, type=how, patch=patch)
    box.done("patch", **where, type="merge", subresource="status", patch={"status": {"failed": 1}})
    (listed,) = box.cluster.list("Job")
    assert listed == box.get("Job", "a")
    (last, *_) = [one for one in reversed(box.cluster.take_changes().versions) if one.new.kind.id == "Job"]
    assert last.new.to_json(EPOCH_MS) == listed
    assert (listed["spec"]["parallelism"], listed["status"]["failed"]) == (4, 1)


def test_a_refused_job_is_tried_again() -> None:
    box = Box()
    quota = {"spec": {"hard": {"count/jobs.batch": "0"}}}
    box.done("create", object={"apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"}, **quota})  # fmt: skip
    box.done("create", object=make_cron_job())
    box.run(62)
    told = [row for row in box.take() if row["type"] == "event" and row["kind"] == "CronJob"]
    assert {row["reason"] for row in told} == {"FailedCreate"}
    assert told[0]["message"].startswith(
        'Error creating job: jobs.batch "hello-28401121" is forbidden: exceeded quota'
    )
    box.patch("ResourceQuota", "q", {"spec": {"hard": {"count/jobs.batch": "1"}}})
    # As the work queue waits: at most as long again as it has waited so far.
    assert box.run(70).jobs() == ["hello-28401121"]


def test_a_job_that_goes_missing_is_no_longer_active() -> None:
    box = Box()
    box.done("create", object=make_cron_job(job={"template": TEMPLATE, "suspend": True}))
    box.run(61)
    box.done("delete", kind="Job", namespace="default", name="hello-28401121")
    assert box.events() == [(60_100, "SuccessfulCreate"), (61_000, "MissingJob")]
    assert "active" not in box.get("CronJob", "hello")["status"]


def test_cron_is_upkeep_and_nothing_ticks() -> None:
    box = Box()
    box.done("create", object=make_cron_job(schedule="0 3 * * *"))
    assert box.cluster.is_idle()
    assert box.cluster.next_wake() == 3 * 3_600_000 + 100
    box.run(3 * 3600 + 1)
    assert not box.cluster.is_idle()


def test_a_limited_life_is_progress() -> None:
    box = Box()
    box.done("create", object={"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"},
        "spec": {"template": TEMPLATE, "ttlSecondsAfterFinished": 100}})  # fmt: skip
    box.run(50)
    assert (box.cluster.is_idle(), box.cluster.next_wake()) == (False, 105_000)
    assert box.run(105).jobs() == []
    assert box.cluster.is_idle()


def test_a_job_that_is_not_finished_or_goes_already_is_left_alone() -> None:
    box = Box()
    spec = {"template": TEMPLATE, "ttlSecondsAfterFinished": 0, "suspend": True}
    box.done(
        "create", object={"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}
    )
    box.run(100)
    assert box.jobs() == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["Allow", "Forbid", "Replace"])
@pytest.mark.parametrize(
    "status",
    [
        {"active": [{}]},
        {"active": [{"uid": "a"}, {"name": "hello-28401121"}]},
        {"active": [{"name": "hello", "uid": "x"}], "lastScheduleTime": "0001-01-01T00:00:00Z"},
        {"lastScheduleTime": "9999-12-31T23:59:59Z", "lastSuccessfulTime": "0001-01-01T00:00:00Z"},
        {"lastScheduleTime": "2199-01-01T00:00:00Z"},
    ],
)
def test_any_status_that_a_client_writes_is_lived_with(status: Json, policy: str) -> None:
    box = Box()
    box.done("create", object=make_cron_job(concurrencyPolicy=policy))
    box.run(10)
    where = {"kind": "CronJob", "namespace": "default", "name": "hello", "subresource": "status"}
    box.done("patch", **where, type="merge", patch={"status": status})
    box.run(200).take()
    last = status.get("lastScheduleTime", "0")
    # A time that lies ahead is believed: nothing is due before it.
    assert bool(box.jobs()) is (last < "2025")
    json.dumps(box.cluster.save())


def test_what_an_older_engine_only_stored_is_acted_on() -> None:
    box = Box()
    box.done("create", object=make_cron_job())
    box.run(30).take()
    saved = box.cluster.save()
    objects = saved["objects"]
    for place, entry in enumerate(objects):
        if entry[1] == "CronJob":
            # As that engine kept it, its times cut to seconds.
            stored = PlainObject.from_json(box.get("CronJob", "hello"), EPOCH_MS)
            objects[place] = encode(stored)
    timers = [timer for timer in saved["agenda"]["timers"] if not timer[3].startswith("cronjob|")]
    saved |= {"engine_version": 9, "agenda": {**saved["agenda"], "timers": timers}}
    known = Known(
        seed=1,
        epoch_ms=EPOCH_MS,
        settings=Settings(timing="instant"),
        now_ms=30_000,
        seq=box.rows[-1]["seq"],
        resource_version=saved["resource_version"],
        objects=[data for kind in box.cluster.kinds() for data in box.cluster.list(kind)],
    )
    later = Box(Cluster.take_up(known, saved))
    assert later.run(61).jobs() == ["hello-28401121"]


@pytest.mark.slow
def test_a_saved_cluster_goes_on_as_if_it_had_not_been_saved() -> None:
    def live(saves: bool) -> list[Json]:
        box = Box()
        box.done("create", object=make_cron_job(concurrencyPolicy="Forbid", schedule="*/2 * * * *"))
        box.done("create", object=make_cron_job("often", job={"ttlSecondsAfterFinished": 30}))
        for second in range(20, 400, 20):
            box.run(second)
            if saves:
                rows, saved = box.take(), json.loads(json.dumps(box.cluster.save()))
                box = Box(Cluster.load(saved))
                box.rows = rows
        return box.take()

    assert live(saves=True) == live(saves=False)


def test_pods_of_one_cron_job_share_the_reading_of_their_spec() -> None:
    """What is worked out once for all pods of a spec is so for all runs, and a year of them holds one."""
    box = Box()
    box.submit("create", object=make_cron_job())
    box.run(200)
    pods = [box.cluster.find("Pod", "default", pod["metadata"]["name"]) for pod in box.cluster.list("Pod")]
    assert len(pods) == 3
    assert len({id(pod.spec) for pod in pods if pod is not None}) == 1
    changed = make_cron_job(job={"template": {"spec": {**TEMPLATE["spec"], "hostname": "other"}}})
    box.submit("apply", object=changed)
    box.run(260)
    newest = box.cluster.list("Pod")[-1]
    assert newest["spec"]["hostname"] == "other"


@pytest.mark.parametrize("deadline_seconds", [45, 100])
def test_a_run_that_does_not_come_is_not_waited_for_without_end(deadline_seconds: int) -> None:
    """Under a deadline `@every` counts from later on, so nothing may be due when the controller wakes."""
    box = Box()
    box.done("create", object=make_cron_job(schedule="@every 90s", startingDeadlineSeconds=deadline_seconds))
    # Another look, in between, finds nothing to do and knows when it is to be made again.
    box.run(68).patch("CronJob", "hello", {"spec": {"successfulJobsHistoryLimit": 1}})
    box.run(600)
    assert "SyncBackOff" not in [reason for _at_ms, reason in box.events()]


def test_pods_of_one_cron_jobs_jobs_are_of_one_class_to_the_scheduler() -> None:
    box = Box()
    box.done("create", object=make_cron_job())
    box.run(400)
    assert len(box.cluster._scheduler._classes._by_content) == 1
    assert box.get("CronJob", "hello")["status"]["lastScheduleTime"] == "2024-01-01T00:06:00Z"
