"""`kubectl_pod_columns.json`: READY, STATUS, RESTARTS and the wide columns of a pod."""

import pytest

from lifecycle.engine.columns import decide_pod_columns
from lifecycle.engine.objects.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from tests.conformance.cases import Case, load_cases

HEADERS = {
    "name": "NAME",
    "ready": "READY",
    "status": "STATUS",
    "restarts": "RESTARTS",
    "age": "AGE",
    "ip": "IP",
    "podIP": "IP",
    "node": "NODE",
    "nodeName": "NODE",
    "nominatedNode": "NOMINATED NODE",
    "nominatedNodeName": "NOMINATED NODE",
    "readinessGates": "READINESS GATES",
}


@pytest.mark.parametrize("case", load_cases("kubectl_pod_columns"))
def test_kubectl_pod_columns(case: Case) -> None:
    epoch_ms = parse_utc_ms(case["input"]["now"])
    pod = Pod.from_json(case["input"]["pod"], epoch_ms)
    columns = decide_pod_columns(pod, 0)
    expect = dict(case["expect"])
    completed = expect.pop("rowCompleted", None)
    wide = expect.pop("wide", None) or {}
    assert (pod.status.phase if pod.is_finished else None) == completed
    wanted = {HEADERS.get(name, name): text for name, text in {**expect, **wide}.items()}
    assert {name: columns[name] for name in wanted} == wanted
