"""Adapter of deployment_recreate.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.recreate import are_old_pods_running, decide_old_sizes
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_recreate"))
def test_recreate_waits_for_old_pods(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old = [ReplicaSet.from_json(entry) for entry in given["oldReplicaSets"]]
    if given.get("op") == "scaleDownOldReplicaSetsForRecreate":
        sizes = decide_old_sizes(old)
        assert [sizes.get(entry.meta.name, entry.spec.replicas) for entry in old] == expect["oldReplicas"]
        return
    new = ReplicaSet.from_json(given["newReplicaSet"]) if given["newReplicaSet"] else None
    unfinished = {
        uid: sum(not Pod.from_json(pod).is_finished for pod in pods)
        for uid, pods in given["podMapByReplicaSetUID"].items()
    }
    assert are_old_pods_running(new, old, unfinished) == expect["oldPodsRunning"]
