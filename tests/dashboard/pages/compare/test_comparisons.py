"""Two clusters side by side: where they part, how workloads fared, and only for who sees both."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare, find_common
from lifecycle.models import Cluster, Command, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life, transition

pytestmark = pytest.mark.django_db

PARTED_MS = 10_000


def available(at_ms: int, count: int) -> dict[str, Any]:
    return transition(at_ms, "availableReplicas", count, "web", kind="Deployment", group="apps")


def keep_web(cluster: Cluster) -> None:
    StoredObject.objects.filter(cluster=cluster, kind="Deployment").update(owner=None)
    Cluster.objects.filter(pk=cluster.pk).update(instant_ms=60_000, anchor_instant_ms=60_000, seq=cluster.seq)
    cluster.refresh_from_db()


@pytest.fixture
def pair(client: Any) -> tuple[Cluster, Cluster]:
    """`shop` and its fork of 10 s: there, the Deployment loses its pods and one of them restarts."""
    ada = make_user("ada")
    client.force_login(ada)
    shop = make_cluster(ada)
    fork = make_cluster(ada, "shop-fork", parent=shop, forked_at_ms=PARTED_MS)
    common = [*pod_life(), available(5000, 3)]
    record(shop, [*common, available(12_000, 2), available(14_000, 3)])
    restart = transition(13_000, "container.app.restartCount", 1, "<b>x", owner="ReplicaSet/web-a")
    record(fork, [*common, available(12_000, 2), restart, available(13_000, 0)])
    StoredObject.objects.create(
        cluster=fork, uid="rs", kind="ReplicaSet", group="apps", namespace="default", name="web-a", rv=1,
        owner="Deployment/web", data={},
    )  # fmt: skip
    for one in (shop, fork):
        keep_web(one)
    return shop, fork


def test_what_both_share_is_no_difference(pair: tuple[Cluster, Cluster]) -> None:
    shop, fork = pair
    told = compare(shop, fork)
    assert (told.since_ms, told.until_ms, told.is_related) == (PARTED_MS, 60_000, True)
    assert told.total == 2
    assert told.first is not None
    assert (told.first.at_ms, told.first.subject) == (13_000, "Deployment default/web")
    assert told.first.left is not None and "2 → 3" not in told.first.subject
    assert [one and one.at_ms for one in (told.first.left, told.first.right)] == [14_000, 13_000]
    assert compare(shop, shop).first is None


def test_each_workload_is_told_of_both(pair: tuple[Cluster, Cluster]) -> None:
    (web,) = compare(*pair).workloads
    assert web.name == "Deployment default/web" and web.differs
    assert web.rows == [
        ("Fewest available", "2", "0, worse"),
        ("Available in the end", "3", "0, worse"),
        ("Last change after", "4s", "3s"),
        ("From first to last change", "2s", "1s"),
        ("Restarts of its pods", "0", "1, worse"),
    ]


def test_only_what_one_of_them_was_asked_is_told(pair: tuple[Cluster, Cluster]) -> None:
    shop, fork = pair
    done = {"kind": "scale", "state": Command.State.DONE, "instant_ms": PARTED_MS}
    payload = {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 3}
    before = Command.objects.create(cluster=shop, order=1, payload=payload, **done)
    Command.objects.create(cluster=fork, order=1, payload=payload, source=before.pk, **done)
    Command.objects.create(cluster=fork, order=2, payload=payload | {"replicas": 9}, **done)
    ours, theirs = compare(shop, fork).asked
    assert ours == []
    assert [one.what for one in theirs] == ["scale replicas 9"]


@pytest.mark.parametrize(
    "forks, expected",
    [
        # (of whom, at which instant) of each of the two, from `root` on.
        ([(None, 0), ("root", 5000)], None),
        ([("root", 7000), ("root", 5000)], 5000),
        ([("root", 7000), ("first", 9000)], 9000),
    ],
)
def test_the_common_history_is_found(forks: list[tuple[str | None, int]], expected: int | None) -> None:
    ada = make_user("ada")
    made = {"root": make_cluster(ada, "root")}
    for name, (parent, at_ms) in zip(("first", "second"), forks, strict=True):
        known = {"parent": made[parent], "forked_at_ms": at_ms} if parent else {}
        made[name] = make_cluster(ada, name, **known)
    assert find_common(made["first"], made["second"]) == expected


@pytest.mark.slow
def test_the_page_tells_it_and_strangers_text_is_text(client: Any, pair: tuple[Cluster, Cluster]) -> None:
    shop = pair[0]
    page = client.get("/clusters/shop/compare/shop-fork/").content.decode()
    assert "They first differ at 00:00:13.0: Deployment default/web, and 1 more object after it." in page
    assert "<b>x" not in page and "&lt;b&gt;x" in page
    assert "| Fewest available | 2 | 0, worse |" in page
    assert "|" not in write_markdown(compare(shop, shop)).replace("\\|", "")
    chosen = client.get("/clusters/shop/compare/?with=shop-fork")
    assert chosen.url == "/clusters/shop/compare/shop-fork/"
    assert 'href="/clusters/shop/compare/shop-fork/"' in client.get("/").content.decode()
    assert 'href="/clusters/shop/compare/shop-fork/"' in client.get("/clusters/shop-fork/").content.decode()


@pytest.mark.slow
def test_a_fork_that_has_not_run_on_is_not_told_to_be_alike(
    client: Any, pair: tuple[Cluster, Cluster]
) -> None:
    Cluster.objects.filter(pk=pair[1].pk).update(instant_ms=PARTED_MS, anchor_instant_ms=PARTED_MS)
    page = client.get("/clusters/shop/compare/shop-fork/").content.decode()
    assert "Nothing to compare yet" in page and "No difference" not in page


@pytest.mark.slow
def test_it_is_for_those_who_see_both(client: Any, pair: tuple[Cluster, Cluster]) -> None:
    bob = make_user("bob")
    make_cluster(bob, "bobs")
    assert client.get("/clusters/shop/compare/bobs/").status_code == 404
    assert client.get("/clusters/bobs/compare/shop/").status_code == 404
    assert client.get("/clusters/shop/compare/?with=bobs").status_code == 404
    assert client.get("/clusters/shop/compare/").status_code == 404
    assert b"bobs" not in client.get("/clusters/shop/").content
    client.force_login(bob)
    assert client.get("/clusters/shop/compare/shop-fork/").status_code == 404
