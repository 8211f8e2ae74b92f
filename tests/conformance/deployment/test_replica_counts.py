"""Adapter of deployment_replica_counts.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import (
    count_actual,
    count_terminating,
    count_wanted,
)
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_replica_counts"))
def test_sums_over_sets(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    replica_sets = [ReplicaSet.from_json(entry) for entry in given["replicaSets"]]
    assert count_wanted(replica_sets) == expect["count"]
    assert count_actual(replica_sets) == expect["actual"]
    assert count_terminating(replica_sets) == expect["terminating"]
