"""Adapter of statefulset_pvc_retention.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.retention import (
    has_non_controller_owner,
    has_unexpected_controller,
    is_owner_up_to_date,
    make_owners,
)
from lifecycle.engine.objects.meta import PlainObject
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet
from tests.conformance.cases import load_cases

ASKED = {
    "isClaimOwnerUpToDate": ("upToDate", is_owner_up_to_date),
    "hasUnexpectedController": ("result", has_unexpected_controller),
    "hasNonControllerOwner": ("result", has_non_controller_owner),
}
COMPARED = ("apiVersion", "kind", "name", "uid", "controller")


@pytest.mark.parametrize("case", load_cases("statefulset_pvc_retention"))
def test_owners_of_a_claim(case: dict[str, Any]):
    given, expect = case["input"], case["expect"]
    owner = StatefulSet.from_json(given["set"])
    pod = Pod.from_json({"apiVersion": "v1", "kind": "Pod", **given["pod"]})
    claim = PlainObject.from_json({"apiVersion": "v1", "kind": "PersistentVolumeClaim", **given["claim"]})
    if given["op"] in ASKED:
        name, ask = ASKED[given["op"]]
        assert ask(claim, owner, pod) == expect[name]
        return
    owners = [one.to_json() for one in make_owners(claim, owner, pod)]
    if "ownerReferences" in expect:
        assert sorted(map(read, owners)) == sorted(map(read, expect["ownerReferences"]))
        return
    controllers = {one["uid"] for one in owners if one.get("controller")}
    found = (pod.meta.uid in controllers, owner.meta.uid in controllers)
    assert found == (expect["podIsController"], expect["setIsController"])


def read(reference: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(reference.get(name) or "") for name in COMPARED)
