"""Why: the chain of what led to a row, as people read it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.reading.causes import MOST_LINKS, Link, fold_alike, read_chain
from lifecycle.models import Cluster, Command, Transition
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.requests import told
from tests.dashboard.rows import transition
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"
LIVE_FAIL = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "fails",
        "annotations": {
            "podline.dev/behavior": "app: {runs: [{forever: true}], onTerm: {ignore: true}, "
            "probes: {liveness: [{at: 0s, result: failure}]}}"
        },
    },
    "spec": {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 5,
        "containers": [
            {
                "name": "app",
                "image": "server:1",
                "livenessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 1},
            }
        ],
    },
}


def words(cluster: Cluster, row: Transition) -> list[str]:
    return [link.what for link in read_chain(cluster, row.seq)]


def test_a_killed_container_is_told_from_its_failing_probe_to_its_end() -> None:
    door = Door()
    door.apply(LIVE_FAIL)
    cluster = keep(door.run(30).cluster)
    ended = Transition.objects.filter(cluster=cluster, field="container.app.state", new="Terminated").first()
    assert ended is not None
    said = words(cluster, ended)
    assert said[0] == "created"
    course = [one for one in said if one.startswith(("liveness", "SIG")) or "Terminated" in one]
    assert course == [
        "liveness probe of app: Failure",
        "liveness probe of app: Failure",
        "SIGTERM to app",
        "SIGKILL to app",
        "app is Terminated, exit code 137",
    ]
    instants = [link.at_ms for link in read_chain(cluster, ended.seq)]
    assert instants == sorted(instants)


@pytest.fixture
def shop(client: Client) -> Cluster:
    ada = make_user("ada")
    client.force_login(ada)
    return make_cluster(ada)


@pytest.mark.parametrize(
    "row, words",
    [
        ((0, None, 0), "requests from pods: all served"),
        ((0, 0, 667, "refused"), "requests from pods: 2 of 3 lost"),
        ((0, 667, None), "requests from pods: nobody sends any"),
    ],
)
def test_what_becomes_of_requests_is_told_in_words(shop: Cluster, row: Any, words: str) -> None:
    (made,) = record(shop, [told(*row)])
    (link,) = read_chain(shop, made["seq"])
    assert (link.what, link.lane) == (words, "requests:default/web/pods")
    assert link.page == "services/default/web/"


def test_a_chain_begins_with_what_somebody_asked_for(shop: Cluster, client: Client) -> None:
    payload: dict[str, Any] = {
        "kind": "Deployment",
        "namespace": "default",
        "name": HOSTILE,
        "image": HOSTILE,
    }
    asked = inbox.append(shop, "setImage", payload, user=shop.owner)
    Command.objects.filter(pk=asked.pk).update(instant_ms=61_000)
    record(shop, [transition(61_000, "exists", "created", HOSTILE) | {"cause": f"command:{asked.pk}"}])
    (link, row) = read_chain(shop, 1)
    assert (link.at, link.subject, link.what) == (
        "00:01:01.0",
        f"Deployment {HOSTILE}",
        f"setImage image {HOSTILE}",
    )
    assert (link.why, row.what) == ("asked by ada", "created")
    page = client.get(f"/clusters/{shop.name}/why/1/").content.decode()
    assert HOSTILE not in page and "asked by ada" in page


def test_a_row_that_is_not_kept_has_no_chain(shop: Cluster, client: Client) -> None:
    assert read_chain(shop, 7) == []
    answer = client.get(f"/clusters/{shop.name}/why/{'9' * 40}/")
    assert answer.status_code == 200 and "not kept any more" in answer.content.decode()


@pytest.mark.slow
def test_a_chain_that_does_not_go_back_ends_and_a_long_one_is_cut(shop: Cluster) -> None:
    rows = [transition(at, "state", "ready") | {"cause": at} for at in range(MOST_LINKS + 50)]
    rows[0]["cause"] = 40
    record(shop, rows)
    assert len(read_chain(shop, 1)) == 1
    chain = read_chain(shop, MOST_LINKS + 50)
    assert len(chain) == MOST_LINKS and chain[-1].seq == MOST_LINKS + 50


def test_only_who_may_see_a_cluster_asks_why(shop: Cluster, client: Client) -> None:
    client.force_login(make_user("eve"))
    assert client.get(f"/clusters/{shop.name}/why/1/").status_code == 404


def test_what_came_again_and_again_is_told_by_its_first_and_last_time() -> None:
    again = [Link(at_ms, "Pod a", "", "Event Pulled", "present") for at_ms in range(19)]
    other = Link(99, "Pod a", "", "Event Failed", "no configuration")
    told = fold_alike([*again, other])
    assert [(link.at_ms, link.what) for link in told] == [
        (0, "Event Pulled"),
        (18, "Event Pulled, 19 times in all"),
        (99, "Event Failed"),
    ]
    # A few failures of a probe are each a link.
    assert fold_alike(again[:3]) == again[:3]
