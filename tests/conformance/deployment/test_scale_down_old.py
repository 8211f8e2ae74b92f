"""Adapter of deployment_scale_down_old.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rolling import scale_down_available
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_scale_down_old"))
def test_old_sets_shrink_down_to_the_floor(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old = ReplicaSet.from_json(given["oldReplicaSet"])
    sizes = scale_down_available(Deployment.from_json(given["deployment"]), [old], [old])
    assert bool(sizes) == expect["scaled"]
    assert sizes.get(old.meta.name, old.spec.replicas) == expect["oldReplicas"]
