"""Adapter of replicaset_calculate_status.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.owner.tally import OwnerTally
from lifecycle.engine.controllers.replica_set.decide import Counts, calculate_status
from lifecycle.engine.objects.meta import controller_reference
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_calculate_status"))
def test_status_counts_pods(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    replica_set = ReplicaSet.from_json(given["replicaSet"])
    spec = replica_set.spec
    tally = OwnerTally(controller_reference(replica_set), "")
    pods = [Pod.from_json(entry) for entry in given["filteredPods"]]
    # Fixtures have no uids; the name is as good.
    pods = [pod.replace(meta=pod.meta.replace(uid=pod.meta.uid or pod.meta.name)) for pod in pods]
    tally.describe_owner(spec.selector, spec.template.labels, spec.min_ready_seconds, lambda: pods)
    tally.advance(0)
    counts = Counts(tally.active, tally.labeled, tally.ready, tally.available, tally.terminating)
    status = calculate_status(replica_set, counts, given["manageReplicasErr"], 0)
    data = status.to_json()
    if "status" in expect:
        assert {name: data.get(name, 0) for name in expect["status"]} == expect["status"]
    if "conditions" in expect:
        kept = [
            {name: entry.get(name, "") for name in wanted}
            for entry, wanted in zip(data.get("conditions", []), expect["conditions"], strict=True)
        ]
        assert kept == expect["conditions"]
