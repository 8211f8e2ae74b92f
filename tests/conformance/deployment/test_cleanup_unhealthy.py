"""Adapter of deployment_cleanup_unhealthy.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rolling import clean_up_unhealthy
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_cleanup_unhealthy"))
def test_unhealthy_old_pods_go_first(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old = ReplicaSet.from_json(given["oldReplicaSet"])
    sizes = clean_up_unhealthy([old], given["maxCleanupCount"])
    removed = old.spec.replicas - sizes.get(old.meta.name, old.spec.replicas)
    assert removed == expect["cleanupCount"]
