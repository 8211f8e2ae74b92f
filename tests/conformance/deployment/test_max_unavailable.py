"""Adapter of deployment_max_unavailable.json."""

from typing import Any

import pytest

from lifecycle.engine.objects.workloads.deployment import Deployment
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_max_unavailable"))
def test_max_unavailable(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    assert Deployment.from_json(given["deployment"]).spec.unavailable_replicas == expect["maxUnavailable"]
