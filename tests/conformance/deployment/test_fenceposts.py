"""Adapter of deployment_fenceposts.json."""

from typing import Any

import pytest

from lifecycle.engine.objects.int_or_percent import resolve_fenceposts
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_fenceposts"))
def test_surge_rounds_up_and_unavailable_down(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    if expect["error"]:
        with pytest.raises(ValueError, match="percentage"):
            resolve_fenceposts(given["maxSurge"], given["maxUnavailable"], given["desired"])
        return
    resolved = resolve_fenceposts(given["maxSurge"], given["maxUnavailable"], given["desired"])
    assert resolved == (expect["surge"], expect["unavailable"])
