"""Jobs with a program that nobody knows and a token: what they would make is not made, and that is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lifecycle.engine.programs.told import list_api_callers, list_created


def make(
    kind: str = "Job", behavior: Any = None, image: str = "example.org/x:1", **spec: Any
) -> dict[str, Any]:
    notes = {"annotations": {"podline.dev/behavior": json.dumps(behavior)}} if behavior else {}
    containers = [{"name": "app", "image": image, **spec.pop("container", {})}]
    template = {"metadata": notes, "spec": {"serviceAccountName": "maker", "containers": containers, **spec}}
    inner: Any = {"template": template}
    if kind == "CronJob":
        inner = {"jobTemplate": {"spec": inner}}
    version = "apps/v1" if kind == "Deployment" else "batch/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "init"}, "spec": inner}


CERTGEN = {"args": ["create", "--secret-name=x", "--namespace=y"]}


@pytest.mark.parametrize(
    "data, is_told",
    [
        pytest.param(make(), True, id="a Job"),
        pytest.param(make("CronJob"), True, id="a CronJob"),
        pytest.param(make("Deployment"), False, id="what goes on"),
        pytest.param(make(serviceAccountName="default"), False, id="an account of everybody"),
        pytest.param(make(automountServiceAccountToken=False), False, id="no token"),
        pytest.param(
            make(image="busybox:1", container={"command": ["sleep", "1"]}), False, id="a known program"
        ),
        pytest.param(
            make(behavior={"app": {"runs": [{"for": "1s", "exit": 0}]}}), False, id="one that is stated"
        ),
        pytest.param(make(behavior={"app": {"creates": [make()]}}), False, id="what it makes is stated"),
        pytest.param(
            make(image="k8s.gcr.io/kube-webhook-certgen:v1", container=CERTGEN), False, id="one that is read"
        ),
    ],
)
def test_only_what_nobody_knows_is_told(data: dict[str, Any], is_told: bool) -> None:
    lines = list_api_callers([data], ())
    assert len(lines) == is_told
    assert all("its program may call the API; what it would make is not made" in line for line in lines)


def test_what_is_said_to_be_created_is_known_by_its_place():
    made = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "other"}},
    ]
    expected = [("Secret", "default", "a"), ("ConfigMap", "other", "b")]
    assert list(list_created([make(behavior={"app": {"creates": made}})], ())) == expected
    profile = {
        "metadata": {"name": "x"},
        "spec": {"match": {"image": "example.org/x:*"}, "behavior": {"creates": made}},
    }
    assert list(list_created([make()], [profile])) == expected
    assert list(list_created([make(image="example.org/y:1")], [profile])) == []
