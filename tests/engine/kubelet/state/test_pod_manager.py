"""Workers found by node, address and what they wait for."""

from typing import Any

import pytest

from lifecycle.engine.heart.trace import Trace
from lifecycle.engine.kubelet.state.pod_manager import PodManager
from lifecycle.engine.kubelet.state.worker import SYNCING, PodWorker
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.store.store import Store


def a_worker(uid: str, node: str = "node-1", **spec: Any) -> PodWorker:
    data = {"metadata": {"name": uid, "uid": uid}, "spec": {"nodeName": node, **spec}}
    worker = PodWorker(Pod.from_json(data))
    worker.stage = SYNCING
    return worker


@pytest.fixture
def pod_manager() -> PodManager:
    return PodManager(Store(Trace()))


def uids(workers: list[PodWorker]) -> list[str]:
    return [worker.uid for worker in workers]


def test_a_node_has_its_workers_in_the_order_in_which_they_came(pod_manager):
    for uid, node in (("c", "node-1"), ("a", "node-2"), ("b", "node-1")):
        pod_manager.add(a_worker(uid, node))
    pod_manager.remove(pod_manager.workers["a"])
    assert [uids(pod_manager.workers_of(node)) for node in ("node-1", "node-2", "node-3")] == [
        ["c", "b"],
        [],
        [],
    ]


def test_a_worker_waits_for_its_volumes_until_it_has_a_sandbox(pod_manager):
    for uid in "bac":
        pod_manager.add(a_worker(uid, volumes=[{"name": "data", "configMap": {"name": "data"}}]))
    pod_manager.add(a_worker("without-any"))
    pod_manager.take_sandbox(pod_manager.workers["a"], "10.64.1.2")
    pod_manager.remove(pod_manager.workers["b"])
    assert uids(pod_manager.workers_to_mount_for()) == ["c"]


def test_an_address_is_its_holders_until_he_has_another(pod_manager):
    one, other = a_worker("one"), a_worker("other")
    pod_manager.add(one)
    pod_manager.add(other)
    pod_manager.take_sandbox(one, "10.64.1.2")
    pod_manager.take_sandbox(other, "10.64.1.3")
    pod_manager.take_sandbox(one, "10.64.1.4")
    found = [pod_manager.find_by_address(f"10.64.1.{number}") for number in (2, 3, 4)]
    assert found == [None, other, one]


def test_of_the_pods_in_a_nodes_network_the_first_to_come_answers(pod_manager):
    first, second = (a_worker(uid, hostNetwork=True) for uid in ("first", "second"))
    pod_manager.add(first)
    pod_manager.add(second)
    for worker in (second, first):
        pod_manager.take_sandbox(worker, "10.0.0.1")
    assert pod_manager.find_by_address("10.0.0.1") is first
    pod_manager.remove(first)
    assert pod_manager.find_by_address("10.0.0.1") is second
