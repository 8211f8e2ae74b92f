"""Adapter of deployment_conditions.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import remove_condition, set_condition
from lifecycle.engine.objects.condition import Condition, find_condition, read_conditions
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_conditions"))
def test_conditions_are_set_and_removed(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    conditions = read_conditions(given["conditions"])
    if given["op"] == "get":
        found = find_condition(conditions, given["conditionType"])
        assert (found is not None) == expect["exists"]
        if found is not None and "condition" in expect:
            assert found == Condition.from_json(expect["condition"])
        return
    if given["op"] == "set":
        result = set_condition(conditions, Condition.from_json(given["condition"]))
    else:
        result = remove_condition(conditions, given["conditionType"])
    assert result == read_conditions(expect["conditions"])
