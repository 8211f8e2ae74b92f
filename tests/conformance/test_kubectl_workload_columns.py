"""`kubectl_workload_columns.json`: the columns of workloads, and ages."""

import pytest

from lifecycle.engine.kinds.presentation import decide_columns
from lifecycle.engine.objects.times import parse_utc_ms
from lifecycle.engine.rules.columns.ages import age_text
from tests.conformance.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("kubectl_workload_columns"))
def test_kubectl_workload_columns(case: Case) -> None:
    given = case["input"]
    if given["kind"] == "age":
        ago = given["secondsAgo"]
        since_ms = None if ago is None else 0
        assert age_text(since_ms, round((ago or 0) * 1000)) == case["expect"]["age"]
        return
    data = {"kind": given["kind"], **given["object"]}
    columns = decide_columns(data, 0, epoch_ms=parse_utc_ms(given["now"]), wide=given["wide"])
    assert columns == case["expect"]["columns"]
