"""`kubectl_pod_columns.json`: READY, STATUS, RESTARTS and the wide columns of a pod."""

from typing import Any

import pytest

from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.times import parse_utc_ms
from tests.conformance.cases import Case, load_cases

OTHER_NAMES = {
    "PODIP": "IP",
    "NODENAME": "NODE",
    "NOMINATEDNODE": "NOMINATED NODE",
    "NOMINATEDNODENAME": "NOMINATED NODE",
    "READINESSGATES": "READINESS GATES",
}
WIDE = ("IP", "NODE", "NOMINATED NODE", "READINESS GATES")


def _by_header(expect: dict[str, Any]) -> dict[str, str]:
    """The table's names as kubectl's headers; `wide` may hold the further columns, by name or in order."""
    wide = expect.pop("wide", None) or {}
    named = {**expect, **(dict(zip(WIDE, wide, strict=True)) if isinstance(wide, list) else wide)}
    return {OTHER_NAMES.get(name.upper(), name.upper()): text for name, text in named.items()}


@pytest.mark.parametrize("case", load_cases("kubectl_pod_columns"))
def test_kubectl_pod_columns(case: Case) -> None:
    epoch_ms = parse_utc_ms(case["input"]["now"])
    pod = Pod.from_json(case["input"]["pod"], epoch_ms)
    columns = decide_columns({"kind": "Pod", **case["input"]["pod"]}, 0, epoch_ms=epoch_ms, wide=True)
    expect = dict(case["expect"])
    completed = expect.pop("rowCompleted", None)
    assert (pod.status.phase if pod.is_finished else None) == completed
    wanted = _by_header(expect)
    assert {name: columns[name] for name in wanted} == wanted
