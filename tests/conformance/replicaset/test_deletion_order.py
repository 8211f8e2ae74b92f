"""Adapter of replicaset_deletion_order.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide.ranking import rank
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_deletion_order"))
def test_who_is_deleted_first(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    gates = {**given.get("featureGates", {}), **case.get("featureGates", {})}
    use_cost, use_logarithm = gates.get("PodDeletionCost", True), gates.get("LogarithmicScaleDown", True)
    now_ms = parse_utc_ms(given["now"])

    def key(which: str) -> Any:
        pod = Pod.from_json(given[f"pod{which}"])
        return rank(pod, given[f"rank{which}"], now_ms, use_cost, use_logarithm)

    assert (key("A") < key("B"), key("B") < key("A")) == (expect["lessAB"], expect["lessBA"])
