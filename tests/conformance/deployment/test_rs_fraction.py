"""Adapter of deployment_rs_fraction.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.scaling import decide_fraction
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_rs_fraction"))
def test_a_fair_share(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment, replica_set = (
        Deployment.from_json(given["deployment"]),
        ReplicaSet.from_json(given["replicaSet"]),
    )
    assert decide_fraction(deployment, replica_set) == expect["fraction"]
