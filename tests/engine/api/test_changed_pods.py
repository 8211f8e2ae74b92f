"""A changed pod is held to all rules of pods, and names are told as the API server tells them."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.validation.pods.updates import validate_new_pod, validate_pod_update


def _make(**spec: object) -> dict[str, Any]:
    base = {"restartPolicy": "Always", "containers": [{"name": "app", "image": "busybox:1.36"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {**base, **spec}}


@pytest.mark.parametrize(
    "container, said",
    [
        pytest.param({"image": " x"}, "must not have leading or trailing whitespace", id="spaces"),
        pytest.param({"image": ""}, "spec.containers[0].image: Required value", id="none"),
    ],
)
def test_a_changed_image_is_one(container: dict[str, str], said: str) -> None:
    old = _make()
    changed = _make(containers=[{**old["spec"]["containers"][0], **container}])
    assert said in str(validate_pod_update(old, changed, {})[0])


def test_a_pod_keeps_a_container() -> None:
    said = [str(error) for error in validate_pod_update(_make(), _make(containers=[]), {})]
    assert said == [
        "spec.containers: Required value",
        "spec.containers: Forbidden: pod updates may not add or remove containers",
    ]


GATES = {"RestartAllContainersOnContainerExits": False}
"""On since v1.36 (kubernetes/kubernetes#136681): then sidecars may have rules as well."""
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param(
            {
                "initContainers": [
                    {"name": "i", "image": "x", "restartPolicy": "Always", "restartPolicyRules": [RULE]}
                ]
            },
            "restartPolicyRules are not allowed for init containers with restart policy Always",
            id="rules of a sidecar",
        ),
        pytest.param(
            {
                "containers": [
                    {"name": "a", "image": "x", "restartPolicy": "Never", "restartPolicyRules": [RULE] * 21}
                ]
            },
            "restartPolicyRules: Too long: may not be more than 20 bytes",
            id="too many rules",
        ),
        pytest.param(
            {
                "hostNetwork": True,
                "containers": [{"name": "a", "image": "x", "ports": [{"containerPort": 80, "hostPort": 81}]}],
            },
            "must match `containerPort` when `hostNetwork` is true",
            id="another port of the node's",
        ),
    ],
)
def test_a_new_pod_is_refused(spec: dict[str, object], said: str) -> None:
    assert any(said in str(error) for error in validate_new_pod(_make(**spec), GATES))
