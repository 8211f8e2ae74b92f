"""An event is one line, however often it came: how often, since when, and when last."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from dashboard.pages import parts
from dashboard.pages.parts import list_recent_events
from lifecycle.models import Cluster, Event
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

HOURS_MS = 2 * 60 * 60 * 1000
LOOP: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "loop", "namespace": "default"},
    "spec": {"containers": [{"name": "c", "image": "busybox", "command": ["sh", "-c", "sleep 3; exit 1"]}]},
}


@pytest.fixture
def cluster() -> Cluster:
    """A pod that has crashed again and again for two hours."""
    door = Door()
    door.apply(LOOP)
    return keep(door.run(HOURS_MS / 1000).cluster)


def about(told: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one["row"].reason, one["row"].count) for one in told["events"] if one["row"].name == "loop"]


def test_a_crash_loop_of_two_hours_is_a_line_for_each_event_that_kubectl_has(cluster: Cluster) -> None:
    lines = about(list_recent_events(cluster))
    rows = Event.objects.filter(cluster=cluster, name="loop")
    assert len(lines) == rows.values("event_id").distinct().count()
    counts = dict(lines)
    assert counts["Scheduled"] == 1 and counts["Started"] > 1 and counts["BackOff"] > 20


def test_a_line_says_from_when_to_when(client: Client, cluster: Cluster) -> None:
    client.force_login(cluster.owner)
    uid = Event.objects.filter(cluster=cluster, name="loop").values_list("uid", flat=True)[0]
    for page in (f"/clusters/{cluster.name}/", "pods/default/loop/", f"events/?uid={uid}"):
        address = page if page.startswith("/") else f"/clusters/{cluster.name}/{page}"
        html = client.get(address).content.decode()
        assert re.search(r'title="from 00:00:0\d\.\d to 01:5\d:\d\d\.\d"', html), page
        assert re.search(r"BackOff ×\d+ over [12]h", html), page


@pytest.mark.parametrize("most, rows", [(3, 2_000), (100, 10), (2, 7)])
def test_older_events_are_told_once_and_all_of_them(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, most: int, rows: int
) -> None:
    monkeypatch.setattr(parts, "RECENT_EVENTS", most)
    monkeypatch.setattr(parts, "MOST_ROWS", rows)
    told, before = list[str](), None
    for _ in range(200):
        page = list_recent_events(cluster, before=before)
        told += [one["row"].event_id for one in page["events"]]
        before = page["older"]
        if before is None:
            break
    everything = set(Event.objects.filter(cluster=cluster).values_list("event_id", flat=True))
    assert before is None and sorted(told) == sorted(everything)


def test_what_comes_without_a_name_is_a_line_each_time(cluster: Cluster) -> None:
    """As histories have it that were recorded before events had names."""
    Event.objects.filter(cluster=cluster, name="loop").update(event_id=None)
    lines = about(list_recent_events(cluster))
    assert len(lines) > 20
