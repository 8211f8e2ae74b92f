"""Patches, as Kubernetes documents and answers them: strategic merge, JSON merge, JSON patch."""

import copy
import time
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.api.patching.json_patch import MOST_OPERATIONS, json_patch
from lifecycle.engine.api.patching.patches import merge_patch, patch_object
from lifecycle.engine.api.patching.strategic_merge import strategic_merge_patch
from lifecycle.engine.heart.errors import (
    ApiError,
    BadRequest,
    Invalid,
    RequestEntityTooLarge,
    Unknown,
    Unprocessable,
)
from lifecycle.engine.schema.tables import load_tables
from tests.engine.api.desk import Desk, make, said

TYPES = load_tables().types
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "1"}}


def merge(type_name: str, target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    given = copy.deepcopy((target, patch))
    result = strategic_merge_patch(target, patch, TYPES[type_name])
    assert (target, patch) == given, "neither is written to"
    return result


# --- strategic merge --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "type_name, target, patch, expected",
    [
        pytest.param("DeploymentSpec", {"replicas": 3}, {"replicas": 5}, {"replicas": 5}, id="a value"),
        pytest.param("DeploymentSpec", {"replicas": 3}, {"replicas": None}, {}, id="null removes"),
        pytest.param("DeploymentSpec", {}, {"replicas": None}, {}, id="null of nothing"),
        pytest.param(
            "ObjectMeta", {"labels": {"a": "1", "b": "2"}}, {"labels": {"a": None, "c": "3"}},
            {"labels": {"b": "2", "c": "3"}}, id="maps merge by key",
        ),
        pytest.param(
            "ObjectMeta", {}, {"labels": {"a": None, "c": "3"}}, {"labels": {"c": "3"}},
            id="nulls of a new map are dropped",
        ),
        pytest.param(
            "ServiceSpec", {"selector": {"a": "b"}}, {"selector": {"a": None, "c": "d"}},
            {"selector": {"c": "d"}}, id="a selector merges, though apply owns it whole",
        ),
        pytest.param(
            "PodDisruptionBudgetSpec", {"selector": {"matchLabels": {"a": "b"}}},
            {"selector": {"matchLabels": {"c": "d"}}}, {"selector": {"matchLabels": {"c": "d"}}},
            id="a budget's selector is replaced",
        ),
        pytest.param(
            "PodSpec", {"volumes": "odd"}, {"volumes": [{"name": "a"}]}, {"volumes": [{"name": "a"}]},
            id="another shape is replaced",
        ),
    ],
)  # fmt: skip
def test_a_mapping_merges_field_by_field(type_name, target, patch, expected):
    assert merge(type_name, target, patch) == expected


@pytest.mark.parametrize(
    "type_name, field, key",
    [
        ("PodSpec", "containers", "name"),
        ("PodSpec", "initContainers", "name"),
        ("PodSpec", "ephemeralContainers", "name"),
        ("PodSpec", "volumes", "name"),
        ("PodSpec", "imagePullSecrets", "name"),
        ("PodSpec", "hostAliases", "ip"),
        ("PodSpec", "topologySpreadConstraints", "topologyKey"),
        ("PodSpec", "schedulingGates", "name"),
        ("PodSpec", "resourceClaims", "name"),
        ("Container", "env", "name"),
        ("Container", "ports", "containerPort"),
        ("Container", "volumeMounts", "mountPath"),
        ("Container", "volumeDevices", "devicePath"),
        ("EphemeralContainer", "env", "name"),
        ("ServiceSpec", "ports", "port"),
        ("ServiceAccount", "secrets", "name"),
        ("ObjectMeta", "ownerReferences", "uid"),
        ("PodStatus", "conditions", "type"),
        ("DeploymentStatus", "conditions", "type"),
        ("NodeStatus", "conditions", "type"),
        ("NodeStatus", "addresses", "type"),
        ("JobStatus", "conditions", "type"),
        ("ServiceStatus", "conditions", "type"),
        ("ValidatingWebhookConfiguration", "webhooks", "name"),
        ("ValidatingAdmissionPolicySpec", "variables", "name"),
    ],
)
def test_entries_of_a_list_merge_by_their_key(type_name, field, key):
    target = {field: [{key: "a", "kept": 1, "changed": 1}, {key: "b", "kept": 1}]}
    patch = {field: [{key: "a", "changed": 2}]}
    assert merge(type_name, target, patch) == {
        field: [{key: "a", "kept": 1, "changed": 2}, {key: "b", "kept": 1}]
    }


@pytest.mark.parametrize(
    "type_name, field",
    [
        ("PodSpec", "tolerations"),
        ("PodSpec", "readinessGates"),
        ("Container", "args"),
        ("Container", "command"),
        ("Container", "envFrom"),
        ("Container", "resizePolicy"),
        ("ServiceAccount", "imagePullSecrets"),
        ("Endpoints", "subsets"),
        ("Role", "rules"),
        ("IngressSpec", "rules"),
        ("NodeSpec", "taints"),
        ("ServiceSpec", "externalIPs"),
        ("LabelSelector", "matchExpressions"),
        ("StatefulSetSpec", "volumeClaimTemplates"),
        ("CertificateSigningRequestStatus", "conditions"),
    ],
)
def test_other_lists_are_replaced(type_name, field):
    target, patch = {field: [{"name": "a"}, {"name": "b"}]}, {field: [{"name": "c"}]}
    assert merge(type_name, target, patch) == patch


def images(*pairs: str) -> dict[str, Any]:
    """`a=1` is a container a of image 1; `a` says no image."""
    split = [pair.partition("=") for pair in pairs]
    return {"containers": [{"name": name, **({"image": image} if image else {})} for name, _, image in split]}


def gone(name: str) -> dict[str, Any]:
    return {"name": name, "$patch": "delete"}


def order(*names: str) -> dict[str, Any]:
    return {"$setElementOrder/containers": [{"name": name} for name in names]}


@pytest.mark.parametrize(
    "live, patch, expected",
    [
        pytest.param(images("a=1"), images("b=1"), images("b=1", "a=1"), id="a new entry stands in front"),
        pytest.param(
            images("a=1", "b=1"), images("a=2", "c=1"), images("a=2", "c=1", "b=1"),
            id="and behind the one that the patch has before it",
        ),
        pytest.param(
            images("a=1", "b=1"), images("b=2", "a=2"), images("b=2", "a=2"), id="the patch's order",
        ),
        pytest.param(
            images("a=1", "x=1", "b=1"), images("b=2"), images("a=1", "x=1", "b=2"), id="the live order",
        ),
        pytest.param(
            images("a=1", "b=1"), {"containers": [gone("a")]}, images("b=1"), id="an entry goes",
        ),
        pytest.param(
            images("a=1"), {"containers": [gone("none")]}, images("a=1"), id="one goes that is not there",
        ),
        pytest.param(
            images("a=1", "b=1"), {"containers": [gone("a"), *images("b=2")["containers"]]}, images("b=2"),
            id="one goes, one changes",
        ),
        pytest.param(
            images("a=1", "b=1"), {"containers": [{"$patch": "replace"}, *images("c=1")["containers"]]},
            images("c=1"), id="the list is replaced",
        ),
        pytest.param(
            images("a=1", "b=1"), {"containers": [{"$patch": "replace"}]}, {"containers": []},
            id="and emptied",
        ),
        pytest.param(
            {}, {"containers": [gone("a"), *images("b=1")["containers"]]}, images("b=1"),
            id="directives about a list that is not there",
        ),
        pytest.param(
            images("a=1", "b=1"), {**images("c=1"), **order("a", "c", "b")}, images("a=1", "c=1", "b=1"),
            id="an order is kept",
        ),
        pytest.param(
            images("a=1", "b=1"), order("b", "a"), images("b=1", "a=1"), id="an order alone",
        ),
        pytest.param(
            images("a=1", "x=1", "b=1"), order("b", "a"), images("x=1", "b=1", "a=1"),
            id="what an order does not name stays before the first that it stood before",
        ),
        pytest.param(
            images("x=1", "a=1"), {**images("b=1"), **order("a", "b")}, images("x=1", "a=1", "b=1"),
            id="what it does not name stays in front",
        ),
        pytest.param({}, order("a"), {}, id="an order of nothing"),
        pytest.param(
            images("a=1", "b=1"), {"containers": [gone("a")], **order("b")}, images("b=1"),
            id="an order and one that goes",
        ),
        pytest.param(images("a=1"), {"containers": None}, {}, id="the whole list goes"),
    ],
)  # fmt: skip
def test_containers_merge(live, patch, expected):
    assert merge("PodSpec", live, patch) == expected


@pytest.mark.parametrize(
    "live, patch, expected",
    [
        pytest.param(["a"], {"finalizers": ["b"]}, ["b", "a"], id="one more"),
        pytest.param(["a", "b"], {"finalizers": ["a"]}, ["a", "b"], id="one that is there"),
        pytest.param(["a"], {"finalizers": ["b", "b"]}, ["b", "a"], id="given twice"),
        pytest.param(
            ["a", "b", "c"], {"$deleteFromPrimitiveList/finalizers": ["a", "c"]}, ["b"], id="two go",
        ),
        pytest.param(["a"], {"$deleteFromPrimitiveList/finalizers": ["x"]}, ["a"], id="none goes"),
        pytest.param(
            ["a", "b"],
            {"finalizers": ["c"], "$deleteFromPrimitiveList/finalizers": ["a"]}, ["c", "b"],
            id="one comes, one goes",
        ),
        pytest.param(
            ["a", "b"],
            {"finalizers": ["c"], "$setElementOrder/finalizers": ["a", "b", "c"]}, ["a", "b", "c"],
            id="in an order",
        ),
        pytest.param(None, {"$deleteFromPrimitiveList/finalizers": ["x"]}, None, id="nothing is there"),
        pytest.param(None, {"finalizers": ["a"]}, ["a"], id="the first"),
    ],
)  # fmt: skip
def test_finalizers_are_a_set(live, patch, expected):
    result = merge("ObjectMeta", {} if live is None else {"finalizers": live}, patch)
    assert result == ({} if expected is None else {"finalizers": expected})


ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}


@pytest.mark.parametrize(
    "live, patch, expected",
    [
        pytest.param(
            {"strategy": ROLLING}, {"strategy": {"type": "Recreate"}},
            {"strategy": {**ROLLING, "type": "Recreate"}}, id="what is not named stays",
        ),
        pytest.param(
            {"strategy": ROLLING}, {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
            {"strategy": {"type": "Recreate"}}, id="unless only some keys are retained",
        ),
        pytest.param(
            {"strategy": ROLLING}, {"strategy": {"$retainKeys": ["type"], "rollingUpdate": None}},
            {"strategy": {"type": "RollingUpdate"}}, id="a null need not be retained",
        ),
        pytest.param(
            {"strategy": ROLLING}, {"strategy": {"$patch": "replace", "type": "Recreate"}},
            {"strategy": {"type": "Recreate"}}, id="replaced",
        ),
        pytest.param(
            {"strategy": ROLLING}, {"strategy": {"$patch": "delete"}}, {"strategy": {}}, id="emptied",
        ),
        pytest.param({}, {"strategy": {"$patch": "delete"}}, {}, id="emptied where nothing was"),
        pytest.param(
            {}, {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
            {"strategy": {"type": "Recreate"}}, id="retained where nothing was",
        ),
        pytest.param(
            {"replicas": 1}, {"$patch": "replace", "paused": True}, {"paused": True}, id="at the top",
        ),
    ],
)  # fmt: skip
def test_a_mapping_obeys_its_directive(live, patch, expected):
    assert merge("DeploymentSpec", live, patch) == expected


def test_the_source_of_a_volume_changes_when_keys_are_retained():
    live = {"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}]}
    patch = {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/v"}}]}
    assert merge("PodSpec", live, patch)["volumes"] == [
        {"name": "v", "hostPath": {"path": "/v"}},
        {"name": "w", "emptyDir": {}},
    ]


def test_entries_merge_within_entries():
    live = {"containers": [{"name": "a", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]}]}
    env = [{"name": "B", "$patch": "delete"}, {"name": "A", "value": "2"}]
    assert merge("PodSpec", live, {"containers": [{"name": "a", "env": env}]}) == {
        "containers": [{"name": "a", "env": [{"name": "A", "value": "2"}]}]
    }


def list_directives(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [name for name in value if name.startswith("$")] + list_directives([*value.values()])
    return [name for one in value for name in list_directives(one)] if isinstance(value, list) else []


@pytest.mark.parametrize("live", [{}, images("a=1"), images("b=1")])
def test_no_directive_is_ever_stored(live):
    entry = {
        "name": "a",
        "$setElementOrder/env": [{"name": "A"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "$patch": "delete"}],
        "securityContext": {"$retainKeys": ["runAsUser"], "runAsUser": 1, "$patch": "replace"},
        "lifecycle": {"preStop": {"$patch": "delete"}},
    }
    assert list_directives(merge("PodSpec", live, {"containers": [entry]})) == []


@pytest.mark.parametrize(
    "live, patch, error, said",
    [
        pytest.param(
            images("a=1"), {"containers": [{"image": "2", "tty": True}]}, Unknown,
            "map: map[image:2 tty:true] does not contain declared merge key: name", id="no key",
        ),
        pytest.param(
            images("a=1"), {"containers": [{"$patch": "delete"}]}, Unknown,
            "map: map[$patch:delete] does not contain declared merge key: name", id="none to delete by",
        ),
        pytest.param(
            images("a=1"), {"containers": [{"name": "a", "$patch": "odd"}]}, Unknown,
            "unknown patch type: odd in map: map[$patch:odd name:a]", id="an unknown directive of an entry",
        ),
        pytest.param(
            {"affinity": {}}, {"affinity": {"$patch": "odd"}}, Unknown,
            "unknown patch type: odd in map: map[$patch:odd]", id="an unknown directive of a mapping",
        ),
        pytest.param(
            images("a=1"), {"containers": [{"name": "a", "$patch": "merge"}]}, Unknown,
            "merging lists cannot yet be specified in the patch", id="merge is no directive of an entry",
        ),
        pytest.param(
            images("a=1"), {"containers": ["a"]}, Unknown, "expected a map with name, but received a",
            id="no mapping",
        ),
        pytest.param(
            images("a=1"), {"containers": [{"name": {"$patch": "replace"}}]}, BadRequest,
            "name: expected a plain value, but received map[$patch:replace]", id="a mapping for a key",
        ),
        pytest.param(
            images("a=1"), {**images("c=1", "b=1"), **order("b", "c")}, Unknown,
            "doesn't match $setElementOrder list", id="an order that contradicts the list",
        ),
        pytest.param(
            images("a=1"), {**images("c=1"), **order("a")}, Unknown,
            "doesn't match $setElementOrder list", id="an order without an entry of the list",
        ),
        pytest.param(
            images("a=1"), {"$setElementOrder/containers": "a"}, Unknown,
            "expected a list, but received a", id="an order that is no list",
        ),
        pytest.param(
            {"affinity": {}}, {"affinity": {"$retainKeys": ["podAffinity"], "nodeAffinity": {}}}, BadRequest,
            "invalid patch format of retainKeys", id="a field that is not retained",
        ),
        pytest.param(
            {"affinity": {}}, {"affinity": {"$retainKeys": "podAffinity"}}, BadRequest,
            "invalid patch format of retainKeys", id="retained keys that are no list",
        ),
    ],
)  # fmt: skip
def test_a_patch_that_contradicts_itself_is_refused(live, patch, error, said):
    with pytest.raises(error) as caught:
        merge("PodSpec", live, patch)
    assert said in caught.value.message
    assert caught.value.code == (500 if error is Unknown else 400)


# --- JSON merge patch -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target, patch, expected",
    [
        # The examples of RFC 7386, appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_is_that_of_rfc_7386(target, patch, expected):
    given = copy.deepcopy(target)
    assert merge_patch(target, patch) == expected
    assert target == given


# --- JSON patch -------------------------------------------------------------------------------------------


def step(op: str, path: str, *value: Any, **more: Any) -> dict[str, Any]:
    return {"op": op, "path": path, **({"value": value[0]} if value else {}), **more}


DOCUMENT = {"a": {"b": 1}, "list": [1, 2, 3], "x/y": {"~": 1, "m~n": 2}, "": {"": 5}, "0": "zero"}


@pytest.mark.parametrize(
    "operation, changed",
    [
        pytest.param(step("add", "/c", 2), {"c": 2}, id="add a field"),
        pytest.param(step("add", "/a", 2), {"a": 2}, id="add over a field"),
        pytest.param(step("add", "/a/c", {"d": 1}), {"a": {"b": 1, "c": {"d": 1}}}, id="add within"),
        pytest.param(step("add", "/list/0", 0), {"list": [0, 1, 2, 3]}, id="add in front"),
        pytest.param(step("add", "/list/3", 4), {"list": [1, 2, 3, 4]}, id="add at the end by index"),
        pytest.param(step("add", "/list/-", 4), {"list": [1, 2, 3, 4]}, id="add at the end"),
        pytest.param(step("add", "/list/-1", 4), {"list": [1, 2, 3, 4]}, id="add counted from the end"),
        pytest.param(step("add", "/0", "null"), {"0": "null"}, id="a field whose name is a number"),
        pytest.param(step("remove", "/a/b"), {"a": {}}, id="remove a field"),
        pytest.param(step("remove", "/list/1"), {"list": [1, 3]}, id="remove an entry"),
        pytest.param(step("remove", "/list/-1"), {"list": [1, 2]}, id="remove the last"),
        pytest.param(step("replace", "/a/b", [1]), {"a": {"b": [1]}}, id="replace a field"),
        pytest.param(step("replace", "/list/2", 9), {"list": [1, 2, 9]}, id="replace an entry"),
        pytest.param(step("replace", "/c", 1), {"c": 1}, id="replace an absent field (recorded)"),
        pytest.param(
            step("move", "/list/0", **{"from": "/a/b"}), {"a": {}, "list": [1, 1, 2, 3]}, id="move",
        ),
        pytest.param(
            step("move", "/list/2", **{"from": "/list/0"}), {"list": [2, 3, 1]}, id="move within a list",
        ),
        pytest.param(step("copy", "/c", **{"from": "/a"}), {"c": {"b": 1}}, id="copy"),
        pytest.param(step("test", "/list", [1, 2, 3]), {}, id="test a list"),
        pytest.param(step("test", "/a", {"b": 1}), {}, id="test a mapping"),
        pytest.param(step("test", "/none", None), {}, id="an absent field is null"),
        pytest.param(step("test", "/x~1y/~0", 1), {}, id="slash and tilde"),
        pytest.param(step("test", "/x~1y/m~0n", 2), {}, id="a tilde within"),
        pytest.param(step("replace", "/x~1y/~0", 3), {"x/y": {"~": 3, "m~n": 2}}, id="replace at a tilde"),
        pytest.param(step("test", "//", 5), {}, id="empty names"),
    ],
)  # fmt: skip
def test_an_operation_of_a_json_patch(operation, changed):
    given = copy.deepcopy(DOCUMENT)
    assert json_patch(DOCUMENT, [operation]) == {**DOCUMENT, **changed}
    assert given == DOCUMENT


def test_a_tilde_before_a_one_is_no_slash():
    assert json_patch({"~1": 1}, [step("remove", "/~01")]) == {}


def test_the_whole_document_is_replaced():
    assert json_patch(DOCUMENT, [step("replace", "", {"a": 1}), step("test", "", {"a": 1})]) == {"a": 1}


def test_what_is_copied_is_another():
    operations = [step("copy", "/c", **{"from": "/a"}), step("add", "/c/d", 2)]
    assert json_patch({"a": {"b": 1}}, operations) == {"a": {"b": 1}, "c": {"b": 1, "d": 2}}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(step("remove", "/none"), id="remove what is absent"),
        pytest.param(step("remove", "/a/none"), id="remove what is absent within"),
        pytest.param(step("remove", "/list/3"), id="remove beyond the end"),
        pytest.param(step("remove", "/list/-"), id="there is no entry behind the last"),
        pytest.param(step("remove", ""), id="remove the document"),
        pytest.param(step("add", "/none/b", 1), id="add where there is no mapping"),
        pytest.param(step("add", "/a/b/c", 1), id="add to a number"),
        pytest.param(step("add", "/list/4", 1), id="add beyond the end"),
        pytest.param(step("add", "/list/one", 1), id="a word is no index"),
        pytest.param(step("add", "/list/1e0", 1), id="nor is a float"),
        pytest.param(step("add", "c", 1), id="a path begins with a slash"),
        pytest.param(step("replace", "/list/3", 1), id="replace beyond the end"),
        pytest.param(step("replace", "/none/b", 1), id="replace where there is no mapping"),
        pytest.param(step("replace", "", "text"), id="a document is no text"),
        pytest.param(step("move", "/c", **{"from": "/none"}), id="move what is absent"),
        pytest.param(step("move", "/a/b/c", **{"from": "/a"}), id="move into itself"),
        pytest.param(step("move", "/c"), id="move from nowhere"),
        pytest.param(step("copy", "/c", **{"from": "/none/b"}), id="copy from nowhere"),
        pytest.param(step("test", "/a/b", 2), id="another value"),
        pytest.param(step("test", "/a/b", True), id="true is not 1"),
        pytest.param(step("test", "/a/b", "1"), id="a text is no number"),
        pytest.param(step("test", "/none", 1), id="nothing is not 1"),
        pytest.param(step("test", "/list/3", 1), id="test beyond the end"),
        pytest.param(step("spin", "/a", 1), id="no such operation"),
        pytest.param({"op": "add", "value": 1}, id="no path"),
        pytest.param({"path": "/a", "value": 1}, id="no operation"),
    ],
)
def test_an_operation_that_does_not_fit_is_refused(operation):
    with pytest.raises(Unprocessable) as caught:
        json_patch(DOCUMENT, [step("add", "/before", 1), operation])
    assert caught.value.to_status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid",
        "details": {},
        "code": 422,
    }
    assert "before" not in DOCUMENT


@pytest.mark.parametrize(
    "operations, said",
    [
        ({}, "object into Go value of type []handlers.jsonPatchOp"),
        ("[]", "string into Go value of type []handlers.jsonPatchOp"),
        ([5], "number into Go value of type handlers.jsonPatchOp"),
        ([step("add", "/a", 1), "x"], "string into Go value of type handlers.jsonPatchOp"),
        ([{"op": 5, "path": "/a"}], "number into Go struct field jsonPatchOp.op of type string"),
        ([{"op": "add", "path": ["a"]}], "array into Go struct field jsonPatchOp.path of type string"),
        ([{"op": "move", "path": "/a", "from": {}}], "object into Go struct field jsonPatchOp.from"),
    ],
)
def test_what_is_no_json_patch_is_refused(operations, said):
    with pytest.raises(BadRequest) as caught:
        json_patch({}, operations)
    assert caught.value.message.startswith(f"error decoding patch: json: cannot unmarshal {said}")


def test_a_json_patch_has_at_most_10000_operations():
    most = [step("add", "/a", 1)] * MOST_OPERATIONS
    assert json_patch({}, most) == {"a": 1}
    with pytest.raises(RequestEntityTooLarge) as caught:
        json_patch({}, [*most, most[0]])
    message = "The allowed maximum operations in a JSON patch is 10000, got 10001"
    assert (caught.value.code, caught.value.message) == (413, message)


def test_a_json_patch_copies_at_most_3_mib():
    double = [step("copy", "/a/-", **{"from": "/a"})]
    assert len(json_patch({"a": ["x" * 1000]}, double * 10)["a"]) == 11
    with pytest.raises(Unprocessable):
        json_patch({"a": ["x" * 1000]}, double * 100)


def test_a_json_patch_makes_nothing_bottomless():
    wrap = [
        step("add", "/metadata/b", {}),
        step("move", "/metadata/b/a", **{"from": "/metadata/a"}),
        step("move", "/metadata/a", **{"from": "/metadata/b"}),
    ]
    for times in (200, 3000):
        with pytest.raises(Unprocessable):
            patch_object({**CONFIG, "metadata": {"name": "c", "a": {}}}, wrap * times, "json")


@pytest.mark.slow
def test_many_entries_merge_in_little_time():
    """Linear work takes half a second here, quadratic work a minute."""
    before_seconds = time.process_time()
    entries = [{"name": f"e{number}", "value": "1"} for number in range(20_000)]
    patch = {"env": entries[::-1], "$setElementOrder/env": [{"name": one["name"]} for one in entries[::-1]]}
    assert strategic_merge_patch({"env": entries}, patch, TYPES["Container"])["env"] == entries[::-1]
    names = [f"f{number}" for number in range(20_000)]
    gone = {"$deleteFromPrimitiveList/finalizers": names[1:], "finalizers": names}
    assert strategic_merge_patch({"finalizers": names}, gone, TYPES["ObjectMeta"]) == {
        "finalizers": names[:1]
    }
    assert time.process_time() - before_seconds < 10


# --- by type ----------------------------------------------------------------------------------------------

CUSTOM = {
    "apiVersion": "example.com/v1",
    "kind": "Service",
    "metadata": {"name": "c", "finalizers": ["a"]},
    "spec": {"ports": [{"port": 1}]},
}


@pytest.mark.parametrize(
    "current, how, patch, expected",
    [
        (CONFIG, "strategic", {"data": {"l": "2"}}, {"data": {"k": "1", "l": "2"}}),
        (CONFIG, "merge", {"data": {"k": None}}, {"data": {}}),
        (CONFIG, "json", [step("add", "/data/l", "2")], {"data": {"k": "1", "l": "2"}}),
        (CONFIG, "json", [step("replace", "/data/none", "2")], {"data": {"k": "1", "none": "2"}}),
        (CUSTOM, "merge", {"spec": {"ports": [{"port": 2}]}}, {"spec": {"ports": [{"port": 2}]}}),
        (CUSTOM, "json", [step("add", "/spec/ports/-", 2)], {"spec": {"ports": [{"port": 1}, 2]}}),
        (CUSTOM, "apply", {"spec": {"a": 1}}, {"spec": {"ports": [{"port": 1}], "a": 1}}),
    ],
)
def test_an_object_is_patched_by_type(current, how, patch, expected):
    assert patch_object(current, patch, how) == {**current, **expected}


NO_STRATEGY = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)


def nest(levels: int) -> dict[str, Any]:
    return {"data": nest(levels - 1)} if levels > 1 else {}


NO_MAP = "json: cannot unmarshal {} into Go value of type map[string]interface {{}}"


@pytest.mark.parametrize(
    "current, how, patch, code, said",
    [
        pytest.param(CUSTOM, "strategic", {}, 415, NO_STRATEGY, id="a custom resource has no strategy"),
        pytest.param(
            CONFIG, "merge", [1], 400,
            f"error decoding patch: {NO_MAP.format('array')}", id="a merge patch is a mapping",
        ),
        pytest.param(
            CONFIG, "strategic", "x", 400, NO_MAP.format("string"), id="so is a strategic one",
        ),
        pytest.param(
            CONFIG, "merge", nest(101), 400, "patch: nested more than 100 levels deep; write it flatter",
            id="too deep",
        ),
        pytest.param(
            CONFIG, "odd", {}, 400, "patch type 'odd': use one of merge, strategic, json, apply",
            id="no such type",
        ),
        pytest.param(
            CONFIG, "merge", {"data": {"k": 1}}, 422, 'ConfigMap "c": data.k: must be text, not the number 1',
            id="a field of another type",
        ),
        pytest.param(
            CONFIG, "json", [step("replace", "", [1])], 422,
            "the server rejected our request due to an error in our request", id="no object is left",
        ),
    ],
)  # fmt: skip
def test_a_patch_of_another_form_is_refused(current, how, patch, code, said):
    with pytest.raises(ApiError) as caught:
        patch_object(current, patch, how)
    assert (caught.value.code, caught.value.message) == (code, said)


# --- at the door ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    cluster = Cluster(settings=Settings(timing="instant"))
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
    }
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    ports = [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": ports}}
    for data in (web, service):
        assert cluster.submit(Command("c", "create", {"object": data})).ok
    return cluster


def test_ports_of_a_service_merge_by_port(cluster):
    """As recorded of Kubernetes: the new one stands behind the one that the patch has before it."""
    ports = [{"port": 80, "targetPort": 8080}, {"port": 82, "name": "c"}]
    payload = {"kind": "Service", "name": "s", "type": "strategic", "patch": {"spec": {"ports": ports}}}
    result = cluster.submit(Command("c", "patch", payload))
    assert result.ok
    assert [(one["name"], one["port"], one["targetPort"]) for one in result.object["spec"]["ports"]] == [
        ("a", 80, 8080),
        ("c", 82, 82),
        ("b", 81, 81),
    ]


@pytest.mark.parametrize(
    "strategy, expected",
    [
        ({"type": "Recreate", "rollingUpdate": None}, {"type": "Recreate"}),
        ({"$retainKeys": ["type"], "type": "Recreate"}, {"type": "Recreate"}),
        (
            {"$patch": "delete"},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        ),
    ],
)
def test_a_strategy_is_changed_and_defaulted(cluster, strategy, expected):
    patch = {"spec": {"strategy": strategy}}
    payload = {"kind": "Deployment", "name": "web", "type": "strategic", "patch": patch}
    result = cluster.submit(Command("c", "patch", payload))
    assert result.ok and result.object["spec"]["strategy"] == expected
    assert list_directives(result.object) == []


def test_a_container_without_its_key_is_answered_as_recorded(cluster):
    patch = {"spec": {"template": {"spec": {"containers": [{"image": "nginx:2"}]}}}}
    payload = {"kind": "Deployment", "name": "web", "type": "strategic", "patch": patch}
    status = cluster.submit(Command("c", "patch", payload)).status
    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "map: map[image:nginx:2] does not contain declared merge key: name",
        "code": 500,
    }


@pytest.mark.parametrize("name", ["apiVersion", "kind"])
@pytest.mark.parametrize("value, go_kind", [({"a": 1}, "object"), ([[]], "array"), (True, "bool")])
@pytest.mark.parametrize("how", ["json", "merge", "strategic"])
def test_a_kind_that_is_no_text_is_refused(how, value, go_kind, name):
    current = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
    patch = [{"op": "replace", "path": f"/{name}", "value": value}] if how == "json" else {name: value}
    with pytest.raises(
        Invalid, match=f"cannot unmarshal {go_kind} into Go struct field .{name} of type string"
    ):
        patch_object(current, patch, how)


@pytest.mark.parametrize(
    "kind, why",
    [
        pytest.param("ConfigMapList", "converting (v1.ConfigMapList) to (core.ConfigMap)", id="its list"),
        pytest.param("List", "converting (v1.List) to (core.ConfigMap)", id="any list"),
        pytest.param("Secret", "converting (v1.Secret) to (core.ConfigMap)", id="another kind"),
    ],
)
def test_an_object_cannot_become_one_of_another_kind(kind: str, why: str) -> None:
    """Both have types in Go's scheme, and no conversion (apimachinery, pkg/conversion)."""
    desk = Desk()
    assert desk.create(make("ConfigMap")).ok
    refused = desk.patch("ConfigMap", {"kind": kind}, type="merge", request={})
    assert refused.code == 422 and said(refused).endswith(f": {why}: unknown conversion")
