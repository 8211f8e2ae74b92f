"""Adapter of replicaset_slow_start_batch.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.replica_set.decide import slow_start
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("replicaset_slow_start_batch"))
def test_slow_start(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    left = given["callsThatSucceed"]

    def call() -> bool:
        nonlocal left
        left -= 1
        return left >= 0

    successes, calls = slow_start(given["count"], call, given["initialBatchSize"])
    assert (successes, calls) == (expect["successes"], expect["calls"])
    assert (successes < calls) == expect["error"]
