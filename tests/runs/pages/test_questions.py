"""How many questions a page asks the database: each costs Django more than the database."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.live import shared_parts
from dashboard.pages.cluster import verdict as cluster_verdict
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import StoredObject
from lifecycle.recorded.living import count_living, is_none
from lifecycle.recorded.objects import alive
from lifecycle.recorded.once import asked_once, once, recall
from lifecycle.runs import forks, inbox
from tests.runs.conftest import create

pytestmark = pytest.mark.slow

# By page as many as it may ask: two more than it does. Of them three are for who asks, and for the cluster.
MOST = {
    "/": 9,
    "/clusters/shop/": 31,
    "/clusters/shop/workloads/": 18,
    "/clusters/shop/verdict/": 19,
    "/clusters/shop/table/": 6,
    "/clusters/shop/events/": 8,
    "/clusters/shop/objects/": 8,
    "/clusters/shop/deployments/default/web/": 29,
    "/clusters/shop/deployments/default/web/status/": 27,
    "/clusters/shop/pods/default/{pod}/": 17,
    "/clusters/shop/pods/default/{pod}/status/": 15,
    "/clusters/shop/nodes/node-1/": 10,
    "/clusters/shop/services/default/web/": 10,
    "/clusters/shop/compare/beside/": 34,
    "/clusters/ill/": 44,
    "/clusters/ill/pods/default/crashing/": 15,
}


@pytest.fixture
def shop(owner, wall, make_cluster):
    """A cluster of fifty pods behind a Service, and a fork of it."""
    cluster = make_cluster(settings={"nodes": {"count": 2, "cpu": "64", "memory": "64Gi"}})
    create(cluster, replicas=50)
    service = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    named = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"}}
    inbox.append(cluster, "create", {"object": {**named, "spec": service}})
    for _ in range(30):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    forks.fork(cluster, cluster.instant_ms, cluster.owner, "beside")
    return cluster


@pytest.fixture
def ill(owner, wall, make_cluster):
    """A pod that crashes, one that never gets ready, one that has no room; and a node that takes none."""
    cluster = make_cluster("ill", settings={"nodes": {"count": 2}})
    crashing = {"name": "app", "image": "busybox", "command": ["sh", "-c", "exit 1"]}
    waiting = {"name": "app", "image": "nginx", "resources": {"requests": {"cpu": "64"}}}
    probe = {"httpGet": {"port": 81}, "periodSeconds": 1}
    unready = {"name": "app", "image": "nginx", "readinessProbe": probe}
    inbox.append(cluster, "cordon", {"node": "node-2"})
    for name, container in (("crashing", crashing), ("unready", unready), ("waiting", waiting)):
        named = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}}
        inbox.append(cluster, "create", {"object": {**named, "spec": {"containers": [container]}}})
    for _ in range(30):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    return cluster


def count_questions(client, address: str) -> int:
    # What a process keeps from its first page on has been read.
    assert client.get(address).status_code == 200, address
    with CaptureQueriesContext(connection) as asked:
        client.get(address)
    times = Counter(one["sql"] for one in asked)
    assert not [question for question, count in times.items() if count > 1], address
    return len(asked)


def test_a_page_asks_few_questions_and_none_twice(client, shop, ill, monkeypatch):
    # What was made for one is not shown to the next.
    monkeypatch.setattr(shared_parts, "FRESH_SECONDS", 0.0)
    client.force_login(shop.owner)
    pod = alive(shop, POD_KIND.id).filter(state="ready").order_by("name")[0].name
    assert alive(shop, POD_KIND.id).count() == 50
    states = alive(ill, POD_KIND.id).order_by("name").values_list("name", "state")
    assert list(states) == [("crashing", "crashing"), ("unready", "notReady"), ("waiting", "stuck")]
    counted = {page: count_questions(client, page.format(pod=pod)) for page in MOST}
    assert {page: count for page, count in counted.items() if count > MOST[page]} == {}


def test_the_first_page_asks_of_pods_alone_and_holds_no_answers(client, shop, monkeypatch):
    client.force_login(shop.owner)
    client.get("/")
    with CaptureQueriesContext(connection) as asked:
        client.get("/")
    objects = [one["sql"] for one in asked if f'FROM "{StoredObject._meta.db_table}"' in one["sql"]]
    assert [re.findall(r"""\."kind" = '(\w+)'""", sql) for sql in objects] == [["Pod"], ["Pod"]]
    # A verdict that is made anew holds nothing either.
    monkeypatch.setattr(cluster_verdict, "FRESH_SECONDS", 0.0)
    with asked_once(), CaptureQueriesContext(connection) as asked:
        cluster_verdict.keep_verdict(shop, 50, shop.instant_ms + 1)
        assert len(asked) > 2
        assert recall(count_living, shop) is None


def test_a_question_is_answered_once_for_a_page_and_anew_for_the_next(shop):
    asked: list[int] = []

    @once
    def ask(cluster, what):
        asked.append(what)
        return what

    ask(shop, 1), ask(shop, 1)
    assert asked == [1, 1]
    for _ in range(2):
        with asked_once():
            assert [ask(shop, 2), ask(shop, 2), ask(shop, 3)] == [2, 2, 3]
            with asked_once():
                ask(shop, 2)
    assert asked == [1, 1, 2, 3, 2, 3]
    with asked_once():
        ask(shop, 2)
        shop.seq += 1
        ask(shop, 2)
    assert asked[6:] == [2, 2]
    with asked_once():
        ask(cluster=shop, what=4)
        shop.seq += 1
        assert recall(ask, cluster=shop, what=4) is None
        ask(cluster=shop, what=4)
        with asked_once(anew=True):
            ask(cluster=shop, what=4)
        assert recall(ask, cluster=shop, what=4) == 4
    assert asked[8:] == [4, 4, 4]


def test_only_who_has_counted_knows_that_there_is_none(shop):
    assert not is_none(shop, ("CronJob.batch",))
    with asked_once():
        assert not is_none(shop, ("CronJob.batch",))
        count_living(shop)
        assert is_none(shop, ("CronJob.batch",)) and not is_none(shop, (POD_KIND.id,), ("ready", "failed"))
        assert is_none(shop, (POD_KIND.id,), ("failed",))
