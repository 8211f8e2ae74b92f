"""Adapter of deployment_equal_ignore_hash.json."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.template import PodTemplate, is_same_template
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("deployment_equal_ignore_hash"))
def test_templates_equal_but_for_the_hash(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    former, latter = PodTemplate.from_json(given["former"]), PodTemplate.from_json(given["latter"])
    assert is_same_template(former, latter) == expect["equal"]
    assert is_same_template(latter, former) == expect["equal"]
