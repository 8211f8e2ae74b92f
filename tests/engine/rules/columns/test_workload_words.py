"""What is said of CronJobs and Jobs in a line."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.rules.telling.workloads import describe_retries, describe_runs

NOW_MS = parse_utc_ms("2024-01-01T04:00:30Z")


@pytest.mark.spec("CRON-DEADLINE-03", "CRON-SCHED-15")
@pytest.mark.parametrize(
    "spec, last, words",
    [
        ({"schedule": "0 3 * * 1"}, "2024-01-01T03:00:00Z", "next 2024-01-08T03:00:00Z"),
        (
            {"schedule": "0 3 * * 1", "timeZone": "Europe/Kyiv"},
            "2024-01-01T01:00:00Z",
            "next 2024-01-08T01:00:00Z",
        ),
        ({"schedule": "*/20 * * * *"}, "2024-01-01T02:00:00Z", "next 2024-01-01T04:20:00Z, 6 missed"),
        (
            {"schedule": "*/20 * * * *", "startingDeadlineSeconds": 1500},
            "2024-01-01T02:00:00Z",
            "next 2024-01-01T04:20:00Z, 2 missed",
        ),
        ({"schedule": "*/20 * * * *", "suspend": True}, "2024-01-01T02:00:00Z", "suspended"),
        ({"schedule": "often"}, None, "never: expected exactly 5 fields, found 1: [often]"),
        (
            {"schedule": "59 23 31 2 *"},
            None,
            "never: time difference between two schedules is less than 1 second",
        ),
    ],
)
def test_a_cron_job_says_when_it_runs_and_what_it_missed(
    spec: dict[str, Any], last: str | None, words: str
) -> None:
    data = {"metadata": {"creationTimestamp": "2024-01-01T00:00:00Z"}, "spec": spec}
    data["status"] = {"lastScheduleTime": last} if last else {}
    assert describe_runs(data, NOW_MS) == words


@pytest.mark.spec("CRON-DEADLINE-03")
@pytest.mark.parametrize(
    "late_ms, words", [(0, "next 2024-01-01T04:02:00Z"), (100, "next 2024-01-01T04:02:00Z, 1 missed")]
)
def test_a_run_that_is_just_due_is_not_missed_before_the_controller_looks(late_ms: int, words: str) -> None:
    metadata = {"creationTimestamp": "2024-01-01T04:00:30Z"}
    data = {"metadata": metadata, "spec": {"schedule": "* * * * *"}, "status": {}}
    assert describe_runs(data, parse_utc_ms("2024-01-01T04:01:00Z") + late_ms) == words


def test_a_schedule_without_a_zone_goes_by_the_controllers() -> None:
    data = {"metadata": {"creationTimestamp": "2024-01-01T04:00:00Z"}, "spec": {"schedule": "0 8 * * *"}}
    assert describe_runs(data, NOW_MS, "Asia/Kolkata") == "next 2024-01-02T02:30:00Z"


@pytest.mark.parametrize(
    "spec, status, words",
    [
        ({"backoffLimit": 6}, {}, ""),
        ({"backoffLimit": 6}, {"failed": 2}, "4 of 6 left"),
        ({"backoffLimit": 6}, {"failed": 7}, "0 of 6 left"),
        ({"backoffLimit": 6}, {"failed": 7, "conditions": [{"type": "Failed", "status": "True"}]}, ""),
        ({"backoffLimit": 2**31 - 1, "backoffLimitPerIndex": 1}, {"failed": 2}, ""),
    ],
)
def test_a_job_says_how_often_it_may_still_fail(spec: Any, status: Any, words: str) -> None:
    assert describe_retries({"spec": spec, "status": status}) == words
