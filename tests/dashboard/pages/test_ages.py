"""Ages of a page: what they count from, and when they stand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.pages.ages import Counting, count_on
from lifecycle.engine.objects.times import format_time
from lifecycle.models import Cluster, StoredObject

EPOCH_MS = 1_767_225_600_000
NOW_MS = 1_500_000
CLUSTER = Cluster(epoch=datetime.fromtimestamp(EPOCH_MS / 1000, UTC))
COLUMNS = {"COMPLETIONS": "0/1", "DURATION": "kubectl's", "LAST SCHEDULE": "kubectl's", "AGE": "kubectl's"}


def make(kind: str, group: str = "batch", deleted_ms: int | None = None, **status: Any) -> StoredObject:
    return StoredObject(
        kind=kind, group=group, name="web", created_ms=2_300, deleted_ms=deleted_ms, data={"status": status}
    )


def told(stored: StoredObject) -> dict[str, Any]:
    return count_on(dict(COLUMNS), CLUSTER, stored, NOW_MS)


def counting(facts: dict[str, Any]) -> dict[str, int]:
    return {name: value.since_ms for name, value in facts.items() if isinstance(value, Counting)}


def at(seconds: int) -> str:
    return format_time(seconds * 1000, EPOCH_MS)


def over(type_: str, seconds: int) -> dict[str, Any]:
    return {"type": type_, "status": "True", "lastTransitionTime": at(seconds)}


@pytest.mark.parametrize(
    "stored, expected",
    [
        # Created at 2.3 s: API times are whole seconds.
        pytest.param(make("Deployment", "apps"), {"AGE": 2_000}, id="any object"),
        pytest.param(
            make("Job", startTime=at(5), active=1), {"AGE": 2_000, "DURATION": 5_000}, id="a Job that runs"
        ),
        pytest.param(
            make("Job", startTime=at(5), conditions=[over("Failed", 63)]), {"AGE": 2_000}, id="a failed Job"
        ),
        pytest.param(
            make("CronJob", lastScheduleTime=at(60)),
            {"AGE": 2_000, "LAST SCHEDULE": 60_000},
            id="a CronJob that ran",
        ),
        pytest.param(make("CronJob"), {"AGE": 2_000}, id="a CronJob that never ran"),
        pytest.param(make("Deployment", "apps", deleted_ms=9_000), {}, id="what is gone"),
    ],
)
def test_what_counts_on(stored, expected):
    assert counting(told(stored)) == expected


@pytest.mark.parametrize(
    "stored, name, expected",
    [
        pytest.param(make("Deployment", "apps"), "AGE", "24m", id="1498 s"),
        pytest.param(make("Deployment", "apps", deleted_ms=9_000), "AGE", "7s", id="until it was deleted"),
        pytest.param(
            make("Job", startTime=at(5), conditions=[over("Failed", 63)]), "DURATION", "58s", id="failed"
        ),
        pytest.param(
            make("Job", startTime=at(5), conditions=[over("Complete", 20)]), "DURATION", "15s", id="complete"
        ),
        pytest.param(make("Job", conditions=[over("Failed", 63)]), "DURATION", "kubectl's", id="never began"),
        pytest.param(make("CronJob"), "LAST SCHEDULE", "kubectl's", id="never ran"),
    ],
)
def test_what_a_page_says(stored, name, expected):
    assert told(stored)[name] == expected
