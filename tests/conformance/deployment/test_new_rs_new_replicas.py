"""Adapter of deployment_new_rs_new_replicas.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rollout import new_set_size
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_new_rs_new_replicas"))
def test_the_new_set_grows_under_the_ceiling(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    replica_sets = [ReplicaSet.from_json(entry) for entry in given["allReplicaSets"]]
    new = ReplicaSet.from_json(given["newReplicaSet"])
    assert new_set_size(deployment, replica_sets, new) == expect["replicas"]
