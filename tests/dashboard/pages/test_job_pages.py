"""The pages of Jobs and CronJobs, of real runs."""

from __future__ import annotations

import pytest
from django.test import Client

from dashboard.asking.forms import ChangeForm
from dashboard.live.feeds import make_feed
from dashboard.pages.workload.jobs import Grid, Run, read_calendar, read_grid
from lifecycle.engine.objects.workloads.job import Job
from lifecycle.engine.rules.telling.verdicts import tell_job
from lifecycle.models import Cluster
from lifecycle.recorded.objects import find_object
from lifecycle.verdicts import make_manual_job
from tests.dashboard.pages.test_verdicts import make_cron_job, make_job
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db


def read(cluster: Cluster, name: str = "work") -> Grid:
    stored = find_object(cluster, "Job", "default", name)
    assert stored is not None
    return read_grid(cluster, stored)


def calendar(cluster: Cluster) -> list[Run]:
    stored = find_object(cluster, "CronJob", "default", "night")
    assert stored is not None
    return read_calendar(cluster, stored, cluster.instant_ms)


# --- Jobs -------------------------------------------------------------------------------------------------

INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 2, "backoffLimitPerIndex": 1}


EXITS = {"onExitCodes": {"operator": "In", "values": [42]}}
LOST = {"onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules, expected",
    [
        pytest.param(
            [{"action": "FailIndex", **EXITS}], "FailIndex by rule 0 of the podFailurePolicy", id="the first"
        ),
        pytest.param(
            [{"action": "Ignore", **LOST}, {"action": "FailIndex", **EXITS}],
            "FailIndex by rule 1 of the podFailurePolicy",
            id="the first that matches",
        ),
        pytest.param([{"action": "Ignore", **LOST}], "", id="none"),
    ],
)
def test_the_rule_that_decided_on_an_index_is_named(client, rules, expected):
    door = Door()
    policy = {"podFailurePolicy": {"rules": rules}}
    script = "test $JOB_COMPLETION_INDEX != 1 || exit 42"
    door.apply(make_job(script, **{**INDEXED, "backoffLimitPerIndex": 0}, **policy))
    cluster = keep(door.run(30).cluster)
    assert {cell.label: cell.rule for cell in read(cluster).shown} == {
        "0": "",
        "1": expected,
        "2": "",
        "3": "",
    }
    assert expected in show(client, cluster)


@pytest.mark.slow
def test_every_index_has_its_state_and_its_retries(client: Client) -> None:
    door = Door()
    door.apply(make_job("sleep 5; test $JOB_COMPLETION_INDEX != 1", **INDEXED))
    cluster = keep(door.run(12).cluster)
    told = [(cell.label, cell.tone.name, cell.retries) for cell in read(cluster).shown]
    # Index 1 failed at 5 s and is tried again after 10 s.
    assert told == [("0", "succeeded", 0), ("1", "failed", 0), ("2", "succeeded", 0), ("3", "ready", 0)]
    assert 'value="suspend"' in show(client, cluster)
    cluster = keep(door.run(30).cluster)
    grid = read(cluster)
    told = [(cell.label, cell.words, cell.retries) for cell in grid.shown]
    assert told == [
        ("0", "succeeded", 0),
        ("1", "failed: Error", 1),
        ("2", "succeeded", 0),
        ("3", "succeeded", 0),
    ]
    assert grid.numbers == {
        "Active": "0",
        "Succeeded": "3",
        "Failed": "2",
        "Completions": "4",
        "Parallelism": "2",
        "Back-off limit per index": "1",
    }
    page = show(client, cluster)
    assert ": FailedIndexes: Job has failed indexes (1); last, " in page
    assert 'value="suspend"' not in page, "it is over"
    assert f'data-why="{grid.shown[1].seq}"' in page and "1 retry" in page
    # What policies did stands among the events and the conditions.
    assert "FailedIndexes" in page


def show(client: Client, cluster: Cluster) -> str:
    client.force_login(cluster.owner)
    return client.get(f"/clusters/{cluster.name}/jobs/default/work/").content.decode()


def test_of_many_failed_indexes_as_many_are_named_as_a_line_holds() -> None:
    failed = {"type": "Failed", "status": "True", "reason": "FailedIndexes", "message": "too many"}
    status = {"conditions": [failed], "failedIndexes": ",".join(map(str, range(0, 100, 2)))}
    told = tell_job(Job.from_json({**make_job("true", **INDEXED), "status": status}), 1000)[0]
    assert told.endswith("too many (0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40 …)")


def test_of_very_many_indexes_those_that_are_not_done_are_shown_first() -> None:
    door = Door()
    many = {**INDEXED, "completions": 100_000, "parallelism": 3}
    door.apply(make_job("sleep 1; test $JOB_COMPLETION_INDEX != 1", **many))
    grid = read(keep(door.run(5).cluster))
    assert (len(grid.shown), grid.total) == (200, 100_000)
    words = {cell.label: cell.words for cell in grid.shown}
    assert "Error" in words["1"] and list(words.values()).count("not begun") > 190


def test_pods_of_a_job_without_indexes_stand_in_order_with_the_limit_that_is_used() -> None:
    door = Door()
    door.apply(make_job("exit 3", backoffLimit=2))
    grid = read(keep(door.run(100).cluster))
    assert [cell.words for cell in grid.shown] == ["Error"] * 3
    assert grid.numbers["Back-off limit"] == "2 of 2 used"
    assert (grid.numbers["Failed"], grid.numbers["Completions"]) == ("3", "1")


def test_the_chart_of_a_job_stacks_what_became_of_its_pods() -> None:
    door = Door()
    door.apply(make_job("sleep 5; test $JOB_COMPLETION_INDEX != 1", **INDEXED))
    cluster = keep(door.run(40).cluster)
    feed = make_feed(cluster, "rollout:default/Job/work")
    assert feed is not None
    figure = feed.figure(cluster.instant_ms)
    drawn = {trace["name"]: max(trace["y"]) for trace in figure["data"] if trace["y"]}
    assert drawn == {"succeeded": 3, "active": 2, "failed": 2}
    labels = [row["label"] for row in figure["layout"]["meta"]["rows"]]
    assert labels == ["failed", "active", "succeeded"]
    # The areas stand upon each other: 3 and 2 are 5.
    assert figure["layout"]["yaxis"]["range"][1] > 5


# --- CronJobs ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_calendar_has_runs_and_those_to_come(client: Client) -> None:
    door = Door()
    door.apply(make_cron_job())
    cluster = keep(door.run(605).cluster)
    # The latest first.
    runs = calendar(cluster)[::-1]
    told = [(run.kind, run.at[:8], run.words) for run in runs]
    assert told[0] == ("run", "00:05:00", "complete after 10s")
    assert told[1][:2] == ("run", "00:10:00") and told[1][2].startswith("active for ")
    assert [one[:2] for one in told[2:]] == [("next", f"00:{minute}:00") for minute in (15, 20, 25, 30, 35)]
    assert runs[2].note == "Thu 2026-01-01 00:15 UTC"
    client.force_login(cluster.owner)
    page = client.get(f"/clusters/{cluster.name}/cronjobs/default/night/").content.decode()
    assert f'href="/clusters/{cluster.name}/{runs[0].page}"' in page
    assert "complete after 10s" in page and "Run now" in page


def test_a_run_that_was_left_out_is_in_the_calendar() -> None:
    door = Door()
    manifest = make_cron_job("* * * * *", concurrencyPolicy="Forbid")
    manifest["spec"]["jobTemplate"]["spec"] = make_job("sleep 90")["spec"]
    door.apply(manifest)
    told = [(run.kind, run.words) for run in calendar(keep(door.run(125).cluster))[::-1]]
    assert told[:2] == [("run", "active for 1m 04s"), ("miss", "JobAlreadyActive")] or told[:2] == [
        ("run", "active for 1m 05s"),
        ("miss", "JobAlreadyActive"),
    ]


def test_one_that_is_suspended_has_no_next_run() -> None:
    door = Door()
    door.apply(make_cron_job(suspend=True))
    assert calendar(keep(door.run(400).cluster)) == []


def test_next_runs_are_told_in_the_time_zone_of_the_schedule() -> None:
    door = Door()
    door.apply(make_cron_job("30 6 * * *", timeZone="Asia/Kolkata"))
    first = calendar(keep(door.run(1).cluster))[-1]
    assert (first.at, first.note) == ("01:00:00.0", "Thu 2026-01-01 06:30 Asia/Kolkata")


def test_a_run_by_hand_is_what_kubectl_makes(client: Client) -> None:
    door = Door()
    manifest = make_cron_job()
    manifest["spec"]["jobTemplate"]["metadata"] = {"labels": {"a": "b"}, "annotations": {"c": "d"}}
    stored = door.apply(manifest)
    job = make_manual_job(stored, "night-manual-1")
    assert job["metadata"] == {
        "name": "night-manual-1",
        "namespace": "default",
        "labels": {"a": "b"},
        "annotations": {"cronjob.kubernetes.io/instantiate": "manual", "c": "d"},
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": "night",
                "uid": stored["metadata"]["uid"],
                "controller": True,
            }
        ],
    }
    assert job["spec"] == stored["spec"]["jobTemplate"]["spec"]
    door.done("create", object=job)
    (run,) = [one for one in calendar(keep(door.run(20).cluster)) if one.kind == "run"]
    assert (run.words, run.note, run.name) == ("complete after 10s", "run by hand", "night-manual-1")


@pytest.mark.parametrize("action, is_suspended", [("suspend", True), ("unsuspend", False)])
@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_suspending_is_a_patch(kind: str, action: str, is_suspended: bool) -> None:
    form = ChangeForm({"action": action})
    assert form.is_valid()
    assert form.commands(kind, "default", "work")[-1] == (
        "patch",
        {
            "kind": kind,
            "namespace": "default",
            "name": "work",
            "type": "merge",
            "patch": {"spec": {"suspend": is_suspended}},
        },
    )


def test_a_job_can_be_suspended_and_goes_on() -> None:
    door = Door()
    door.apply(make_job("sleep 30"))
    door.run(5)
    for action in ("suspend", "unsuspend"):
        form = ChangeForm({"action": action})
        assert form.is_valid()
        kind, payload = form.commands("Job", "default", "work")[-1]
        door.done(kind, **payload)
        door.run(40)
    events = [reason for reason, _ in door.events("Job")]
    assert "Suspended" in events and "Resumed" in events
