"""What objects keep for life, and what an owner reference has to say: as v1.35 validates it."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.validation import validate_create, validate_update

Json = dict[str, Any]
ROLE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
KEPT = "field is immutable when `immutable` is set"


def of(kind: str, api_version: str = "v1", **fields: Any) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **fields}


def binding(kind: str, **role: str) -> Json:
    return of(kind, "rbac.authorization.k8s.io/v1", roleRef={**ROLE, **role})


def priority(**fields: Any) -> Json:
    usual = {"value": 5, "preemptionPolicy": "Never"}
    return of("PriorityClass", "scheduling.k8s.io/v1", **{**usual, **fields})


def runtime(handler: str) -> Json:
    return of("RuntimeClass", "node.k8s.io/v1", handler=handler)


@pytest.mark.parametrize(
    "old, new, expected",
    [
        pytest.param(
            binding("RoleBinding"),
            binding("RoleBinding", name="writer"),
            [
                'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role",'
                '"Name":"writer"}: cannot change roleRef'
            ],
            id="the role of a binding",
        ),
        pytest.param(
            of("Secret", type="Opaque"),
            of("Secret", type="mine/own"),
            ['type: Invalid value: "mine/own": field is immutable'],
            id="a Secret's type",
        ),
        pytest.param(
            of("Secret", type="Opaque", data={"a": "YQ=="}, immutable=True),
            of("Secret", type="Opaque", data={"a": "Yg=="}),
            [f"immutable: Forbidden: {KEPT}", f"data: Forbidden: {KEPT}"],
            id="an immutable Secret",
        ),
        pytest.param(
            of("ConfigMap", data={"a": "b"}, immutable=True),
            of("ConfigMap", binaryData={"c": "YQ=="}, immutable=True),
            [f"data: Forbidden: {KEPT}", f"binaryData: Forbidden: {KEPT}"],
            id="an immutable ConfigMap",
        ),
        pytest.param(
            of("ConfigMap", data={"a": "b"}),
            of("ConfigMap", data={"a": "c"}, immutable=True),
            [],
            id="one that becomes immutable",
        ),
        pytest.param(
            priority(),
            priority(value=6, preemptionPolicy="PreemptLowerPriority"),
            [
                "value: Forbidden: may not be changed in an update.",
                'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
            ],
            id="what a class is worth",
        ),
        pytest.param(priority(), priority(description="new"), [], id="what is said of a class"),
        pytest.param(
            runtime("a"), runtime("b"), ['handler: Invalid value: "b": field is immutable'], id="a handler"
        ),
        pytest.param(
            of("ResourceQuota", spec={"scopes": ["Terminating", "BestEffort"]}),
            of("ResourceQuota", spec={"scopes": ["BestEffort"]}),
            ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
            id="the scopes of a quota",
        ),
        pytest.param(
            of("ResourceQuota", spec={"scopes": ["BestEffort"]}),
            of("ResourceQuota", spec={}),
            ["spec.scopes: Invalid value: null: field is immutable"],
            id="no scopes any more",
        ),
        pytest.param(
            of("ResourceQuota", spec={"scopes": ["Terminating", "BestEffort"]}),
            of("ResourceQuota", spec={"scopes": ["BestEffort", "Terminating"], "hard": {"pods": "1"}}),
            [],
            id="their order",
        ),
    ],
)
def test_it_stays_for_life(old: Json, new: Json, expected: list[str]) -> None:
    assert [str(error) for error in validate_update(old, new)] == expected


OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"}


@pytest.mark.parametrize(
    "owners, expected",
    [
        pytest.param([OWNER], [], id="one"),
        pytest.param(
            [{"apiVersion": "", "kind": "", "name": "", "uid": ""}],
            [
                'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
                'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
                'metadata.ownerReferences.name: Invalid value: "": must not be empty',
                'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
            ],
            id="nothing said",
        ),
        pytest.param(
            [{**OWNER, "controller": True}, {**OWNER, "name": "b", "controller": True}],
            [
                'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"a",'
                '"uid":"1","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"1",'
                '"controller":true}]: Only one reference can have Controller set to true. Found "true" in'
                " references for ConfigMap/a and ConfigMap/b"
            ],
            id="two in control",
        ),
        pytest.param(
            [{**OWNER, "kind": "Event"}],
            [
                'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a",'
                '"uid":"1"}: /v1, Kind=Event is disallowed from being an owner'
            ],
            id="an event",
        ),
    ],
)
def test_owners_are_named_in_full(owners: list[Json], expected: list[str]) -> None:
    data = of("ConfigMap")
    data["metadata"]["ownerReferences"] = owners
    assert [str(error) for error in validate_create(data)] == expected


SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters"


@pytest.mark.parametrize(
    "meta, expected",
    [
        ({"generateName": "dot.gen.", "name": "dot.gen.x"}, ["metadata.generateName"]),
        ({"generateName": "web-", "name": "web-x"}, []),
        ({"generateName": "Bad_", "name": "Bad_x"}, ["metadata.generateName", "metadata.name"]),
        ({"name": "x" * 254}, ["metadata.name"]),
    ],
)
def test_a_name_and_what_it_was_made_of_are_looked_at(meta: Json, expected: list[str]) -> None:
    errors = validate_create({**of("ConfigMap"), "metadata": meta})
    assert [error.path for error in errors] == expected
    words = (SUBDOMAIN, "must be no more than 253 characters")
    assert all(error.detail.startswith(words) for error in errors)
