"""Adapter of deployment_requeue_stuck.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import deadline_wait_ms
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.deployment import Deployment, DeploymentStatus
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_requeue_stuck"))
def test_the_deadline_is_looked_at_in_time(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    now_ms = parse_utc_ms(given["now"]) if given["now"] else 0
    wait_ms = deadline_wait_ms(deployment, DeploymentStatus.from_json(given["newStatus"]), now_ms)
    assert (wait_ms if wait_ms is None else wait_ms / 1000) == expect["requeueAfterSeconds"]
