"""Definitions in a cluster, and the objects of the kinds they make."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lifecycle.engine import Cluster, Command
from tests.engine.api.desk import Desk, Json, said

SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": SPEC,
        "status": {"type": "object", "properties": {"size": {"type": "integer"}}},
    },
}
SUBRESOURCES = {
    "status": {},
    "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
}
BOX = {"kind": "Box", "apiVersion": "example.org/v1", "name": "a"}


def make_definition(kind: str = "Box", scope: str = "Namespaced", **names: Any) -> Json:
    plural = f"{kind.lower()}es"
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}
    version["subresources"] = SUBRESOURCES
    spec = {"group": "example.org", "scope": scope, "names": {"kind": kind, "plural": plural, **names}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.org"},
        "spec": {**spec, "versions": [version]},
    }


def make_box(**spec: Any) -> Json:
    return {"apiVersion": "example.org/v1", "kind": "Box", "metadata": {"name": "a"}, "spec": spec}


def define(**fields: Any) -> Desk:
    desk = Desk()
    assert desk.create(make_definition(**fields)).ok
    return desk


def conditions(data: Json | None) -> dict[str, tuple[str, str]]:
    found = ((data or {}).get("status") or {}).get("conditions") or ()
    return {one["type"]: (one["status"], one["reason"]) for one in found}


def get_definition(desk: Desk, name: str = "boxes.example.org") -> Json | None:
    return desk.cluster.get("CustomResourceDefinition", None, name)


# --- definitions ------------------------------------------------------------------------------------------


def test_a_definition_is_named_and_established() -> None:
    desk = Desk()
    created = desk.created(make_definition(shortNames=["bx"]))
    empty = {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": ["v1"]}
    assert created["status"] == empty
    found = get_definition(desk)
    names = {"kind": "Box", "listKind": "BoxList", "plural": "boxes", "singular": "box", "shortNames": ["bx"]}
    assert found is not None and found["status"]["acceptedNames"] == names == found["spec"]["names"]
    assert conditions(found) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }


def test_a_name_that_is_taken_is_not_granted_until_it_is_free() -> None:
    desk = define(shortNames=["bx"])
    assert desk.create(make_definition("Crate", shortNames=["bx"])).ok
    crate = get_definition(desk, "cratees.example.org")
    assert conditions(crate) == {
        "NamesAccepted": ("False", "ShortNamesConflict"),
        "Established": ("False", "NotAccepted"),
    }
    assert desk.delete("CustomResourceDefinition", "boxes.example.org").ok
    assert conditions(get_definition(desk, "cratees.example.org"))["Established"][0] == "True"


def test_a_definition_ends_with_its_objects_and_waits_for_those_that_are_held() -> None:
    desk = define()
    held = make_box(size=1)
    held["metadata"] = {"name": "held", "finalizers": ["lab/hold"]}
    assert desk.create(make_box(size=1)).ok and desk.create(held).ok
    gone = desk.delete("CustomResourceDefinition", "boxes.example.org").object
    assert conditions(gone)["Terminating"] == ("True", "InstanceDeletionPending")
    left = [one["metadata"]["name"] for one in desk.cluster.list("Box.example.org")]
    assert left == ["held"]
    assert conditions(get_definition(desk))["Terminating"] == ("True", "InstanceDeletionInProgress")
    patch = {"metadata": {"finalizers": None}}
    assert desk.patch("Box", patch, "held", apiVersion="example.org/v1").ok
    desk.cluster.run_until(desk.cluster.now_ms + 5_000)
    assert get_definition(desk) is None


@pytest.mark.parametrize(
    "change, said_of",
    [
        pytest.param({"scope": "Cluster"}, "spec.scope: Invalid value", id="scope"),
        pytest.param(
            {"versions": [{"name": "v1"}]}, "must have exactly one version marked as storage", id="stored"
        ),
    ],
)
def test_what_of_a_definition_may_not_change(change: Json, said_of: str) -> None:
    desk = define()
    refused = desk.patch("CustomResourceDefinition", {"spec": change}, "boxes.example.org")
    assert refused.code == 422 and said_of in said(refused)


def test_rules_are_asked_of_new_and_changed_objects_and_others_are_said() -> None:
    data, desk = copy.deepcopy(make_definition()), Desk()
    schema = data["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["x-kubernetes-validations"] = [
        {"rule": "self.spec.size < 9", "message": "too large"},
        {"rule": "self.spec.size >= oldSelf.spec.size", "message": "shrinks"},
        {"rule": "[1].transformMap(a, b, b) == {0: 1}"},
    ]
    (warning,) = desk.create(data).warnings
    assert warning.startswith(
        "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[2].rule: the library"
    )
    assert (
        said(desk.create(make_box(size=10)))
        == 'Box.example.org "a" is invalid: <nil>: Invalid value: too large'
    )
    created = desk.create(make_box(size=5))
    assert created.code == 201 and "is not asked" in created.warnings[0]
    shrunk = desk.patch("Box", {"spec": {"size": 4}}, "a")
    assert said(shrunk) == 'Box.example.org "a" is invalid: <nil>: Invalid value: shrinks'
    wrong = said(desk.patch("Box", {"spec": {"color": "green"}}, "a"))
    assert wrong.endswith(
        "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
        " correct the existing errors to complete validation]"
    )


# --- their objects ----------------------------------------------------------------------------------------


def test_objects_are_pruned_filled_in_and_checked() -> None:
    desk = define()
    created = desk.submit("create", object=make_box(size=2, odd=1), request={})
    assert (created.object or {})["spec"] == {"size": 2, "color": "red"}
    assert created.warnings == ['unknown field "spec.odd"']
    other = make_box(size=0, color="green")
    other["metadata"] = {"name": "b"}
    assert said(desk.create(other)) == (
        'Box.example.org "b" is invalid: [spec.size: Invalid value: 0: spec.size in body'
        " should be greater than or"
        ' equal to 1, spec.color: Unsupported value: "green": supported values: "red", "blue"]'
    )
    strict = desk.submit("create", object=make_box(odd=1), request={"fieldValidation": "Strict"})
    assert said(strict) == (
        'Box in version "v1" cannot be handled as a Box: strict decoding error: unknown field "spec.odd"'
    )
    refused = desk.patch("Box", {"spec": {"size": "big"}}, "a", apiVersion="example.org/v1")
    assert refused.code == 422
    assert 'spec.size in body must be of type integer: "string"' in said(refused)


def test_the_generation_counts_what_is_wanted_and_the_status_has_its_own_address() -> None:
    desk = define()
    assert desk.create(make_box(size=2)).ok
    changed = desk.patched(
        "Box", {"spec": {"size": 3}, "status": {"size": 9}}, "a", apiVersion="example.org/v1"
    )
    assert (changed["metadata"]["generation"], "status" in changed) == (2, False)
    told = {"spec": {"size": 5}, "status": {"size": 3}, "metadata": {"labels": {"x": "y"}}}
    found = desk.patched("Box", told, "a", apiVersion="example.org/v1", subresource="status")
    assert (found["spec"]["size"], found["status"], found["metadata"]["generation"]) == (3, {"size": 3}, 2)
    assert "labels" not in found["metadata"]


def test_a_custom_resource_is_scaled_where_its_definition_says() -> None:
    desk = define()
    assert desk.create(make_box(size=2)).ok
    patch = {"spec": {"replicas": 4}}
    scaled = desk.patch(
        "Box", patch, "a", apiVersion="example.org/v1", subresource="scale", request={"fieldManager": "s"}
    )
    assert (scaled.object or {})["spec"]["size"] == 4


def test_strategic_merge_is_not_for_custom_resources() -> None:
    desk = define()
    assert desk.create(make_box(size=2)).ok
    assert desk.patch("Box", {"spec": {}}, "a", apiVersion="example.org/v1", type="strategic").code == 415


def test_objects_of_a_kind_of_clusters_have_no_namespace() -> None:
    desk = define(scope="Cluster")
    created = desk.created({**make_box(size=2), "metadata": {"name": "a", "namespace": "default"}})
    assert "namespace" not in created["metadata"]
    assert desk.patch("Box", {"spec": {"size": 3}}, "a", apiVersion="example.org/v1").ok
    assert desk.delete("Box", "a", apiVersion="example.org/v1").ok
    assert desk.cluster.list("Box.example.org") == []


def test_a_custom_resource_is_applied_by_its_schema() -> None:
    desk = define()
    request = {"fieldManager": "one"}
    payload = {**BOX, "type": "apply", "patch": make_box(size=2)}
    created = desk.submit("patch", **payload, request=request).object or {}
    (entry,) = created["metadata"]["managedFields"]
    assert entry["fieldsV1"] == {"f:spec": {"f:size": {}}}
    odd = desk.submit("patch", **{**payload, "patch": make_box(size=2, odd=1)}, request=request)
    assert said(odd).endswith(".spec.odd: field not declared in schema")


def test_a_saved_cluster_knows_its_definitions() -> None:
    desk = define()
    desk.take_versions()
    loaded = Cluster.load(desk.cluster.save())
    desk.cluster = loaded
    assert desk.create(make_box(size=0)).code == 422


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["items", "additionalProperties", "properties", "enum", "pattern", "minimum"]
)
@pytest.mark.parametrize("value", [5, "x", [], [5], {"a": 5}, True])
def test_no_schema_is_an_error_of_the_server(path: str, value: Any) -> None:
    data = copy.deepcopy(make_definition())
    data["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = {
        "type": "array",
        "items": {"type": "object", path: value},
    }
    desk = Desk()
    result = desk.create(data)
    assert result.code in (201, 400, 422), result.status
    if result.ok:
        box = {**make_box(), "spec": [{"a": 1}, {"b": []}, 5]}
        lenient = {"fieldValidation": "Ignore"}
        assert desk.submit("create", object=box, request=lenient).code in (201, 422)


def test_objects_keep_the_names_of_their_definition_whenever_it_comes_and_after_a_checkpoint() -> None:
    """A plural that nobody would guess: also of what was there before, was changed, and was put back."""
    desk, definition = Desk(), make_definition(plural="boxen")
    definition["metadata"]["name"] = "boxen.example.org"
    assert desk.create(make_box(size=1)).ok and desk.create(definition).ok
    words = (
        'Operation cannot be fulfilled on boxen.example.org "a": the object has been modified; please apply'
    )

    def write_stale(cluster: Cluster) -> str:
        stale = make_box(size=9)
        stale["metadata"] = {"name": "a", "resourceVersion": "1"}
        return said(cluster.submit(Command("stale", "replace", {"object": stale})))

    assert write_stale(desk.cluster).startswith(words)
    assert desk.submit("replace", object=make_box(size=2)).ok
    assert write_stale(desk.cluster).startswith(words)
    desk.cluster.take_changes()
    assert write_stale(Cluster.load(desk.cluster.save())).startswith(words)


def test_all_that_is_written_of_one_version_has_one_kind() -> None:
    desk = define(shortNames=["bx"])
    assert desk.create(make_box(size=1)).ok
    assert desk.submit("replace", object=make_box(size=2)).ok
    kinds = [one.new.kind for one in desk.cluster.take_changes().versions if one.new.kind.name == "Box"]
    assert len(kinds) == 2 and kinds[0] is kinds[1] and kinds[0].short_names == ("bx",)
