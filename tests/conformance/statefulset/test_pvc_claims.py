"""Adapter of statefulset_pvc_claims.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.identity import make_claim, split_name
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("statefulset_pvc_claims"))
def test_claims_of_a_pod(case: dict[str, Any]):
    owner = StatefulSet.from_json(case["input"]["set"])
    _parent, ordinal = split_name(case["input"]["podName"])
    names = owner.spec.claim_names
    made = {name: make_claim(owner, number, ordinal) for number, name in enumerate(names)}
    found = {
        name: {"metadata": {field: claim["metadata"].get(field) for field in ("name", "namespace", "labels")}}
        for name, claim in made.items()
    }
    assert found == case["expect"]["claims"]
