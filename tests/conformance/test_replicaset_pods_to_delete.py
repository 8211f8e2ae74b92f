"""Adapter of replicaset_pods_to_delete.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide.ranking import count_by_node, pods_to_delete
from lifecycle.engine.objects.pod import Pod
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_pods_to_delete"))
def test_pods_to_delete(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    pods = [Pod.from_json(entry) for entry in given["pods"]]
    related = count_by_node(Pod.from_json(entry) for entry in given["relatedPods"])
    chosen = pods_to_delete(pods, related, given["diff"], None)
    assert [pod.meta.name for pod in chosen] == expect["podsToDelete"]
