"""Adapter of deployment_reconcile_old_rs.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rolling import decide_old_sizes
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_reconcile_old_rs"))
def test_one_step_of_the_old_sets(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old, new = ReplicaSet.from_json(given["oldReplicaSet"]), ReplicaSet.from_json(given["newReplicaSet"])
    old = old.replace(meta=old.meta.replace(name="old"))
    sizes = decide_old_sizes(Deployment.from_json(given["deployment"]), [old], new)
    assert bool(sizes) == expect["scaled"]
    assert sizes.get("old", old.spec.replicas) == expect["oldReplicas"]
