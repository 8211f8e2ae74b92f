"""The figures of a stretch of time, counted by hand from the rows that it has."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from lifecycle.models import Cluster, StoredObject
from lifecycle.recorded.stretches import Stretch, read_stretch
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import transition

pytestmark = pytest.mark.django_db


def pod(name: str, created_ms: int, ready_ms: int, **more) -> list[dict]:
    return [
        transition(created_ms, "exists", "created", name, **more),
        transition(created_ms, "state", "starting", name, **more),
        transition(ready_ms, "state", "ready", name, old="starting", **more),
    ]


def state(at_ms: int, name: str, old: str, new: str) -> dict:
    return transition(at_ms, "state", new, name, old=old)


# Four pods are ready from 1 s on; from 10 s on two are replaced, one by one; a Job's pod succeeds.
ROWS = [
    *(row for name in ("a", "b", "c", "d") for row in pod(name, 0, 1000)),
    *pod("job", 2000, 3000),
    *pod("e", 10_000, 14_000),
    state(10_000, "a", "ready", "terminating"),
    transition(12_000, "exists", "deleted", "a", old="created"),
    transition(12_500, "container.app.restartCount", 1, "b", old=0),
    transition(13_000, "container.app.restartCount", 3, "c", old=1),
    state(13_000, "job", "ready", "succeeded"),
    state(14_000, "b", "ready", "terminating"),
    transition(16_000, "exists", "deleted", "b", old="created"),
    transition(17_000, "exists", "deleted", "job", old="created"),
    *pod("f", 16_000, 18_000),
]


@pytest.fixture
def shop(client: Client) -> Cluster:
    ada = make_user()
    client.force_login(ada)
    cluster = make_cluster(ada)
    record(cluster, sorted(ROWS, key=lambda row: row["at_ms"]))
    # What the recorder keeps of each at the end.
    at_end = {"a": ("terminating", 12_000), "b": ("terminating", 16_000), "job": ("succeeded", 17_000)}
    for stored in StoredObject.objects.filter(cluster=cluster):
        stored.state, stored.deleted_ms = at_end.get(stored.name, ("ready", None))
        stored.save()
    return cluster


@pytest.mark.parametrize(
    "from_ms, to_ms, expected",
    [
        # Ready are a to d and the Job's pod, then b to d and that, then b to d without it: e is not yet.
        pytest.param(10_000, 15_000, Stretch(10_000, 15_000, 3, 4, 13_000, 1, 2, 3), id="one is replaced"),
        pytest.param(15_000, 20_000, Stretch(15_000, 20_000, 3, 3, 15_000, 1, 1, 0), id="the second"),
        pytest.param(0, 2000, Stretch(0, 2000, 0, 4, 0, 4, 0, 0), id="from the beginning"),
        pytest.param(4000, 9000, Stretch(4000, 9000, 5, 5, 4000, 0, 0, 0), id="nothing happens"),
        pytest.param(12_000, 12_000, Stretch(12_000, 12_000, 4, 5, 12_000, 0, 0, 0), id="an instant"),
    ],
)
def test_figures_are_of_what_was_recorded_in_the_stretch(shop: Cluster, from_ms, to_ms, expected: Stretch):
    assert read_stretch(shop, from_ms, to_ms) == expected


def test_of_pods_that_are_asked_for_only_those_count(shop: Cluster):
    assert read_stretch(shop, 10_000, 20_000, ["uid-a", "uid-c"]) == Stretch(
        10_000, 20_000, 1, 1, 10_000, 0, 1, 2
    )
    assert read_stretch(shop, 10_000, 20_000, []) == Stretch(10_000, 20_000)


def test_a_page_says_the_figures_in_a_sentence(client: Client, shop: Cluster):
    def ask(**asked: str) -> tuple[int, str]:
        answer = client.get("/clusters/shop/stretch/", asked)
        return answer.status_code, " ".join(re.sub("<[^>]*>", " ", answer.content.decode()).split())

    told = "In these 5s (00:00:10.0 to 00:00:15.0): fewest ready 3 of 4, 1 created, 2 ended, 3 restarts"
    # Whichever end is said first, in whichever form.
    for ends in ({"from": "10000", "to": "15s"}, {"from": "00:00:15", "to": "10s"}):
        status, text = ask(**ends)
        assert status == 200 and text.replace(") :", "):").startswith(told), text
    assert text.endswith("3 restarts (fewest at 00:00:13.0) . Close")
    assert "0 created, 1 ended, 0 restarts" in ask(**{"from": "10s", "to": "15s", "q": "a"})[1]
    # What has not come yet is not counted.
    assert "In these 2.001s" in ask(**{"from": "16s", "to": "9h"})[1]


def test_the_pods_of_a_set_in_between_are_its_own_and_its_owners(client: Client, shop: Cluster):
    between = transition(0, "exists", "created", "web-6d4", kind="ReplicaSet", group="apps")
    deployment = transition(0, "exists", "created", "web", kind="Deployment", group="apps")
    record(shop, [deployment, between | {"owner": "Deployment/web"}])
    StoredObject.objects.filter(cluster=shop, name__in=["a", "b"]).update(owner="ReplicaSet/web-6d4")
    for of in ("default/ReplicaSet/web-6d4", "default/Deployment/web"):
        answer = client.get("/clusters/shop/stretch/", {"from": "11s", "to": "17s", "of": of})
        assert "2 ended" in answer.content.decode(), of


@pytest.mark.parametrize("end", ["", "soon", "-1", "²", "9" * 5000, "1e99s", "99999999999999d"])
def test_an_end_that_is_no_instant_is_said(client: Client, shop: Cluster, end: str):
    answer = client.get("/clusters/shop/stretch/", {"from": end, "to": "5s"})
    assert (answer.status_code, 'role="alert"' in answer.content.decode()) == (422, True)


@pytest.mark.parametrize("of", ["shop", "a/b/c", "shop/Pod/a", "//", "shop/Deployment/<b>"])
def test_a_workload_that_is_none_is_not_found(client: Client, shop: Cluster, of: str):
    asked = {"from": "0s", "to": "5s", "of": of}
    assert client.get("/clusters/shop/stretch/", asked).status_code == 404
