"""Adapter of statefulset_max_unavailable.json: percentages are rounded down (controllers.md, section 7)."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide import count_unavailable
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("statefulset_max_unavailable"))
def test_as_many_may_be_unavailable(case: dict[str, Any]):
    given = case["input"]
    found = count_unavailable(given["maxUnavailable"], given["replicas"], rounds_up=False)
    assert found == case["expect"]["maxUnavailable"]
