"""What pages say of the requests to Services: their own, those of workloads, the cluster's, comparisons."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare
from dashboard.pages.service.readings import list_losses, list_served, tell_requests
from lifecycle import rest_tokens
from lifecycle.lost_requests import Courses
from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.requests import read_lost_sums, tell_lost_requests
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.requests import gone, lost_a_third, store_web, told
from tests.dashboard.rows import transition

pytestmark = pytest.mark.django_db
LOST = "lost 1.0s of all requests, worst 1 of 3 refused from 00:00:02.0 to 00:00:05.0"


def make_shop(rows: list[dict[str, Any]], owner: Any = None, name: str = "shop", **selector: str) -> Cluster:
    cluster = make_cluster(owner or make_user(), name)
    made = [
        transition(0, "exists", "created", "web", kind="Deployment", group="apps", uid="deployment"),
        transition(0, "exists", "created", "web", kind="Service", uid="service-web"),
    ]
    record(cluster, [*made, *rows])
    store_web(cluster, **selector)
    Cluster.objects.filter(pk=cluster.pk).update(instant_ms=60_000, anchor_instant_ms=60_000)
    cluster.refresh_from_db()
    return cluster


@pytest.mark.parametrize(
    "rows, words",
    [
        pytest.param([], ["Nobody has sent it requests yet."], id="nobody sends"),
        pytest.param([told(0, None, 0)], ["All requests are served now."], id="all served"),
        pytest.param(lost_a_third(), ["All requests are served now.", f"So far it {LOST}."], id="lost some"),
        pytest.param(
            [told(0, None, 0), told(50_000, 0, 1000, "nobody")],
            [
                "Requests are lost now: all sent to nobody since 00:00:50.0.",
                "So far it lost 10.0s of all requests, worst all sent to nobody since 00:00:50.0.",
            ],
            id="losing all",
        ),
    ],
)
def test_the_page_of_a_service_says_what_became_of_its_requests(
    client: Client, rows: list[dict[str, Any]], words: list[str]
):
    cluster = make_shop(rows)
    client.force_login(cluster.owner)
    here = "/clusters/shop/services/default/web/"
    page = client.get(here).content.decode()
    for one in words:
        assert one in page
    assert page.count("So far it") == len(words) - 1
    for part in ("status/", "yaml/"):
        assert client.get(f"{here}{part}").status_code == 200
    assert client.get("/clusters/shop/services/default/none/").status_code == 404


def test_each_stretch_in_which_requests_were_lost_is_listed_the_latest_first():
    rows = [*lost_a_third(), told(7_000, 0, 0, "reset", atOnceMs=80), told(9_000, 0, 500, "timedOut")]
    listed = list_losses(Courses(rows), 10_000, 100)
    assert [(one["from"], one["to"], one["share"], one["how"], one["amount"]) for one in listed] == [
        ("00:00:09.0", "now", "1 of 2", "timed out", "50 requests (500ms of all)"),
        ("00:00:07.0", "00:00:07.0", "under way", "reset", "8 requests (80ms of all)"),
        ("00:00:02.0", "00:00:05.0", "1 of 3", "refused", "100 requests (1.0s of all)"),
    ]


def test_the_page_of_a_workload_tells_of_services_that_select_its_pods(client: Client):
    cluster = make_shop(lost_a_third())
    client.force_login(cluster.owner)
    assert f"Service web {LOST}." in client.get("/clusters/shop/deployments/default/web/").content.decode()
    stored = StoredObject.objects.get(cluster=cluster, kind="Deployment")
    StoredObject.objects.filter(cluster=cluster, kind="Service").update(
        data={"metadata": {"name": "web"}, "spec": {"selector": {"app": "other"}}}
    )
    assert tell_requests(cluster, stored, 60_000) == []


@pytest.mark.slow
def test_the_clusters_page_lists_services_that_are_sent_requests(client: Client):
    cluster = make_shop(lost_a_third())
    (one,) = list_served(cluster, 60_000)
    assert (one["page"], one["told"]) == ("services/default/web/", "lost 1.0s of all requests so far")
    client.force_login(cluster.owner)
    assert "services/default/web/" in client.get("/clusters/shop/").content.decode()
    record(cluster, [gone(60_000)])
    StoredObject.objects.filter(cluster=cluster, kind="Service").update(deleted_ms=60_000)
    assert list_served(cluster, 60_000) == []


def test_how_many_requests_it_gets_a_second_turns_shares_into_numbers():
    cluster = make_shop(lost_a_third())
    service = StoredObject.objects.get(cluster=cluster, kind="Service")
    service.data["metadata"]["annotations"] = {"podline.dev/requests": "{perSecond: 200}"}
    service.save()
    assert list_served(cluster, 60_000)[0]["told"] == "lost 200 requests (1.0s of all) so far"


def test_a_comparison_says_which_of_the_two_lost_less():
    left = make_shop([told(1_000, None, 0)], name="calm")
    right = make_shop(lost_a_third(), left.owner, "shop")
    for one, other, how in ((left, right, "worse"), (right, left, "better")):
        (web,) = compare(one, other).workloads
        here, there = ("0ms", "1.0s") if how == "worse" else ("1.0s", "0ms")
        assert ("Requests to web lost", here, f"{there}, {how}") in web.rows
    assert "| Requests to web lost | 0ms | 1.0s, worse |" in write_markdown(compare(left, right))
    (web,) = compare(left, left).workloads
    assert ("Requests to web lost", "0ms", "0ms") in web.rows


def test_the_metric_of_lost_requests_is_for_who_may_see_the_cluster(client: Client, settings: Any):
    cluster = make_shop(lost_a_third())
    settings.OPEN_TO_ALL = ["metrics"]
    labels = 'cluster="shop",namespace="default",sender="pods",service="web"'
    told = f"podline_requests_lost_seconds_total{{{labels}}} 0.999"
    owner = {"Authorization": f"Bearer {rest_tokens.issue(cluster.owner)}"}
    other = {"Authorization": f"Bearer {rest_tokens.issue(get_user_model().objects.create_user('eve'))}"}
    assert told in client.get("/metrics", headers=owner).content.decode()
    for headers in ({}, other, {"Authorization": "Bearer none"}, {"Authorization": "Basic x"}):
        page = client.get("/metrics", headers=headers)
        assert page.status_code == 200 and "lost_seconds_total{" not in page.content.decode()
    settings.OPEN_TO_ALL = []
    assert client.get("/metrics", headers=owner).status_code == 403


@pytest.mark.parametrize(
    "rows, lost_seconds",
    [
        pytest.param([told(1_000, None, 0)], [("pods", 0)], id="none"),
        pytest.param(lost_a_third(), [("pods", 0.999)], id="some"),
        # 10 s of all, up to the instant of the cluster, 60 s.
        pytest.param([told(0, None, 0), told(50_000, 0, 1000, "nobody")], [("pods", 10)], id="going on"),
        pytest.param(
            [*lost_a_third(), told(40_000, 0, 500, "reset", lostMs=999)], [("pods", 10.999)], id="and again"
        ),
        pytest.param(
            [told(0, None, 0, sender="ingress"), *lost_a_third()],
            [("ingress", 0), ("pods", 0.999)],
            id="by sender",
        ),
    ],
)
def test_what_a_service_lost_stands_in_its_last_rows(rows: list[dict[str, Any]], lost_seconds: Any):
    cluster = make_shop(rows)
    (found,) = read_lost_sums([cluster], 50).values()
    assert [(one.sender, one.count_ms(60_000) / 1000) for one in found] == lost_seconds
    assert {(one.namespace, one.name) for one in found} == {("default", "web")}


def test_what_more_clusters_lost_takes_no_more_questions(django_assert_max_num_queries: Any):
    first = make_shop(lost_a_third())
    more = [make_shop(lost_a_third(), first.owner, f"shop-{number}") for number in range(4)]
    for clusters in ([first], [first, *more]):
        with django_assert_max_num_queries(3):
            assert len(read_lost_sums(clusters, 50)) == len(clusters)
    with django_assert_max_num_queries(3):
        assert read_lost_sums(more, 0) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows, words",
    [
        pytest.param([told(1_000, None, 0)], [], id="none"),
        pytest.param(lost_a_third(), [f"Service web {LOST}"], id="some"),
    ],
)
def test_the_head_of_a_cluster_says_what_was_lost(
    client: Client, rows: list[dict[str, Any]], words: list[str]
):
    cluster = make_shop(rows)
    assert tell_lost_requests(cluster, 60_000) == words
    client.force_login(cluster.owner)
    for page in ("/clusters/shop/", "/clusters/shop/verdict/"):
        assert (f"Service web {LOST}." in client.get(page).content.decode()) == bool(words)
