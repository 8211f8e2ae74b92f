"""Adapter of deployment_reconcile_new_rs.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rolling import decide_new_size
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_reconcile_new_rs"))
def test_one_step_of_the_new_set(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old, new = ReplicaSet.from_json(given["oldReplicaSet"]), ReplicaSet.from_json(given["newReplicaSet"])
    size = decide_new_size(Deployment.from_json(given["deployment"]), [old], new)
    assert (size != new.spec.replicas) == expect["scaled"]
    if expect["scaled"]:
        assert size == expect["newReplicas"]
