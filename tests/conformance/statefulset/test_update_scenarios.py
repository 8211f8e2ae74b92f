"""Adapter of statefulset_update_scenarios.json."""

from typing import Any

import pytest

from tests.conformance.cases import load_cases
from tests.conformance.stateful_sets import make_fake


@pytest.mark.parametrize("case", load_cases("statefulset_update_scenarios"))
def test_images_after_an_update(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    fake = make_fake(given["initial"])
    fake.change(given["update"]["image"], replicas=given["update"]["replicas"])
    fake.converge()
    assert fake.images() == expect["imagesByOrdinalAfterConvergence"]
    if "imagesByOrdinalAfterRestart" in expect:
        fake.change(replicas=0)
        fake.converge()
        fake.change(replicas=given["update"]["replicas"])
        fake.converge()
        assert fake.images() == expect["imagesByOrdinalAfterRestart"]
    if "imagesByOrdinalAfterRollback" in expect:
        fake.change(given["initial"]["image"])
        fake.converge()
        assert fake.images() == expect["imagesByOrdinalAfterRollback"]
