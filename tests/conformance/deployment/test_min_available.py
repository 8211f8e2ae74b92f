"""Adapter of deployment_min_available.json."""

from typing import Any

import pytest

from lifecycle.engine.objects.workloads.deployment import Deployment
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_min_available"))
def test_min_available(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    assert Deployment.from_json(given["deployment"]).spec.min_available_replicas == expect["minAvailable"]
