"""Requests by hand, and what a v1.35.6 server answered to each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle.models import StoredObject
from tests.kube_api.conftest import Shop
from tests.kube_api.test_subresources import DEFINITION, Api

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MAPS, DEPLOYMENTS = "/api/v1/namespaces/default/configmaps", "/apis/apps/v1/namespaces/default/deployments"
POLICIES = "/apis/example.org/v1/policies"
JSON, JSON_PATCH, APPLY = "application/json", "application/json-patch+json", "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
MAP = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}}'
NO_NAME = 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required'
UNREADABLE = "the object provided is unrecognized (must be of type ConfigMap): "
ROUTE = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
ROUTE += "application/vnd.kubernetes.protobuf"
TYPES = f"only the following media types are accepted: {ROUTE.partition('representations: ')[2]}"
LOG = "/api/v1/namespaces/default/pods/p/log"
NO_URL_NAME = "the name of the object (p based on URL) was undeterminable: name must be provided"
NO_PATH = "404 page not found\n"
BOX = '{"apiVersion": "example.org/v1", "kind": "Policy", "metadata": {"name": "p"}, "spec": {"size": 3}}'


@pytest.fixture
def api(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Api:
    return Api(shop, monkeypatch)


def _ask(api: Api, method: str, path: str, body: str = "", kind: str = JSON, accept: str = "*/*") -> Any:
    answer = api.client.generic(method, f"/k8s/shop{path}", body, kind, headers={"Accept": accept})
    is_json = answer.headers["Content-Type"] == JSON
    return answer.status_code, answer.json() if is_json else answer.content.decode()


def _say_wrong(api: Api, rows: list[tuple[Any, ...]]) -> list[str]:
    """The rows of (request …, code, message) that are answered otherwise."""
    wrong = []
    for *request, code, said in rows:
        found, body = _ask(api, *request)
        text = body if isinstance(body, str) else body.get("message", "")
        if (found, text) != (code, said):
            wrong.append(f"{request}: {found} {text}")
    return wrong


def test_what_cannot_be_read_is_told_in_the_servers_words(api: Api) -> None:
    assert _ask(api, "POST", MAPS, MAP)[0] == 201
    lists = '{"apiVersion": "v1", "kind": "ConfigMapList", "items": []}'
    said = 'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to'
    yaml_list = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of"
    below = MAP.replace('"name": "a"', '"name": "b", "generation": -1')
    negative = "metadata.generation: Invalid value: -1: must be greater than or equal to 0"
    rows = [
        ("POST", MAPS, below, JSON, 422, f'ConfigMap "b" is invalid: {negative}'),
        ("POST", MAPS, "null", JSON, 422, NO_NAME),
        ("POST", MAPS, "\n", "application/yaml", 422, NO_NAME),
        ("POST", MAPS, lists, JSON, 400, f"{said} (core.ConfigMap): unknown conversion"),
        (
            "POST",
            MAPS,
            "a: [",
            "application/yaml",
            400,
            f"{UNREADABLE}yaml: line 1: did not find expected node content (613a205b)",
        ),
        ("PATCH", f"{MAPS}/a", "{}", JSON, 415, "415: Unsupported Media Type"),
        (
            "PATCH",
            f"{MAPS}/a?fieldManager=m",
            "- a",
            APPLY,
            400,
            f"error decoding YAML: {yaml_list} type map[string]interface {{}}",
        ),
        ("GET", f"{MAPS}/a", "", JSON, "text/html", 406, ROUTE),
        ("GET", f"{MAPS}/a", "", JSON, "application/*", 406, ROUTE),
        ("GET", LOG, "", JSON, "text/html", 406, ROUTE.replace(": app", ": text/plain, app")),
        ("GET", LOG, "", JSON, "text/plain", 406, TYPES),
        ("GET", LOG, "", JSON, "text/plain, */*", 404, 'pods "p" not found'),
        ("GET", LOG.replace("log", "exec"), "", JSON, "text/html", 404, 'pods "p" not found'),
        ("PATCH", f"{MAPS}/a", "null", JSON_PATCH, 200, ""),
        ("PATCH", f"{MAPS}/a", '[{"op": "remove", "path": "/kind"}]', JSON_PATCH, 200, ""),
        (
            "PATCH",
            f"{MAPS}/a",
            '[{"op":',
            JSON_PATCH,
            400,
            "error decoding patch: unexpected end of JSON input",
        ),
    ]
    assert _say_wrong(api, rows) == []
    whole = '[{"op": "replace", "path": "", "value": ' + MAP.replace('"1"', '"2"') + "}]"
    assert _ask(api, "PATCH", f"{MAPS}/a", whole, JSON_PATCH)[1]["data"] == {"k": "2"}


def test_what_is_stored_as_protobuf_has_no_empty_lists(api: Api) -> None:
    group = "rbac.authorization.k8s.io/v1"
    role = {"apiVersion": group, "kind": "Role", "metadata": {"name": "r"}, "rules": []}
    made = api("POST", f"/apis/{group}/namespaces/default/roles", role)
    assert (made[0], made[1]["rules"]) == (201, None)
    parts = '{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "s"}'
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    made = _ask(api, "POST", slices, parts + ', "addressType": "IPv4", "endpoints": []}')
    assert (made[0], made[1]["endpoints"], made[1]["ports"]) == (201, None, None)
    spec = {"hard": {"pods": 1}}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": spec}
    assert api("POST", "/api/v1/namespaces/default/resourcequotas", quota)[1]["status"] == {}


def test_custom_resources_are_answered_as_by_their_own_handler(api: Api) -> None:
    assert api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)[0] == 201
    assert _ask(api, "POST", POLICIES, BOX)[0] == 201
    other_kind = BOX.replace('"Policy"', '"Other"')
    no_kind = BOX.replace('"kind": "Policy", ', "")
    version = "the API version in the data ({}) does not match the expected API version (example.org/v1)"
    rows = [
        ("POST", POLICIES, BOX, JSON, 409, 'policies.example.org "p" already exists'),
        (
            "POST",
            POLICIES,
            other_kind,
            JSON,
            422,
            'Other.example.org "p" is invalid: kind: Invalid value: "Other": must be Policy',
        ),
        (
            "POST",
            POLICIES,
            no_kind,
            JSON,
            400,
            "the object provided is unrecognized (must be of type Policy):"
            f" Object 'Kind' is missing in '{no_kind}' ({no_kind[:30]} ...)",
        ),
        ("POST", POLICIES, BOX.replace("org/v1", "org/v9"), JSON, 400, version.format("example.org/v9")),
        (
            "POST",
            POLICIES,
            BOX.replace('"apiVersion": "example.org/v1", ', ""),
            JSON,
            400,
            version.format(""),
        ),
        (
            "PUT",
            f"{POLICIES}/p",
            BOX,
            JSON,
            422,
            'policies.example.org "p" is invalid: metadata.resourceVersion:'
            " Invalid value: 0: must be specified for an update",
        ),
        ("GET", f"{POLICIES}/p/none", 404, 'policies.example.org "p" not found'),
        ("GET", "/apis/example.org/v2/policies", 404, NO_PATH),
        ("GET", "/apis/example.org/v1/namespaces/default/policies", 404, NO_PATH),
        (
            "PATCH",
            f"{POLICIES}/p/status",
            '{"status": {"size": "x"}}',
            MERGE,
            422,
            'Policy.example.org "p" is invalid: status.size: Invalid value: "string": size in body must be of'
            ' type integer: "string"',
        ),
        *_without_version(),
        *_with_wrong_statuses(),
    ]
    assert _say_wrong(api, rows) == []
    assert _ask(api, "GET", POLICIES)[1]["metadata"]["continue"] == ""
    assert _ask(api, "POST", POLICIES, BOX)[1]["details"] == {
        "name": "p",
        "group": "example.org",
        "kind": "policies",
    }
    resource = _ask(api, "GET", "/apis/example.org/v1")[1]["resources"][0]
    assert resource["verbs"] == "delete deletecollection get list patch create update watch".split()


def _without_version() -> Iterator[tuple[Any, ...]]:
    """Patches that leave a custom resource no apiVersion."""
    said = 'Policy "p": apiVersion: must stay example.org/v1, not None'
    patches = [
        ('[{"op": "remove", "path": "/apiVersion"}]', JSON_PATCH),
        ('[{"op": "replace", "path": "/apiVersion", "value": null}]', JSON_PATCH),
        ('{"apiVersion": null}', MERGE),
    ]
    for place in (f"{POLICIES}/p", f"{POLICIES}/p/status"):
        yield from (("PATCH", place, patch, how, 400, said) for patch, how in patches)
        yield "PATCH", place, '[{"op": "replace", "path": "", "value": {}}]', JSON_PATCH, 400, NO_URL_NAME


def _with_wrong_statuses() -> Iterator[tuple[Any, ...]]:
    """Statuses that are no object, though they say nothing."""
    for value, name in (("[]", "array"), ("0", "integer"), ('""', "string"), ("false", "boolean")):
        # The schema of a status is asked of the status alone, whose place there has no name.
        wrong = f'status: Invalid value: "{name}":  in body must be of type object: "{name}"'
        said = f'Policy.example.org "p" is invalid: {wrong}'
        yield "PATCH", f"{POLICIES}/p/status", f'{{"status": {value}}}', MERGE, 422, said


def test_the_size_of_a_custom_resource_is_put_and_held_to_its_schema(api: Api) -> None:
    assert api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)[0] == 201
    assert _ask(api, "POST", POLICIES, BOX)[0] == 201
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "p"},
        "spec": {"replicas": 2},
    }
    assert api("PUT", f"{POLICIES}/p/scale", scale)[1]["spec"] == {"replicas": 2}
    assert api("GET", f"{POLICIES}/p")[1]["spec"] == {"size": 2}
    code, refused = api("PUT", f"{POLICIES}/p/scale", {**scale, "spec": {"replicas": -1}})
    said = [f"{one['field']}: {one['message']}" for one in refused["details"]["causes"]]
    assert (code, said) == (
        422,
        [
            "spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0",
            ".spec.size: Invalid value: -1: should be a non-negative integer",
        ],
    )


def test_what_was_stored_in_another_version_is_written_in_the_one_that_is_stored_now(api: Api) -> None:
    one = DEFINITION["spec"]["versions"][0]
    other = {**one, "name": "v2"}
    moved = [
        {**DEFINITION, "spec": {**DEFINITION["spec"], "versions": versions}}
        for versions in ([one, {**other, "storage": False}], [{**one, "storage": False}, other])
    ]
    definitions, newer = (
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        POLICIES.replace("v1", "v2"),
    )
    assert api("POST", definitions, moved[0])[0] == 201
    for name in "pqrs":
        assert _ask(api, "POST", POLICIES, BOX.replace('"p"', f'"{name}"'))[0] == 201
    stored = StoredObject.objects.filter(kind="Policy", deleted_ms=None)
    merged = json.dumps({"spec": moved[1]["spec"]})
    assert _ask(api, "PATCH", f"{definitions}/policies.example.org", merged, MERGE)[0] == 200

    # What is written as it is, is stored anew all the same: so objects are brought to a version.
    before = api("GET", f"{POLICIES}/p")[1]
    code, same = api("PUT", f"{POLICIES}/p", before)
    assert (code, same["apiVersion"], same["metadata"]["generation"]) == (200, "example.org/v1", 1)
    assert same["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]
    again = api("PUT", f"{POLICIES}/p", same)[1]
    assert again["metadata"]["resourceVersion"] == same["metadata"]["resourceVersion"]
    changed = {**api("GET", f"{newer}/q")[1], "spec": {"size": 4}}
    code, written = api("PUT", f"{newer}/q", changed)
    assert (code, written["apiVersion"], written["spec"]) == (200, "example.org/v2", {"size": 4})
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "r"}}
    assert api("PUT", f"{POLICIES}/r/scale", {**scale, "spec": {"replicas": 2}})[0] == 200
    applied = BOX.replace('"p"', '"s"').replace("org/v1", "org/v2")
    assert _ask(api, "PATCH", f"{newer}/s?fieldManager=m", applied, APPLY)[0] == 200
    assert [one.data["apiVersion"] for one in stored] == ["example.org/v2"] * 4


def test_a_status_with_an_address_of_its_own_is_no_conflict(api: Api) -> None:
    assert api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION)[0] == 201
    assert _ask(api, "POST", POLICIES, BOX)[0] == 201
    status = '{"metadata": {"labels": {"l": "1"}}, "status": {"size": 1}}'
    code, written = _ask(api, "PATCH", f"{POLICIES}/p/status", status, MERGE)
    assert (code, written["status"], "labels" in written["metadata"]) == (200, {"size": 1}, False)
    # The labels are not written, and are the writer's all the same.
    claimed = [one for one in written["metadata"]["managedFields"] if one.get("subresource") == "status"]
    assert claimed[0]["fieldsV1"]["f:metadata"] == {"f:labels": {".": {}, "f:l": {}}}
    head = '{"apiVersion": "example.org/v1", "kind": "Policy", "metadata": {"name": "p"}, '
    code, applied = _ask(api, "PATCH", f"{POLICIES}/p?fieldManager=m", head + '"status": {"size": 2}}', APPLY)
    assert (code, applied["status"]) == (200, {"size": 1})


def test_a_priority_class_keeps_its_first_generation(api: Api) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    data = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "p"},
        "value": 5,
    }
    assert api("POST", classes, data)[1]["metadata"]["generation"] == 1
    code, changed = _ask(api, "PATCH", f"{classes}/p", '{"description": "x"}', MERGE)
    assert (code, changed["metadata"]["generation"], changed["description"]) == (200, 1, "x")
