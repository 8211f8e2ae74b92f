"""How a definition converts its versions (apiextensions, validateCustomResourceConversion)."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_manifest

from .test_refusals_of_policies import FORM, LABEL_1035

Json = dict[str, Any]
SERVICE = {"namespace": "shop", "name": "convert"}
CLIENT, REVIEWS = "spec.conversion.webhookClientConfig", "spec.conversion.conversionReviewVersions"


def define(conversion: Json | None) -> Json:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    spec = {
        "group": "acme.example",
        "scope": "Namespaced",
        "names": {"plural": "gears", "kind": "Gear"},
        "versions": [version],
        "conversion": conversion,
    }
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return apply_defaults({**head, "metadata": {"name": "gears.acme.example"}, "spec": spec})


def by_webhook(client: Json | None, *versions: str) -> Json:
    return {
        "strategy": "Webhook",
        "webhook": {"clientConfig": client, "conversionReviewVersions": list(versions)},
    }


@pytest.mark.spec("CEL-07")
@pytest.mark.parametrize(
    "conversion, said",
    [
        ({}, ["spec.conversion.strategy: Required value"]),
        (by_webhook({"service": SERVICE}, "v1"), []),
        (by_webhook({"url": "https://convert.example/all"}, "v2", "v1beta1"), []),
        (
            by_webhook({}, "v1"),
            [f"{CLIENT}: Required value: exactly one of url or service is required"],
        ),
        (
            by_webhook({"url": "https://convert.example", "service": SERVICE}),
            [
                f"{CLIENT}: Required value: exactly one of url or service is required",
                f"{REVIEWS}: Required value",
            ],
        ),
        (
            by_webhook({"url": "http://a:b@x/?q#f"}, "v1", "v1", "A_"),
            [
                f"{CLIENT}.url: Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}",
                f'{CLIENT}.url: Invalid value: "a:b": user information is not permitted in the URL',
                f'{CLIENT}.url: Invalid value: "f": fragments are not permitted in the URL',
                f'{CLIENT}.url: Invalid value: "q": query parameters are not permitted in the URL',
                f'{REVIEWS}[1]: Invalid value: "v1": duplicate version',
                f'{REVIEWS}[2]: Invalid value: "A_": {LABEL_1035}',
            ],
        ),
        (
            by_webhook({"service": {"namespace": "", "name": "x", "port": 99999, "path": "x"}}, "v2"),
            [
                # Kubernetes hands the two over in the other order.
                f"{CLIENT}.service.name: Required value",
                f"{CLIENT}.service.port: Invalid value: 99999: port is not valid: must be between 1 and"
                " 65535, inclusive",
                f"{CLIENT}.service.path: Invalid value: \"x\": must start with a '/'",
                f'{CLIENT}.service.path: Invalid value: "x": segment[0] may not be empty',
                f'{REVIEWS}: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
            ],
        ),
        (
            by_webhook({}, "v1") | {"strategy": "None"},
            [
                f"{CLIENT}: Forbidden: should not be set when strategy is not set to Webhook",
                f"{REVIEWS}: Forbidden: should not be set when strategy is not set to Webhook",
            ],
        ),
    ],
)
def test_it_is_refused_as_kubernetes_refuses_it(conversion: Json, said: list[str]) -> None:
    assert [str(error) for error in validate_manifest(define(conversion))] == said


@pytest.mark.spec("CEL-07")
def test_a_service_without_a_port_is_asked_at_that_of_https() -> None:
    conversion = define(by_webhook({"service": SERVICE}, "v1"))["spec"]["conversion"]
    assert conversion["webhook"]["clientConfig"] == {"service": {**SERVICE, "port": 443}}
