"""Adapter of replicaset_active_pods_sort.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide.ranking import rank
from lifecycle.engine.objects.pods.pod import Pod
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_active_pods_sort"))
def test_deletion_order_without_ranks(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    pods = [Pod.from_json(entry) for entry in given["pods"]]
    ordered = sorted(pods, key=lambda pod: rank(pod, 0, None))
    assert [pod.meta.name for pod in ordered] == expect["order"]
