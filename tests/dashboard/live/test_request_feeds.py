"""Requests on live figures: read once, then followed; of a workload only those of its Services."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.live.feeds import make_feed
from dashboard.live.timeline_feed import Asked
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.plots.test_requests import LANE, bars
from tests.dashboard.requests import gone, lost_a_third, store_web, told
from tests.dashboard.rows import pod_life, transition

pytestmark = pytest.mark.django_db

WORKLOAD = "default/Deployment/web"


def make_shop(rows: list[dict[str, Any]], **selector: str) -> Cluster:
    cluster = make_cluster(make_user())
    deployment = transition(0, "exists", "created", "web", kind="Deployment", group="apps", uid="deployment")
    record(cluster, [deployment, *pod_life(), *rows])
    store_web(cluster, **selector)
    return cluster


def follow(feed: Any, cluster: Cluster, rows: list[dict[str, Any]]) -> None:
    feed.follow(cluster, {"transitions": record(cluster, rows), "events": []})


@pytest.mark.parametrize("name", ["timeline", f"timeline:{WORKLOAD}", "requests:default/web"])
def test_what_was_recorded_is_drawn_and_followed(name: str):
    cluster = make_shop(lost_a_third()[:2])
    feed = make_feed(cluster, name)
    assert feed is not None
    assert [one[:3] for one in bars(feed.figure(4_000))][-1] == ("requests-lost", 2_000, None)
    follow(feed, cluster, [told(5_000, 333, 0)])
    assert [one[:3] for one in bars(feed.figure(9_000))] == [
        ("requests-served", 1_000, 2_000),
        ("requests-lost", 2_000, 5_000),
        ("requests-served", 5_000, None),
    ]


def test_a_rollout_follows_them_too():
    cluster = make_shop(lost_a_third()[:1])
    feed = make_feed(cluster, f"rollout:{WORKLOAD}")
    assert feed is not None
    assert "requests lost" not in [one["name"] for one in feed.figure(1_500)["data"]]
    follow(feed, cluster, lost_a_third()[1:])
    assert "requests lost" in [one["name"] for one in feed.figure(9_000)["data"]]


def test_a_service_that_selects_other_pods_is_no_business_of_a_workload():
    cluster = make_shop(lost_a_third(), app="other")
    feed = make_feed(cluster, f"timeline:{WORKLOAD}")
    whole = make_feed(cluster, "timeline")
    assert feed is not None and whole is not None
    assert bars(feed.figure(9_000)) == [] != bars(whole.figure(9_000))
    follow(feed, cluster, [told(10_000, 0, 500, "reset")])
    assert bars(feed.figure(12_000)) == []


def test_a_service_that_comes_gets_a_lane_and_one_that_goes_leaves_none():
    cluster = make_shop([])
    feed = make_feed(cluster, "timeline")
    assert feed is not None
    record(cluster, [])
    StoredObject.objects.create(
        cluster=cluster, uid="service-web", kind="Service", namespace="default", name="web", rv=1, data={}
    )
    follow(feed, cluster, [told(6_000, None, 0)])
    assert bars(feed.figure(9_000)) == [("requests-served", 6_000, None, 0.12)]
    follow(feed, cluster, [gone(10_000)])
    assert LANE not in [row["key"] for row in feed.figure(12_000)["layout"]["meta"]["rows"]]


def test_the_figure_of_a_service_that_is_gone_ends_with_it():
    cluster = make_shop([*lost_a_third()[:2], gone(4_000)])
    StoredObject.objects.filter(cluster=cluster, kind="Service").update(deleted_ms=4_000)
    feed = make_feed(cluster, "requests:default/web")
    assert feed is not None
    assert [one[:3] for one in bars(feed.figure(9_000))][-1] == ("requests-lost", 2_000, 4_000)


def test_who_looks_for_pods_is_shown_pods_alone():
    cluster = make_shop(lost_a_third())
    feed = make_feed(cluster, "timeline", asked=Asked(query="web"))
    assert feed is not None
    keys = [row["key"] for row in feed.figure(9_000)["layout"]["meta"]["rows"]]
    assert keys == ["group:default/Pod", "default/web-1"]


def test_of_a_service_that_is_not_there_nothing_is_drawn():
    feed = make_feed(make_shop([]), "requests:default/none")
    assert feed is not None
    assert feed.figure(9_000)["layout"]["meta"]["rows"] == []
