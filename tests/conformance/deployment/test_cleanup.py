"""Adapter of deployment_cleanup.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.revisions import decide_cleanup
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_cleanup"))
def test_surplus_old_sets_go(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old = [ReplicaSet.from_json(entry) for entry in given["oldReplicaSets"]]
    deleted = decide_cleanup(old, given["revisionHistoryLimit"])
    assert len(deleted) == expect["deletions"]
    if "deleted" in expect:
        assert [entry.meta.name for entry in deleted] == expect["deleted"]
