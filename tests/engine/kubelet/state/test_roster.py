"""Workers found by node, address and what they wait for."""

from typing import Any

import pytest

from lifecycle.engine.heart.trace import Trace
from lifecycle.engine.kubelet.state.roster import Roster
from lifecycle.engine.kubelet.state.worker import SYNCING, PodWorker
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.store.store import Store


def a_worker(uid: str, node: str = "node-1", **spec: Any) -> PodWorker:
    data = {"metadata": {"name": uid, "uid": uid}, "spec": {"nodeName": node, **spec}}
    worker = PodWorker(Pod.from_json(data))
    worker.stage = SYNCING
    return worker


@pytest.fixture
def roster() -> Roster:
    return Roster(Store(Trace()))


def uids(workers: list[PodWorker]) -> list[str]:
    return [worker.uid for worker in workers]


def test_a_node_has_its_workers_in_the_order_in_which_they_came(roster):
    for uid, node in (("c", "node-1"), ("a", "node-2"), ("b", "node-1")):
        roster.add(a_worker(uid, node))
    roster.remove(roster.workers["a"])
    assert [uids(roster.workers_of(node)) for node in ("node-1", "node-2", "node-3")] == [["c", "b"], [], []]


def test_a_worker_waits_for_its_volumes_until_it_has_a_sandbox(roster):
    for uid in "bac":
        roster.add(a_worker(uid, volumes=[{"name": "data", "configMap": {"name": "data"}}]))
    roster.add(a_worker("without-any"))
    roster.take_sandbox(roster.workers["a"], "10.64.1.2")
    roster.remove(roster.workers["b"])
    assert uids(roster.workers_to_mount_for()) == ["c"]


def test_an_address_is_its_holders_until_he_has_another(roster):
    one, other = a_worker("one"), a_worker("other")
    roster.add(one)
    roster.add(other)
    roster.take_sandbox(one, "10.64.1.2")
    roster.take_sandbox(other, "10.64.1.3")
    roster.take_sandbox(one, "10.64.1.4")
    found = [roster.find_by_address(f"10.64.1.{number}") for number in (2, 3, 4)]
    assert found == [None, other, one]


def test_of_the_pods_in_a_nodes_network_the_first_to_come_answers(roster):
    first, second = (a_worker(uid, hostNetwork=True) for uid in ("first", "second"))
    roster.add(first)
    roster.add(second)
    for worker in (second, first):
        roster.take_sandbox(worker, "10.0.0.1")
    assert roster.find_by_address("10.0.0.1") is first
    roster.remove(first)
    assert roster.find_by_address("10.0.0.1") is second
