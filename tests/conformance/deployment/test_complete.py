"""Adapter of deployment_complete.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import is_complete
from lifecycle.engine.objects.workloads.deployment import Deployment
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_complete"))
def test_complete_means_all_new_and_available(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    assert is_complete(deployment, deployment.status) == expect["complete"]
