"""What is refused of autoscalers, in the API server's order; and what was let in once, which stays."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create, validate_update

Json = dict[str, Any]
WEB = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}


def make_autoscaler(**spec: Any) -> Json:
    data = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default", "uid": "u", "resourceVersion": "1"},
        "spec": {"scaleTargetRef": WEB, "maxReplicas": 3, "metrics": [CPU], **spec},
    }
    return dict(apply_defaults(data, FEATURE_DEFAULTS))


def about(version: str) -> Json:
    """A metric of an object of some version."""
    described = {"apiVersion": version, "kind": "Service", "name": "web"}
    target = {"type": "Value", "value": "1"}
    return {
        "type": "Object",
        "object": {"describedObject": described, "metric": {"name": "m"}, "target": target},
    }


@pytest.mark.parametrize(
    "spec, fields",
    [
        pytest.param({}, [], id="a good one"),
        pytest.param(
            {"scaleTargetRef": {**WEB, "name": "", "apiVersion": "v1"}, "metrics": [{**CPU, "type": "Bad"}]},
            [
                "spec.scaleTargetRef.name",
                "spec.scaleTargetRef.apiVersion",
                "spec.metrics[0].type",
                "spec.metrics[0].type",
            ],
            id="the group of its target before its metrics",
        ),
        pytest.param(
            {"behavior": {"scaleUp": {"selectPolicy": ""}}},
            ["spec.behavior.scaleUp.selectPolicy"],
            id="a policy of no name is none",
        ),
        pytest.param({"behavior": {"scaleUp": {"selectPolicy": None}}}, [], id="a policy that is not said"),
    ],
)
def test_a_new_autoscaler(spec: Json, fields: list[str]):
    assert [error.path for error in validate_create(make_autoscaler(**spec))] == fields


@pytest.mark.parametrize(
    "before, after, fields",
    [
        pytest.param(
            {"scaleTargetRef": {**WEB, "apiVersion": "v1"}},
            {"scaleTargetRef": {**WEB, "apiVersion": "v1", "name": "db"}},
            [],
            id="no group, as before",
        ),
        pytest.param(
            {},
            {"scaleTargetRef": {**WEB, "apiVersion": "v1"}, "maxReplicas": 0},
            ["spec.maxReplicas", "spec.maxReplicas", "spec.scaleTargetRef.apiVersion"],
            id="no group from now on",
        ),
        pytest.param(
            {"minReplicas": 0, "metrics": [about("v1")]},
            {"minReplicas": 0, "metrics": [about("v1")], "maxReplicas": 5},
            [],
            id="down to nothing, as before",
        ),
        pytest.param(
            {"minReplicas": 1, "metrics": [about("v1")]},
            {"minReplicas": 0, "metrics": [about("v1")]},
            ["spec.minReplicas"],
            id="down to nothing from now on",
        ),
        pytest.param(
            {"metrics": [about("a/b/c")]}, {"metrics": [about("a/b/d")]}, [], id="no version, as before"
        ),
        pytest.param(
            {"metrics": [about("v1")]},
            {"metrics": [about("a/b/c")]},
            ["spec.metrics[0].object.describedObject.apiVersion"],
            id="no version from now on",
        ),
    ],
)
def test_a_changed_autoscaler(before: Json, after: Json, fields: list[str]):
    errors = validate_update(make_autoscaler(**before), make_autoscaler(**after))
    assert [error.path for error in errors] == fields
