"""Adapter of replicaset_pods_to_delete.json."""

from collections import Counter
from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide.ranking import pods_to_delete
from lifecycle.engine.objects.pods.pod import Pod
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_pods_to_delete"))
def test_pods_to_delete(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    pods = [Pod.from_json(entry) for entry in given["pods"]]
    others = (Pod.from_json(entry) for entry in given["relatedPods"])
    related = Counter(pod.node_name for pod in others if pod.is_active)
    chosen = pods_to_delete(pods, related, given["diff"], None)
    assert [pod.meta.name for pod in chosen] == expect["podsToDelete"]
