"""Who is tried when: by importance, after failures, after errors, and when nothing helps."""

from __future__ import annotations

import json

import pytest

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.scheduler.scheduling_queue import PriorityQueue, count_backoff_ms
from tests.engine.scheduler.worlds import Cluster


@pytest.mark.parametrize(
    "failures, wait_ms", [(1, 1000), (2, 2000), (3, 4000), (4, 8000), (5, 10_000), (60, 10_000)]
)
def test_a_pod_backs_off_for_longer_each_time(failures: int, wait_ms: int) -> None:
    assert count_backoff_ms(failures) == wait_ms


def popped(queue: PriorityQueue, now_ms: int) -> list[str]:
    found = []
    while (one := queue.pop(now_ms)) is not None:
        found.append(one[0])
    return found


def test_the_most_important_goes_first_then_who_waits_longest() -> None:
    queue = PriorityQueue()
    for uid, priority in (("a", 0), ("b", 0), ("c", 100), ("d", -5), ("e", 0)):
        assert queue.add(uid, priority, None, 0)
    assert not queue.add("a", 0, None, 0), "it is there already"
    assert popped(queue, 0) == ["c", "a", "b", "e", "d"]


def test_who_backs_off_goes_after_all_that_are_active() -> None:
    queue = PriorityQueue()
    queue.wait("failed", frozenset({"NodeResourcesFit"}), 0)
    queue.add("failed", 1000, None, 500)
    queue.add("new", 0, None, 500)
    assert popped(queue, 500) == ["new", "failed"], "nobody else being active it is tried all the same"


def test_who_has_backed_off_comes_by_importance_again() -> None:
    queue = PriorityQueue()
    queue.wait("failed", frozenset({"NodeResourcesFit"}), 0)
    queue.add("new", 0, None, 2500)
    queue.add("failed", 0, None, 2500)
    assert popped(queue, 2500) == ["failed", "new"], "it has waited longer"


def test_what_is_saved_goes_on() -> None:
    queue = PriorityQueue()
    queue.add("a", 0, 7, 0)
    queue.wait("b", frozenset({"NodePorts"}), 10)
    queue.wait("c", frozenset({"NodePorts"}), 20)
    queue.add("c", 5, "command:x", 30)
    again = PriorityQueue()
    again.load(json.loads(json.dumps(queue.save())))
    assert again.save() == queue.save()
    assert popped(again, 40) == popped(queue, 40) == ["a", "c"]


def test_nothing_helps_for_five_minutes() -> None:
    """Failed at 0:00; looked for each half minute, so it is tried at 5:30, and then each five and a half."""
    cluster = Cluster()
    cluster.node("a", cpu="1")
    cluster.pod("large", cpu="2")
    cluster.to(329)
    waited = cluster.scheduler.save()["queue"]["failures"]
    assert list(waited.values()) == [1]
    cluster.to(331)
    assert list(cluster.scheduler.save()["queue"]["failures"].values()) == [2]


def test_what_does_not_matter_tries_nobody() -> None:
    cluster = Cluster()
    cluster.node("a")
    cluster.pod("there")
    cluster.pod("picky", nodeSelector={"disk": "ssd"})
    cluster.delete("there")
    cluster.node("b", labels={"disk": "hdd"})
    assert len(cluster.events("FailedScheduling", "picky")) == 1
    cluster.node("c", labels={"disk": "ssd"})
    assert cluster.node_of("picky") == "c"


def test_without_nodes_a_pod_is_tried_again_and_again() -> None:
    cluster = Cluster()
    cluster.pod("one")
    assert cluster.events("FailedScheduling") == ["no nodes available to schedule pods"]
    cluster.to(16)
    assert list(cluster.scheduler.save()["queue"]["failures"].values()) == [5], "at 0, 1, 3, 7 and 15 s"
    cluster.node("a")
    assert cluster.node_of("one") == ""
    cluster.to(26)
    assert cluster.node_of("one") == "a"


def test_the_important_one_gets_the_place_that_is_free() -> None:
    cluster = Cluster()
    cluster.priority("high", 1000, preemptionPolicy="Never")
    cluster.node("a", cpu="1")
    cluster.pod("first", cpu="1")
    cluster.pod("low", cpu="1")
    cluster.pod("high", cpu="1", priorityClassName="high")
    cluster.delete("first")
    assert (cluster.node_of("high"), cluster.node_of("low")) == ("a", "")


def test_a_cluster_saved_without_a_queue_goes_on() -> None:
    engine = Engine()
    engine.take_changes()
    saved = engine.save()
    saved["scheduler"] = []
    Engine.load(saved)
