"""How the API server complains of a value of a wrong type: of an object's, and of what a patch left."""

from __future__ import annotations

import pytest

from lifecycle.engine.schema.go_errors import find_decode_error, find_unrestorable


def _make(**spec: object) -> dict[str, object]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param({"replicas": "x"}, "unrecognized type: int32", id="a text for a number"),
        pytest.param({"paused": "yes"}, "unrecognized type: bool", id="a text for a boolean"),
        pytest.param({"replicas": 1.5}, "cannot convert float64 to int32", id="a fraction"),
        pytest.param(
            {"template": {"spec": {"containers": "x"}}}, "cannot restore slice from string", id="no list"
        ),
        pytest.param({"template": "x"}, "cannot restore struct from: string", id="no object"),
        pytest.param({"selector": {"matchLabels": []}}, "cannot restore map from slice", id="no map"),
        pytest.param({"template": {"spec": {"hostname": 5}}}, "cannot convert int64 to string", id="no text"),
        pytest.param({"replicas": 3}, "", id="right"),
    ],
)
def test_a_strategic_patch_is_told_in_words_of_its_own(spec: dict[str, object], said: str) -> None:
    assert find_unrestorable(_make(**spec)) == said


def test_a_struct_within_a_struct_is_named() -> None:
    container = {"name": "app", "livenessProbe": {"httpGet": {"port": True}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {"containers": [container]}}
    path = "spec.containers.livenessProbe.ProbeHandler.httpGet.port"
    assert f"HTTPGetAction.{path} of type int32" in find_decode_error(pod)
