"""What pkg/apis/admissionregistration/validation/validation.go refuses, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.registry import entry_of_json

Json = dict[str, Any]
GROUP = "admissionregistration.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
ONE_OF = "Required value: validations or auditAnnotations must contain at least one item"
LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with"
    " an alphabetic character,"
    " and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is"
    " '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-'"
    " or '.', and must start and"
    " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def refuse(kind: str, **fields: Any) -> list[str]:
    data = {"apiVersion": GROUP, "kind": kind, "metadata": {"name": "gate"}, **fields}
    check = entry_of_json(data).validate
    assert check is not None
    return [str(error) for error in check(apply_defaults(data), FEATURE_DEFAULTS)]


def refuse_policy(given: Json) -> list[str]:
    good = {"matchConstraints": {"resourceRules": [RULE]}, "validations": [{"expression": "true"}]}
    spec = {name: value for name, value in (good | given).items() if value is not None}
    return refuse("ValidatingAdmissionPolicy", spec=spec)


def rule(**fields: Any) -> Json:
    return {"matchConstraints": {"resourceRules": [RULE | fields]}}


RULES = "spec.matchConstraints.resourceRules[0]"


@pytest.mark.parametrize(
    "given, said",
    [
        ({}, []),
        (
            {"failurePolicy": "Maybe"},
            ['spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
        ),
        (
            {"paramKind": {}},
            ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"],
        ),
        (
            {"paramKind": {"apiVersion": "a/b/c", "kind": "K"}},
            ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
        ),
        (
            {"paramKind": {"apiVersion": "A/1", "kind": "K_"}},
            [
                f'spec.paramKind.apiVersion: Invalid value: "A": {SUBDOMAIN}',
                f'spec.paramKind.apiVersion: Invalid value: "1": {LABEL_1035}',
                (
                    f'spec.paramKind.kind: Invalid value: "K_": may have mixed case, but should'
                    f" otherwise match: {LABEL_1035}"
                ),
            ],
        ),
        (
            {"paramKind": {"apiVersion": "a.b/", "kind": "K"}},
            ['spec.paramKind.apiVersion: Invalid value: "a.b/": version must be specified'],
        ),
        ({"matchConstraints": None}, ["spec.matchConstraints: Required value"]),
        ({"matchConstraints": {}}, ["spec.matchConstraints.resourceRules: Required value"]),
        (
            {"matchConstraints": {"resourceRules": [RULE], "matchPolicy": "Same"}},
            [
                (
                    'spec.matchConstraints.matchPolicy: Unsupported value: "Same": supported'
                    ' values: "Equivalent", "Exact"'
                )
            ],
        ),
        (
            {
                "matchConstraints": {
                    "resourceRules": [RULE],
                    "objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]},
                }
            },
            [
                (
                    "spec.matchConstraints.objectSelector.matchExpressions[0].values: Required"
                    " value: must be specified when `operator` is 'In' or 'NotIn'"
                )
            ],
        ),
        (
            {"matchConstraints": {"resourceRules": [{}]}},
            [
                f"{RULES}.{field}: Required value"
                for field in ("operations", "apiGroups", "apiVersions", "resources")
            ],
        ),
        (
            rule(operations=["*", "CREATE"]),
            [
                (
                    f'{RULES}.operations: Invalid value: ["*","CREATE"]: if \'*\' is present,'
                    " must not specify other operations"
                )
            ],
        ),
        (
            rule(operations=["PATCH"]),
            [
                (
                    f'{RULES}.operations[0]: Unsupported value: "PATCH": supported values: "*",'
                    ' "CONNECT", "CREATE", "DELETE", "UPDATE"'
                )
            ],
        ),
        (
            rule(apiGroups=["*", "apps"]),
            [
                (
                    f'{RULES}.apiGroups: Invalid value: ["*","apps"]: if \'*\' is present, must'
                    " not specify other API groups"
                )
            ],
        ),
        (
            rule(apiVersions=["", "*"]),
            [
                (
                    f'{RULES}.apiVersions: Invalid value: ["","*"]: if \'*\' is present, must'
                    " not specify other API versions"
                ),
                f"{RULES}.apiVersions[0]: Required value",
            ],
        ),
        (
            rule(resources=["pods/*", "pods/status", ""]),
            [
                (
                    f"{RULES}.resources[1]: Invalid value: \"pods/status\": if 'pods/*' is"
                    " present, must not specify pods/status"
                ),
                f"{RULES}.resources[2]: Required value",
            ],
        ),
        (
            rule(resources=["*/scale", "a/scale"]),
            [
                (
                    f"{RULES}.resources[1]: Invalid value: \"a/scale\": if '*/scale' is"
                    " present, must not specify a/scale"
                )
            ],
        ),
        (
            rule(resources=["*/*", "a"]),
            [
                (
                    f'{RULES}.resources: Invalid value: ["*/*","a"]: if \'*/*\' is present,'
                    " must not specify other resources"
                )
            ],
        ),
        (
            rule(resources=["*", "a"]),
            [
                (
                    f'{RULES}.resources: Invalid value: ["*","a"]: if \'*\' is present, must'
                    " not specify other resources without subresources"
                )
            ],
        ),
        (
            rule(scope="All"),
            [f'{RULES}.scope: Unsupported value: "All": supported values: "*", "Cluster", "Namespaced"'],
        ),
        (
            rule(resourceNames=["a", "a", "b/"]),
            [
                f'{RULES}.resourceNames[1]: Duplicate value: "a"',
                f"{RULES}.resourceNames[2]: Invalid value: \"b/\": may not contain '/'",
            ],
        ),
        (
            {
                "matchConditions": [
                    {},
                    {"name": "a", "expression": "1 +"},
                    {"name": "a", "expression": "true"},
                ]
            },
            [
                "spec.matchConditions[0].expression: Required value",
                "spec.matchConditions[0].name: Required value",
                (
                    'spec.matchConditions[1].expression: Invalid value: "1 +": compilation'
                    " failed: ERROR: <input>:1:4: Syntax error:"
                ),
                'spec.matchConditions[2].name: Duplicate value: "a"',
            ],
        ),
        (
            {"matchConditions": [{"name": f"n{i}", "expression": "true"} for i in range(65)]},
            ["spec.matchConditions: Too many: 65: must have at most 64 items"],
        ),
        (
            {"variables": [{}, {"name": "in", "expression": "1"}, {"name": "a-b", "expression": "("}]},
            [
                "spec.variables[0].name: Required value: name is not specified",
                "spec.variables[0].expression: Required value: expression is not specified",
                'spec.variables[1].name: Invalid value: "in": must be a valid CEL identifier',
                'spec.variables[2].name: Invalid value: "a-b": must be a valid CEL identifier',
                (
                    'spec.variables[2].expression: Invalid value: "(": compilation failed:'
                    " ERROR: <input>:1:2: Syntax error:"
                ),
            ],
        ),
        ({"validations": None}, [f"spec.validations: {ONE_OF}", f"spec.auditAnnotations: {ONE_OF}"]),
        (
            {
                "validations": [
                    {"expression": " ", "messageExpression": " ", "message": " ", "reason": "Gone"}
                ]
            },
            [
                "spec.validations[0].expression: Required value: expression is not specified",
                'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
                'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
                (
                    'spec.validations[0].reason: Unsupported value: "Gone": supported values:'
                    ' "Forbidden", "Invalid", "RequestEntityTooLarge"'
                ),
            ],
        ),
        (
            {"validations": [{"expression": "object.", "messageExpression": "'", "message": "a\nb"}]},
            [
                (
                    'spec.validations[0].expression: Invalid value: "object.": compilation'
                    " failed: ERROR: <input>:1:8: Syntax error:"
                ),
                (
                    'spec.validations[0].messageExpression: Invalid value: "\'": compilation'
                    " failed: ERROR: <input>:1:1: Syntax error:"
                ),
                'spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
            ],
        ),
        # What is not known here, or is of the wrong type, is stored and told of.
        ({"validations": [{"expression": "authorizer.group('').sortBy(x, unknown(x))"}]}, []),
        (
            {
                "auditAnnotations": [
                    {"key": "a b"},
                    {"key": "c", "valueExpression": "'" + "x" * 5200 + "'"},
                    {"key": "c", "valueExpression": "1"},
                ]
            },
            [
                'spec.auditAnnotations[0].key: Invalid value: "gate/a b": ',
                "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
                (
                    "spec.auditAnnotations[1].valueExpression: Required value: must not exceed"
                    " 5120 bytes in length"
                ),
                'spec.auditAnnotations[2].key: Duplicate value: "c"',
            ],
        ),
    ],
)
@pytest.mark.spec("CEL-07")
def test_a_policy_is_refused_as_kubernetes_refuses_it(given: Json, said: list[str]) -> None:
    pytest.importorskip("cel_expr_python")
    errors = refuse_policy(given)
    # The parser of the library and that of Go name what they had expected in words of their own.
    assert len(errors) == len(said) and all(map(str.startswith, errors, said)), errors


@pytest.mark.parametrize(
    "given, said",
    [
        ({}, []),
        ({"policyName": None}, ["spec.policyName: Required value"]),
        ({"policyName": "A"}, [f'spec.policyName: Invalid value: "A": {SUBDOMAIN}']),
        (
            {"validationActions": None},
            ["spec.validationActions: Required value: at least one validation action is required"],
        ),
        (
            {"validationActions": ["Deny", "Warn", "Deny", "Refuse"]},
            [
                'spec.validationActions[2]: Duplicate value: "Deny"',
                (
                    'spec.validationActions[3]: Unsupported value: "Refuse": supported values:'
                    ' "Audit", "Deny", "Warn"'
                ),
                (
                    'spec.validationActions: Invalid value: ["Deny","Warn","Deny","Refuse"]:'
                    " must not contain both Deny and Warn (repeating the same validation"
                    " failure information in the API response and headers serves no purpose)"
                ),
            ],
        ),
        (
            {"paramRef": {}},
            [
                "spec.paramRef: Required value: one of name or selector must be specified",
                "spec.paramRef.parameterNotFoundAction: Required value",
            ],
        ),
        (
            {"paramRef": {"name": "a/b", "selector": {}, "parameterNotFoundAction": "Wait"}},
            [
                "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'",
                "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
                "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
                (
                    'spec.paramRef.parameterNotFoundAction: Unsupported value: "Wait":'
                    ' supported values: "Deny", "Allow"'
                ),
            ],
        ),
        (
            {"matchResources": {"resourceRules": [{**RULE, "scope": ""}]}},
            [
                (
                    'spec.matchResources.resourceRules[0].scope: Unsupported value: "":'
                    ' supported values: "*", "Cluster", "Namespaced"'
                )
            ],
        ),
    ],
)
@pytest.mark.spec("CEL-07")
def test_a_binding_is_refused_as_kubernetes_refuses_it(given: Json, said: list[str]) -> None:
    good = {"policyName": "gate", "validationActions": ["Deny"]}
    spec = {name: value for name, value in (good | given).items() if value is not None}
    assert refuse("ValidatingAdmissionPolicyBinding", spec=spec) == said


HOOK = {
    "name": "gate.shop.example",
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"service": {"namespace": "shop", "name": "gate"}},
}
FORM = "; desired format: https://host[/path]"


@pytest.mark.parametrize("kind", ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])
@pytest.mark.parametrize(
    "given, said",
    [
        ({}, []),
        ({"name": None}, ["name: Required value"]),
        (
            {"name": "gate.shop"},
            [
                (
                    'name: Invalid value: "gate.shop": should be a domain with at least three'
                    " segments separated by dots"
                )
            ],
        ),
        ({"rules": [{**RULE, "resources": []}]}, ["rules[0].resources: Required value"]),
        ({"sideEffects": None}, ["sideEffects: Required value: must specify one of None, NoneOnDryRun"]),
        (
            {"sideEffects": "Some"},
            ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
        ),
        (
            {"timeoutSeconds": 31},
            ["timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
        ),
        ({"clientConfig": {}}, ["clientConfig: Required value: exactly one of url or service is required"]),
        (
            {"clientConfig": {"url": "http://a:b@?q=1#f"}},
            [
                f"clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}",
                f'clientConfig.url: Invalid value: "": host must be specified{FORM}',
                'clientConfig.url: Invalid value: "a:b": user information is not permitted in the URL',
                'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
                'clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
            ],
        ),
        (
            {"clientConfig": {"service": {"namespace": "shop"}}},
            ["clientConfig.service.namespace: Required value"],
        ),
        (
            {"clientConfig": {"service": {"namespace": "a", "name": "b", "port": 0, "path": "a/b"}}},
            [
                (
                    "clientConfig.service.port: Invalid value: 0: port is not valid: must be"
                    " between 1 and 65535, inclusive"
                ),
                "clientConfig.service.path: Invalid value: \"a/b\": must start with a '/'",
                'clientConfig.service.path: Invalid value: "a/b": segment[0] may not be empty',
            ],
        ),
        ({"matchConditions": [{"name": "a"}]}, ["matchConditions[0].expression: Required value"]),
        (
            {"admissionReviewVersions": None},
            ["admissionReviewVersions: Required value: must specify one of v1, v1beta1"],
        ),
        (
            {"admissionReviewVersions": ["v2", "v2"]},
            [
                'admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
                (
                    'admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least'
                    " one of v1, v1beta1"
                ),
            ],
        ),
    ],
)
@pytest.mark.spec("CEL-07")
def test_a_webhook_is_refused_as_kubernetes_refuses_it(kind: str, given: Json, said: list[str]) -> None:
    hook = {name: value for name, value in (HOOK | given).items() if value is not None}
    assert refuse(kind, webhooks=[hook]) == [f"webhooks[0].{one}" for one in said]


@pytest.mark.spec("CEL-07")
def test_webhooks_have_names_of_their_own_and_what_is_left_out_is_filled_in() -> None:
    assert refuse("MutatingWebhookConfiguration", webhooks=[HOOK, HOOK]) == [
        'webhooks[1].name: Duplicate value: "gate.shop.example"'
    ]
    made = {"apiVersion": GROUP, "kind": "MutatingWebhookConfiguration", "webhooks": [HOOK]}
    (hook,) = apply_defaults(made)["webhooks"]
    assert hook == {
        **HOOK,
        "rules": [{**RULE, "scope": "*"}],
        "clientConfig": {"service": {"namespace": "shop", "name": "gate", "port": 443}},
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "timeoutSeconds": 10,
        "reinvocationPolicy": "Never",
    }
