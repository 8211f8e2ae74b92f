"""Events that repeat, in the lists of pages: told up to now, and counted on from what was recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dashboard.pages.parts import list_recent_events
from lifecycle.engine.heart.series import tell_at
from lifecycle.models import Cluster
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db

NEVER_READY: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "slow", "namespace": "default"},
    "spec": {
        "containers": [
            {
                "name": "app",
                "image": "busybox:1.36",
                "command": ["sleep", "1d"],
                "readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 5},
            }
        ]
    },
}


def read(cluster: Cluster) -> list[dict[str, Any]]:
    told = list_recent_events(cluster)["events"]
    return [event for event in told if event["row"].reason == "Unhealthy"]


def test_an_open_series_is_told_up_to_now_and_counted_on_from_its_row():
    """A kubelet tells 25 in a burst and one in 300 s after that (client-go, EventSourceObjectSpamFilter)."""
    door = Door()
    door.apply(NEVER_READY)
    cluster = keep(door.run(360).cluster)
    latest, *before = read(cluster)
    assert 61 <= latest["times"] <= 64
    # What the page goes on from is the row, which says what is paid for up to it, and not what it comes to.
    row = json.loads(latest["series"])
    now_ms = cluster.instant_ms
    assert row["count"] <= 3
    assert tell_at(row["count"], row["last_ms"], row["detail"], now_ms)[0] == latest["times"]
    # Rows that were followed by others are over.
    assert [event["series"] for event in before] == [""] * len(before)


def test_a_series_that_is_over_is_not_counted_on():
    door = Door()
    door.apply(NEVER_READY)
    door.run(60)
    door.submit("delete", kind="Pod", namespace="default", name="slow")
    cluster = keep(door.run(60).cluster)
    assert {event["series"] for event in read(cluster)} == {""}
    assert 2 <= read(cluster)[0]["times"] <= 14
