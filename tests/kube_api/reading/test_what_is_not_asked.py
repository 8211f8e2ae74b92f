"""What is stored and never asked is warned of when it comes; and what Accept cannot have is said."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.validation import list_warnings
from lifecycle.kube_api.content import negotiate
from lifecycle.kube_api.status import Refusal

Json = dict[str, Any]
RULE = {"x-kubernetes-validations": [{"rule": "[self].transformMap(index, one, one) != {}"}]}


FIRST = "spec.versions[0].schema.openAPIV3Schema.properties[f0].x-kubernetes-validations[0].rule: the library"
WHY = f"{FIRST} for CEL does not run transformMap; it is not asked"


def of(kind: str) -> Json:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "gate"},
        "webhooks": [],
    }


@pytest.mark.parametrize(
    "kind",
    [
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "MutatingAdmissionPolicy",
    ],
)
def test_who_would_look_at_every_write_is_said_not_to_be_asked(kind):
    (warning,) = list_warnings(of(kind))
    assert warning.startswith(f"{kind} gate is stored, and no write is held to it: ")


def test_of_a_policy_only_what_cannot_be_asked_is_said():
    policy = of("ValidatingAdmissionPolicy")
    assert list_warnings(policy) == [] == list_warnings(of("ValidatingAdmissionPolicyBinding"))
    policy["spec"] = {
        "validations": [{"expression": "true"}, {"expression": "authorizer.path('/').check('get')"}]
    }
    (warning,) = list_warnings(policy)
    assert warning.startswith("spec.validations[1].expression: undeclared reference to 'authorizer'")


def define(schemas: list[Json], conversion: Json | None = None) -> Json:
    versions = [
        {"name": f"v{number}", "schema": {"openAPIV3Schema": one}} for number, one in enumerate(schemas, 1)
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "boxes.example.org"},
        "spec": {"versions": versions} | ({"conversion": conversion} if conversion else {}),
    }


def nest(count: int) -> Json:
    return {"type": "object", "properties": {f"f{n}": {"type": "integer", **RULE} for n in range(count)}}


@pytest.mark.parametrize(
    "definition, warnings",
    [
        pytest.param(define([nest(0)]), [], id="no rule"),
        pytest.param(
            define([nest(1)]),
            [WHY],
            id="one rule",
        ),
        pytest.param(
            define([nest(30), nest(20)]),
            [f"{WHY} (and 49 more)"],
            id="fifty rules in two versions are one line",
        ),
        pytest.param(
            define([nest(0)], {"strategy": "Webhook"}),
            [
                "spec.conversion.strategy: the webhook is not asked; objects are served as they were sent,"
                " with another apiVersion"
            ],
            id="a webhook that converts",
        ),
        pytest.param(define([nest(0)], {"strategy": "None"}), [], id="no webhook converts"),
    ],
)
def test_a_definition_is_warned_of_once_for_each_thing_that_is_not_asked(definition, warnings):
    assert list_warnings(definition) == warnings


@pytest.mark.parametrize(
    "accept, is_watch, accepted",
    [
        ("text/html", False, "application/json, application/yaml, application/vnd.kubernetes.protobuf"),
        ("text/html", True, "application/json, application/vnd.kubernetes.protobuf"),
    ],
)
def test_what_is_never_served_is_refused_as_by_the_api_server(accept, is_watch, accepted):
    with pytest.raises(Refusal) as refused:
        negotiate(accept, is_watch)
    assert refused.value.to_status()["message"].endswith(f"accepted: {accepted}")


@pytest.mark.parametrize("is_watch", [False, True])
def test_who_accepts_nothing_but_protobuf_is_told_to_accept_json_beside_it(is_watch):
    with pytest.raises(Refusal) as refused:
        negotiate("application/vnd.kubernetes.protobuf", is_watch)
    message = refused.value.to_status()["message"]
    assert "accepted: application/json" in message and "accept application/json beside it" in message
    assert negotiate("application/vnd.kubernetes.protobuf, */*", is_watch).media_type == "application/json"
