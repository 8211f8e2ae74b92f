"""Adapter of replicaset_slow_start_batch.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide import decide_batch_size
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_slow_start_batch"))
def test_slow_start(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    successes = calls = 0
    # The first so many calls succeed, a batch is made whole.
    while size := decide_batch_size(given["count"], calls, successes < calls, given["initialBatchSize"]):
        calls += size
        successes = min(calls, given["callsThatSucceed"])
    assert (successes, calls) == (expect["successes"], expect["calls"])
    assert (successes < calls) == expect["error"]
