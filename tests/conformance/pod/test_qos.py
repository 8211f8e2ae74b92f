"""`qos.json`: requests and limits to the quality-of-service class."""

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.rules.pods.qos import decide_qos_class
from tests.conformance.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("qos"))
def test_qos(case: Case) -> None:
    given = case["input"]
    spec = PodSpec.from_json(given["pod"]["spec"])
    gates = given.get("featureGates") or {}
    assert decide_qos_class(spec, gates.get("PodLevelResources", True)) == case["expect"]["qosClass"]
