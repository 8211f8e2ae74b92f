"""Adapter of deployment_progressing.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import is_progressing
from lifecycle.engine.objects.workloads.deployment import DeploymentStatus
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_progressing"))
def test_progress_is_seen_in_the_numbers(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    old, new = DeploymentStatus.from_json(given["oldStatus"]), DeploymentStatus.from_json(given["newStatus"])
    assert is_progressing(old, new) == expect["progressing"]
