"""`podgc.json`: pods and nodes, to who is deleted without grace, and who is marked Failed before."""

from typing import Any

import pytest

from lifecycle.engine.controllers.pod_garbage.decide import Seen, decide_pass
from lifecycle.engine.objects.node import Node
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.actions import DeletePod, Update
from lifecycle.engine.rules.pods.garbage import is_blocked_on_finalizers
from tests.conformance.cases import Case, load_cases


def read_pod(data: Any) -> Pod:
    """A pod; the tests' own zero time says only that it is there."""
    meta = dict(data["metadata"])
    if meta.get("deletionTimestamp", "").startswith("0001"):
        meta["deletionTimestamp"] = "1970-01-02T00:00:00Z"
    meta.setdefault("uid", meta["name"])
    return Pod.from_json({"apiVersion": "v1", "kind": "Pod", **data, "metadata": meta})


def read_nodes(data: Any) -> dict[str, Node]:
    given = [{"metadata": {"name": one}} if isinstance(one, str) else one for one in data]
    read = [Node.from_json({"apiVersion": "v1", "kind": "Node", **one}) for one in given]
    return {node.meta.name: node for node in read}


def find_gone(given: Any, pods: list[Pod]) -> frozenset[str]:
    """Nodes that pods are on and that are not there, neither at first nor after their quarantine."""
    if given["delayInQuarantineTimes"] < 1:
        return frozenset()
    informed = set(given["initialInformerNodes"])
    missing = {pod.node_name for pod in pods if pod.node_name} - informed
    informed |= set(given["thenAddedInformerNodes"])
    informed -= set(given["thenDeletedInformerNodes"])
    there = set(given["initialClientNodes"]) | set(given["thenAddedClientNodes"])
    there -= set(given["thenDeletedClientNodes"])
    return frozenset(missing - informed - there)


def see(given: Any, pods: list[Pod]) -> Seen:
    """What the pass of a case looks at."""
    threshold = max(given["terminatedPodThreshold"], 0)
    ending = [pod for pod in pods if pod.meta.deletion_ms is not None]
    if given["check"].startswith("gcOrphaned"):
        return Seen(orphans=pods, gone=find_gone(given, pods))
    if given["check"] == "gcUnscheduledTerminating":
        return Seen(ending=[pod for pod in ending if not pod.node_name])
    return Seen(pods, ending, read_nodes(given["nodes"]), threshold=threshold)


@pytest.mark.parametrize("case", load_cases("podgc"))
def test_podgc(case: Case) -> None:
    given, expected = case["input"], case["expect"]
    if given["check"] == "isPodBlockedOnFinalizers":
        assert is_blocked_on_finalizers(read_pod(given["pod"])) == expected["blocked"]
        return
    actions = decide_pass(see(given, [read_pod(one) for one in given["pods"]]), 0)
    deleted = [one.pod.meta.name for one in actions if isinstance(one, DeletePod) and one.grace_seconds == 0]
    failed = [one.new.meta.name for one in actions if isinstance(one, Update)]
    assert sorted(deleted) == sorted(expected["deleted"])
    assert sorted(failed) == sorted(expected["markedFailed"])
