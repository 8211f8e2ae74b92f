"""`pod_conditions.json`: ContainersReady, Ready and Initialized.

`containerStatuses` holds init and app statuses together, null means that nothing is known of them.
"""

from typing import Any

import pytest

from lifecycle.engine.objects.condition import read_conditions
from lifecycle.engine.objects.pods.container import ContainerStatus
from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.pods.conditions import decide_containers_ready, decide_initialized, decide_ready
from tests.conformance.cases import Case, load_cases


def _decide(given: dict[str, Any]) -> tuple[str, str, str]:
    spec = PodSpec.from_json(given["podSpec"])
    data = given.get("containerStatuses")
    statuses = None if data is None else [ContainerStatus.from_json(one) for one in data]
    conditions = read_conditions(given.get("conditions"))
    if given["conditionType"] == "Initialized":
        gates = {"RestartAllContainersOnContainerExits": True}
        return decide_initialized(spec, given["phase"], statuses, statuses, conditions, gates)
    containers_ready = decide_containers_ready(spec, given["phase"], statuses, statuses)
    if given["conditionType"] == "ContainersReady":
        return containers_ready
    return decide_ready(spec, containers_ready, conditions)


@pytest.mark.parametrize("case", load_cases("pod_conditions"))
def test_pod_condition(case: Case) -> None:
    if case["input"]["conditionType"] not in ("Initialized", "ContainersReady", "Ready"):
        pytest.skip(f"condition {case['input']['conditionType']} is not modelled")
    status, reason, message = _decide(case["input"])
    expect = case["expect"]
    assert {"status": status, "reason": reason, "message": message} | expect == {
        "status": status,
        "reason": reason,
        "message": message,
    }
