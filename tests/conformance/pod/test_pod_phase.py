"""`pod_phase.json`: container statuses to phase. Gates that only let fields in need no switch here."""

import pytest

from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.pods.status import decide_phase
from tests.conformance.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("pod_phase"))
def test_pod_phase(case: Case) -> None:
    given = case["input"]
    pod = Pod.from_json(given["pod"])
    phase = decide_phase(
        pod.spec,
        pod.status.init_containers,
        pod.status.containers,
        is_terminal=given["podIsTerminal"],
        has_initialized=given["podHasInitialized"],
        current_phase=pod.status.phase,
    )
    assert phase == case["expect"]["phase"]
