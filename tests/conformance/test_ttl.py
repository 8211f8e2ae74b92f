"""`ttl.json`: how much time a finished Job has left."""

import pytest

from lifecycle.engine.controllers.ttl_after_finished.decide import find_expiry_ms
from lifecycle.engine.objects.times import format_time, parse_utc_ms
from lifecycle.engine.objects.workloads.job import Job
from tests.conformance.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("ttl"))
def test_ttl(case: Case) -> None:
    given, expect = case["input"], case["expect"]
    job = Job.from_json({"apiVersion": "batch/v1", "kind": "Job", **given["job"]})
    try:
        expiry_ms = find_expiry_ms(job, 0)
    except ValueError as problem:
        assert expect["errorContains"] in str(problem)
        return
    if expiry_ms is None:
        # Where nothing limits its time, nobody asks how much is left.
        assert expect["errorContains"] == "should not be cleaned up"
        return
    assert (expiry_ms - parse_utc_ms(given["now"])) / 1000 == expect["timeLeftSeconds"]
    assert format_time(expiry_ms, 0) == expect["expireAt"]
