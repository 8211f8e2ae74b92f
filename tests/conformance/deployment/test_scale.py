"""Adapter of deployment_scale.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.rollout import Rollout, Seen
from lifecycle.engine.controllers.deployment.decide.scaling import resize
from lifecycle.engine.objects.workloads.deployment import Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_scale"))
def test_a_resize_is_spread_in_proportion(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    new, old = given["newReplicaSet"], given["oldReplicaSets"]
    # Which set is new is a matter of its template: the new one alone has the Deployment's.
    replica_sets = [ReplicaSet.from_json(entry) for entry in ([new] if new else [])]
    other = {"metadata": {"labels": {"of": "another template"}}}
    replica_sets += [
        ReplicaSet.from_json({**entry, "spec": {**entry["spec"], "template": other}}) for entry in old
    ]
    rollout = Rollout(Seen(deployment, replica_sets), 0)
    before = {entry.meta.name: entry.spec.replicas for entry in replica_sets}
    resize(rollout)
    after = {entry.meta.name: entry.spec.replicas for entry in rollout.replica_sets}
    # The table says of which sets the original test does not look at the writes.
    ignored = given.get("updateActionsIgnoredFor", [])
    assert after | {name: before[name] for name in ignored} == expect["replicas"]
