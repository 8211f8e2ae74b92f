"""Adapter of deployment_annotations.json."""

from typing import Any

import pytest

from lifecycle.engine.controllers.deployment.decide.revisions import (
    REVISION_HISTORY,
    AnnotationError,
    needs_size_annotations,
    new_set_annotations,
    read_natural,
    size_annotations,
)
from lifecycle.engine.controllers.deployment.decide.scaling import is_saturated
from lifecycle.engine.objects.workloads.deployment import REVISION, Deployment
from lifecycle.engine.objects.workloads.replica_set import ReplicaSet
from tests.conformance.cases import load_cases


def set_new_annotations(given: dict[str, Any], expect: dict[str, Any]) -> None:
    former = given.get("replicaSetAnnotations") or {}
    for revision, wanted in zip(given["newRevisions"], expect["afterEach"], strict=True):
        former = new_set_annotations(
            given.get("deploymentAnnotations") or {}, former, int(revision), given["revHistoryLimitInChars"]
        )
        assert former[REVISION] == wanted["revision"]
        if "revisionHistory" in wanted:
            assert former.get(REVISION_HISTORY) == wanted["revisionHistory"]


def set_sizes(given: dict[str, Any], expect: dict[str, Any]) -> None:
    former = given.get("replicaSetAnnotations") or {}
    desired, maximum = given["desiredReplicas"], given["maxReplicas"]
    assert needs_size_annotations(former, desired, maximum) == expect["updated"]
    assert {**former, **size_annotations(desired, maximum)} == expect["annotations"]


def need_update(given: dict[str, Any], expect: dict[str, Any]) -> None:
    former = given.get("replicaSetAnnotations") or {}
    needed = needs_size_annotations(former, given["desiredReplicas"], given["maxReplicas"])
    assert needed == expect["needUpdate"]


def saturated(given: dict[str, Any], expect: dict[str, Any]) -> None:
    deployment = Deployment.from_json(given["deployment"])
    assert is_saturated(deployment, ReplicaSet.from_json(given["replicaSet"])) == expect["saturated"]


def natural(given: dict[str, Any], expect: dict[str, Any]) -> None:
    annotations = given.get("replicaSetAnnotations") or {}
    try:
        value, error = read_natural(annotations, given["key"]), ""
    except AnnotationError as wrong:
        value, error = None, str(wrong)
    assert (value or 0, value is not None) == (expect["value"], expect["valid"])
    assert expect["errorContains"] in error


OPERATIONS = {
    "setNewReplicaSetAnnotations": set_new_annotations,
    "setReplicasAnnotations": set_sizes,
    "replicasAnnotationsNeedUpdate": need_update,
    "isSaturated": saturated,
    "getNonNegativeInt32FromAnnotation": natural,
}


@pytest.mark.parametrize("case", load_cases("deployment_annotations"))
def test_annotations_are_kept(case: dict[str, Any]):
    OPERATIONS[case["input"]["op"]](case["input"], case["expect"])
