"""Adapter of deployment_timed_out.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.progress import has_timed_out
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.objects.workloads.deployment import Deployment
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_timed_out"))
def test_the_deadline_runs_from_the_last_progress(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    deployment = Deployment.from_json(given["deployment"])
    now_ms = parse_utc_ms(given["now"]) if given["now"] else 0
    assert has_timed_out(deployment, deployment.status, now_ms) == expect["timedOut"]
