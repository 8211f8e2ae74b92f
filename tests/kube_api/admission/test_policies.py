"""Policies see a request as it was sent to the API server, whatever is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kube_api.test_subresources import DEFINITION, Api, api  # noqa: F401

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
pytest.importorskip("cel_expr_python")

Json = dict[str, Any]
ADMISSION = "admissionregistration.k8s.io/v1"
SCALERS = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
SCALER = {
    "apiVersion": "autoscaling/v1",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 3,
    },
}
POLICIES = "/apis/example.org/v1/policies"
POLICY = {"apiVersion": "example.org/v1", "kind": "Policy", "metadata": {"name": "p"}, "spec": {"size": 1}}


def tell_of_each_write_to_v1(api: Api) -> None:  # noqa: F811
    """Warn of what a policy sees of each; of what was asked by another version nothing is said."""
    seen = "request.operation + ' by ' + request.requestKind.version + ', ' + request.options.kind"
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["v1"],
        "operations": ["*"],
        "resources": ["horizontalpodautoscalers", "policies"],
    }
    spec: Json = {
        "matchConstraints": {"resourceRules": [rule], "matchPolicy": "Exact"},
        "validations": [{"expression": "false", "messageExpression": seen}],
    }
    kind = "ValidatingAdmissionPolicy"
    bound = {"policyName": "gate", "validationActions": ["Warn"]}
    for one, of in ((kind, spec), (f"{kind}Binding", bound)):
        made = {"apiVersion": ADMISSION, "kind": one, "metadata": {"name": "gate"}, "spec": of}
        names = "validatingadmissionpolicies" if one == kind else "validatingadmissionpolicybindings"
        assert api("POST", f"/apis/{ADMISSION}/{names}", made)[0] == 201


def write(api: Api, method: str, path: str, body: Any = None, kind: str = "application/json") -> str:  # noqa: F811
    """What a write is warned of."""
    answer = api.client.generic(method, f"/k8s/shop{path}", json.dumps(body) if body else b"", kind)
    assert answer.status_code in (200, 201), answer.content
    return " ".join(answer.warnings).partition("'gate': ")[2].strip('"')


@pytest.mark.spec("CEL-05", "CEL-06")
def test_a_policy_sees_the_version_of_the_address_and_the_options_of_the_verb(api: Api) -> None:  # noqa: F811
    stored = DEFINITION["spec"]["versions"][0] | {"name": "v2"}
    versions = [stored | {"name": "v1", "storage": False}, stored]
    definition = {**DEFINITION, "spec": {**DEFINITION["spec"], "versions": versions}}
    assert api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)[0] == 201
    tell_of_each_write_to_v1(api)
    for path, data in ((SCALERS, SCALER), (POLICIES, POLICY)):
        one, newer = f"{path}/{data['metadata']['name']}", path.replace("/v1/", "/v2/")
        change = {"metadata": {"labels": {"a": "b"}}}, "application/merge-patch+json"
        assert write(api, "POST", path, data) == "CREATE by v1, CreateOptions"
        assert write(api, "PATCH", one, *change) == "UPDATE by v1, PatchOptions"
        assert write(api, "PATCH", one.replace("/v1/", "/v2/"), *change) == ""
        assert write(api, "PUT", one, api("GET", one)[1]) == "UPDATE by v1, UpdateOptions"
        assert write(api, "DELETE", one) == "DELETE by v1, DeleteOptions"
        assert write(api, "POST", newer, {**data, "apiVersion": newer.split("/")[2] + "/v2"}) == ""
