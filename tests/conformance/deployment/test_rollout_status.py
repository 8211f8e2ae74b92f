"""Adapter of deployment_rollout_status.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import calculate_rollout_status
from lifecycle.engine.objects.condition import find_condition
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_rollout_status"))
def test_progress_is_reported(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    replica_sets = [ReplicaSet.from_json(entry) for entry in given["allReplicaSets"]]
    new = ReplicaSet.from_json(given["newReplicaSet"]) if given["newReplicaSet"] else None
    now_ms = parse_utc_ms(given["now"])
    status = calculate_rollout_status(deployment, deployment.status.conditions, replica_sets, new, now_ms)
    found = find_condition(status.conditions, "Progressing")
    if expect["progressing"] is None:
        assert found is None
        return
    assert found is not None
    assert {name: getattr(found, name) for name in expect["progressing"]} == expect["progressing"]
    if "intended_lastTransitionTime" in expect:
        assert found.last_transition_ms == parse_utc_ms(expect["intended_lastTransitionTime"])
