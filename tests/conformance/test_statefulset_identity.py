"""Adapter of statefulset_identity.json: what the controller's own count of a set's pods says of one."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.identity import ordinal_of, split_name
from lifecycle.engine.controllers.stateful_set.decide.members import Member, Members
from lifecycle.engine.objects.pod import Pod
from lifecycle.engine.objects.stateful_set import StatefulSet
from tests.conformance.cases import load_cases


def count(owner: StatefulSet, pod: Pod) -> Member | None:
    """The pod among the set's; None where it has no name of theirs."""
    members = Members(*owner.key)
    members.claim_names = owner.spec.claim_names
    members.change(None, pod)
    ordinal = ordinal_of(owner.meta.name, pod.meta.name)
    return None if ordinal is None else members[ordinal]


@pytest.mark.parametrize("case", load_cases("statefulset_identity"))
def test_identity(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    if given["op"] == "parentNameAndOrdinal":
        assert split_name(given["podName"]) == (expect["parent"], expect["ordinal"])
        return
    pod = Pod.from_json(given["pod"])
    # Health is asked of a pod alone: it is counted in the set that its name says.
    alone = {"kind": "StatefulSet", "metadata": {"name": split_name(pod.meta.name)[0]}, "spec": {}}
    member = count(StatefulSet.from_json(given.get("set") or alone), pod)
    answers = {
        "identityMatches": member is not None and member.is_named,
        "storageMatches": member is not None and member.is_stored,
        "isMemberOf": member is not None,
        "isRunningAndReady": member is not None and member.is_healthy,
    }
    assert answers[given["op"]] == expect["result"]
