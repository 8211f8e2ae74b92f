"""Adapter of statefulset_identity.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.identity import (
    identity_matches,
    is_running_and_ready,
    ordinal_of,
    split_name,
    storage_matches,
)
from lifecycle.engine.objects.pod import Pod
from lifecycle.engine.objects.stateful_set import StatefulSet
from tests.conformance.cases import load_cases


@pytest.mark.parametrize("case", load_cases("statefulset_identity"))
def test_identity(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    if given["op"] == "parentNameAndOrdinal":
        assert split_name(given["podName"]) == (expect["parent"], expect["ordinal"])
        return
    pod = Pod.from_json(given["pod"])
    if given["op"] == "isRunningAndReady":
        assert is_running_and_ready(pod) == expect["result"]
        return
    owner = StatefulSet.from_json(given["set"])
    answers = {
        "identityMatches": lambda: identity_matches(owner, pod),
        "storageMatches": lambda: storage_matches(owner, pod),
        "isMemberOf": lambda: ordinal_of(owner.meta.name, pod.meta.name) is not None,
    }
    assert answers[given["op"]]() == expect["result"]
