"""Adapter of deployment_find_rs.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.revisions import find_new, find_old, with_size
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_find_rs"))
def test_the_oldest_set_of_the_template_is_new(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    replica_sets = [ReplicaSet.from_json(entry) for entry in given["replicaSets"]]
    new = find_new(deployment.spec.template, replica_sets)
    if given["op"] == "findNewReplicaSet":
        assert (new.meta.name if new is not None else None) == expect["newReplicaSet"]
        return
    old = find_old(new, replica_sets)
    assert {entry.meta.name for entry in old} == set(expect["oldReplicaSetsSet"])
    sized = [entry.meta.name for entry in with_size(old)]
    assert sorted(sized) == sorted(expect["oldReplicaSetsWithNonZeroSpecReplicas"])
