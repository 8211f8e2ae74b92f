"""`pdb_stale_disruption.json`: a pod and the time since its disruption was told, to what it says then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lifecycle.engine.controllers.disruption.decide import decide_stale
from lifecycle.engine.objects.condition import find_condition
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.rules.actions import Update
from lifecycle.engine.rules.nodes.eviction import DISRUPTION_TARGET
from tests.conformance.cases import load_cases

BEGIN = "2024-01-01T12:00:00Z"


@pytest.mark.parametrize("case", load_cases("pdb_stale_disruption"))
def test_a_disruption_that_does_not_come_is_taken_back(case: Mapping[str, Any]) -> None:
    given = case["input"]
    pod = Pod.from_json({"apiVersion": "v1", "kind": "Pod", **given["pod"]})
    decision = decide_stale(pod, parse_utc_ms(BEGIN) + given["secondsPassed"] * 1000)
    for action in decision.actions:
        assert isinstance(action, Update) and isinstance(action.new, Pod)
        pod = action.new
    found = find_condition(pod.status.conditions, DISRUPTION_TARGET)
    assert (found.status if found is not None else None) == case["expect"]["disruptionTarget"]
