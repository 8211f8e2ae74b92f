"""Live figures of histories that were recorded before a pod's state was a row."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.feeds import PodFeed, TimelineFeed
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.plots.test_timeline import bars, without_states
from tests.dashboard.rows import pod_life, transition

pytestmark = pytest.mark.django_db


@pytest.fixture
def old() -> Cluster:
    cluster = make_cluster(make_user())
    record(cluster, without_states(pod_life()))
    StoredObject.objects.filter(cluster=cluster).update(state="ready")
    return cluster


def follow(feed: TimelineFeed | PodFeed, cluster: Cluster, rows: list[dict[str, Any]]) -> None:
    feed.follow(cluster, {"transitions": record(cluster, rows), "events": []})


def test_a_timeline_draws_the_stored_state_and_goes_on_from_there(old: Cluster) -> None:
    feed = TimelineFeed(old, "", None)
    assert bars(feed.figure(9000)) == {("default/web-1", "ready"): [(0, None)]}
    follow(feed, old, [transition(9500, "state", "terminating", old="ready")])
    assert bars(feed.figure(10_000)) == {
        ("default/web-1", "ready"): [(0, 9500)],
        ("default/web-1", "terminating"): [(9500, None)],
    }


def test_a_pods_page_draws_the_stored_state_and_goes_on_from_there(old: Cluster) -> None:
    feed = PodFeed(old, "default/web-1", None)
    assert states(feed.figure(9000)) == {"ready": [(0, None)]}
    follow(feed, old, [transition(9500, "state", "terminating", old="ready")])
    assert states(feed.figure(10_000)) == {"ready": [(0, 9500)], "terminating": [(9500, None)]}


def states(figure: dict[str, Any]) -> dict[str, list[tuple[int, int | None]]]:
    return {state: found for (lane, state), found in bars(figure).items() if lane == "state"}


def test_a_timeline_reads_the_states_that_were_recorded() -> None:
    cluster = make_cluster(make_user())
    record(cluster, pod_life())
    StoredObject.objects.filter(cluster=cluster).update(state="failed")
    feed = TimelineFeed(cluster, "", None)
    assert bars(feed.figure(9000)) == {
        ("default/web-1", "pending"): [(0, 100)],
        ("default/web-1", "starting"): [(100, 2000)],
        ("default/web-1", "notReady"): [(2000, 5000)],
        ("default/web-1", "ready"): [(5000, None)],
    }
