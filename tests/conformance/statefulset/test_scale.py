"""Adapter of statefulset_scale.json."""

from typing import Any

import pytest

from tests.conformance.cases import load_cases
from tests.conformance.stateful_sets import make_fake


@pytest.mark.parametrize("case", load_cases("statefulset_scale"))
def test_scaling_comes_to_rest(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    fake = make_fake(given)
    if given.get("scaleTo") is not None:
        fake.change(replicas=given["scaleTo"])
        fake.converge()
    if given.get("readyForSeconds") is not None:
        fake.now_ms = given["readyForSeconds"] * 1000
        fake.sync()
    found = {**fake.owner.status.to_json(), "ordinals": fake.ordinals()}
    assert {name: found.get(name, 0) for name in expect} == expect
