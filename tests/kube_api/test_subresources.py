"""Parts of objects: sizes, bindings, and what leads nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from lifecycle.kube_api import writes
from lifecycle.models import Cluster, Command
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"schedulerName": "nobody", "containers": [{"name": "main", "image": "busybox:1.36"}]},
        },
    },
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p"},
    "spec": DEPLOYMENT["spec"]["template"]["spec"],
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "policies.example.org"},
    "spec": {
        "group": "example.org",
        "scope": "Cluster",
        "names": {"kind": "Policy", "plural": "policies", "singular": "policy", "shortNames": ["pol"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"size": {"type": "integer", "minimum": 0}},
                            },
                            "status": {"type": "object", "properties": {"size": {"type": "integer"}}},
                        },
                    }
                },
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
                },
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
            }
        ],
    },
}


class Api:
    """A client of the shop's API server; its worker has a turn whenever something waits."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client = Client()
        self.client.force_login(shop.cluster.owner)

        def wait(command: Command, timeout: float) -> dict[str, Any] | None:
            shop.turn()
            command.refresh_from_db()
            return command.result

        monkeypatch.setattr(inbox, "wait_for_result", wait)
        assert writes.inbox is inbox

    def __call__(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        answer = self.client.generic(
            method, f"/k8s/shop{path}", b"" if body is None else json.dumps(body), kind
        )
        is_json = answer.headers["Content-Type"] == "application/json"
        return answer.status_code, answer.json() if is_json else answer.content.decode()


@pytest.fixture
def api(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Api:
    return Api(shop, monkeypatch)


def test_a_size_is_shown_and_set(api: Api) -> None:
    path = "/apis/apps/v1/namespaces/default/deployments"
    assert api("POST", path, DEPLOYMENT)[0] == 201
    code, scale = api("GET", f"{path}/web/scale")
    assert (code, scale["kind"], scale["spec"]) == (200, "Scale", {"replicas": 2})
    assert scale["status"]["selector"] == "app=web"
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = api.client.get(f"/k8s/shop{path}/web/scale", headers=accept).json()
    assert [column["name"] for column in table["columnDefinitions"]] == [
        "Name",
        "Desired",
        "Available",
        "Age",
    ]
    assert table["rows"][0]["cells"][:2] == ["web", 2]
    scale["spec"]["replicas"] = 3
    assert api("PUT", f"{path}/web/scale", scale)[1]["spec"] == {"replicas": 3}
    assert api("GET", f"{path}/web")[1]["spec"]["replicas"] == 3
    scale["spec"]["replicas"] = -1
    code, refused = api("PUT", f"{path}/web/scale", scale)
    assert (code, refused["message"]) == (
        422,
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1:'
        " must be greater than or equal to 0",
    )


def test_a_pod_is_bound_once(api: Api) -> None:
    path = "/api/v1/namespaces/default/pods"
    assert api("POST", path, POD)[0] == 201
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "p"},
        "target": {"kind": "Node", "name": "node-1"},
    }
    assert api("POST", f"{path}/p/binding", binding)[0] == 201
    assert api("GET", f"{path}/p")[1]["spec"]["nodeName"] == "node-1"
    code, refused = api("POST", f"{path}/p/binding", binding)
    assert (code, refused["reason"]) == (409, "Conflict")
    assert refused["message"].endswith('pod p is already assigned to node "node-1"')


def test_a_dry_run_leaves_no_trace(api: Api, shop: Shop) -> None:
    before = Cluster.objects.get(pk=shop.cluster.pk).rv
    path = "/api/v1/namespaces/default/pods"
    code, made = api("POST", f"{path}?dryRun=All", POD)
    assert (code, "resourceVersion" in made["metadata"]) == (201, False)
    assert api("GET", f"{path}/p")[0] == 404
    assert Cluster.objects.get(pk=shop.cluster.pk).rv == before
    assert api("POST", path, POD)[1]["metadata"]["uid"] == made["metadata"]["uid"]
    assert api("DELETE", f"{path}/p?dryRun=All")[0] == 200
    assert api("GET", f"{path}/p")[0] == 200


@pytest.mark.parametrize(
    "method, name, body, code",
    [
        ("POST", "", {"metadata": {"name": "kube-root-ca.crt"}}, 409),
        ("POST", "", {"metadata": {"name": "X_"}}, 422),
        ("PATCH", "/kube-root-ca.crt", {"data": {"a b": "c"}}, 422),
    ],
)
def test_what_was_warned_of_is_told_beside_a_refusal(
    api: Api, method: str, name: str, body: Any, code: int
) -> None:
    """As a server of v1.35.6 answered: what is wrong with a body is told whatever comes of it."""
    path = f"/k8s/shop/api/v1/namespaces/default/configmaps{name}?fieldValidation=Warn"
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    sent = {"apiVersion": "v1", "kind": "ConfigMap", "dat": 1, **body}
    answer = api.client.generic(method, path, json.dumps(sent), kind)
    told = [value for header, value in answer.items() if header == "Warning"]
    assert (answer.status_code, told) == (code, ['299 - "unknown field \\"dat\\""'])


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_proxy_reaches_no_pod_without_an_address_and_harms_nobody(api: Api, method: str) -> None:
    """registry/core/pod/strategy.go, ResourceLocation."""
    path = "/api/v1/namespaces/default/pods"
    assert api("POST", path, POD)[0] == 201
    code, refused = api(method, f"{path}/p/proxy/", POD)
    assert (code, refused["reason"], refused["message"]) == (400, "BadRequest", "address not allowed")
    assert api("GET", f"{path}/p")[0] == 200


def test_a_selector_is_told_in_the_order_of_its_keys(api: Api) -> None:
    expressions = [
        {"key": "env", "operator": "DoesNotExist"},
        {"key": "b", "operator": "In", "values": ["y", "x"]},
    ]
    spec = DEPLOYMENT["spec"] | {"selector": {"matchLabels": {"app": "web"}, "matchExpressions": expressions}}
    spec["template"] = spec["template"] | {"metadata": {"labels": {"app": "web", "b": "x"}}}
    path = "/apis/apps/v1/namespaces/default/deployments"
    assert api("POST", path, DEPLOYMENT | {"spec": spec})[0] == 201
    assert api("GET", f"{path}/web/scale")[1]["status"]["selector"] == "app=web,b in (x,y),!env"


def test_custom_resources_are_served_where_their_definition_says(api: Api) -> None:
    path = "/apis/example.org/v1/policies"
    assert api("GET", path) == (404, "404 page not found\n")
    assert api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)[0] == 201
    policy = {
        "apiVersion": "example.org/v1",
        "kind": "Policy",
        "metadata": {"name": "a"},
        "spec": {"size": 2},
    }
    code, made = api("POST", path, policy)
    assert (code, made["spec"], made["metadata"]["generation"]) == (201, {"size": 2}, 1)
    assert "namespace" not in made["metadata"]
    assert api("GET", f"{path}/a/scale")[1]["spec"] == {"replicas": 2}
    assert api("POST", path, {**policy, "metadata": {"name": "sizeless"}, "spec": {}})[0] == 201
    code, refused = api("GET", f"{path}/sizeless/scale")
    missing = 'the spec replicas field ".spec.size" does not exist'
    assert (code, refused["reason"]) == (500, "InternalError")
    assert refused["message"] == f"Internal error occurred: {missing}"
    assert refused["details"] == {"causes": [{"message": missing}]}
    assert api("DELETE", f"{path}/sizeless")[0] == 200
    names = [one["name"] for one in api("GET", "/apis/example.org/v1")[1]["resources"]]
    assert names == ["policies", "policies/scale", "policies/status"]
    code, refused = api("POST", path, {**policy, "metadata": {"name": "b"}, "spec": {"size": -1}})
    assert (code, refused["reason"]) == (422, "Invalid")
    document = api("GET", "/openapi/v3/apis/example.org/v1")[1]
    schema = document["components"]["schemas"]["org.example.v1.Policy"]
    assert schema["properties"]["spec"]["properties"]["size"]["type"] == "integer"
    assert api("DELETE", f"{path}/a")[1]["status"] == "Success"
    assert api("GET", path)[1]["items"] == []


@pytest.mark.spec("OVER-03")
def test_the_kinds_of_workloads_have_the_short_names_that_people_type(api: Api) -> None:
    """As `kubectl api-resources` lists them for v1.35 (`jobs` has none)."""
    listed = [
        one
        for path in ("/apis/apps/v1", "/apis/batch/v1", "/api/v1")
        for one in api("GET", path)[1]["resources"]
        if "/" not in one["name"]
    ]
    short = {one["kind"]: one.get("shortNames") for one in listed}
    expected = {
        "Deployment": ["deploy"],
        "ReplicaSet": ["rs"],
        "StatefulSet": ["sts"],
        "DaemonSet": ["ds"],
        "Job": None,
        "CronJob": ["cj"],
        "ReplicationController": ["rc"],
    }
    assert {kind: short[kind] for kind in expected} == expected


def test_options_of_a_patch_are_read_before_its_object_and_that_before_the_patch(api: Api) -> None:
    path, kind = "/api/v1/namespaces/default/configmaps/nobody", "application/merge-patch+json"
    assert api("PATCH", path, {}, "text/plain")[0] == 415
    code, refused = api("PATCH", f"{path}?dryRun=Some", {}, kind)
    assert (code, refused["message"]) == (
        422,
        'PatchOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported'
        ' values: "All"',
    )
    answer = api.client.generic("PATCH", f"/k8s/shop{path}", b"{", kind)
    assert (answer.status_code, answer.json()["message"]) == (404, 'configmaps "nobody" not found')
