"""Adapter of statefulset_identity.json: what the controller's own count of a set's pods says of one."""

from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.identity import has_volumes, ordinal_of, split_name
from lifecycle.engine.controllers.stateful_set.decide.members import Member, Members
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
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
    owner = StatefulSet.from_json(given.get("set") or {"metadata": {"name": "alone"}, "spec": {}})
    assert ASKED[given["op"]](owner, pod) == expect["result"]


def is_named(owner: StatefulSet, pod: Pod) -> bool:
    member = count(owner, pod)
    return member is not None and member.is_named


def is_stored(owner: StatefulSet, pod: Pod) -> bool:
    """Only the ordinal of the pod's name matters here."""
    _parent, ordinal = split_name(pod.meta.name)
    return ordinal >= 0 and has_volumes(pod, owner.meta.name, owner.spec.claim_names, ordinal)


def is_healthy(_owner: StatefulSet, pod: Pod) -> bool:
    """Health is asked of a pod alone, whatever its name: it is counted as the first of a set."""
    alone = StatefulSet.from_json({"metadata": {"name": "alone"}, "spec": {}})
    member = count(alone, pod.replace(meta=pod.meta.replace(name="alone-0")))
    return member is not None and member.is_healthy


ASKED: dict[str, Callable[[StatefulSet, Pod], bool]] = {
    "identityMatches": is_named,
    "storageMatches": is_stored,
    "isMemberOf": lambda owner, pod: count(owner, pod) is not None,
    "isRunningAndReady": is_healthy,
}
