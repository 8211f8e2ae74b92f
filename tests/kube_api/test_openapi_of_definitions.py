"""OpenAPI of custom resources, by which `kubectl apply` decides how to patch them: each document is whole.

kubectl asks the document of a group version whether the kind takes strategic merge patches; the API server
takes none for custom resources (apiextensions controller/openapi/builder), and kubectl merges JSON then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from lifecycle.kube_api.describing import openapi
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.custom_resources import make_resources
from lifecycle.kube_api.describing.openapi_custom import make_custom
from lifecycle.kube_api.describing.openapi_schemas import Refer
from lifecycle.kube_api.describing.resource import Resource

Json = dict[str, Any]
V2, V3 = Refer("#/definitions/", is_v2=True), Refer("#/components/schemas/", is_v2=False)
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
STRATEGIC = "application/strategic-merge-patch+json"
STRUCTURAL = {"type": "object", "properties": {"spec": {"type": "object"}}}
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
SUBRESOURCES = {"status": {}, "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}}


def define(scope: str, *versions: Json) -> list[Resource]:
    names = {"kind": "Box", "plural": "boxes"}
    return make_resources(
        {"spec": {"group": "box.example.org", "scope": scope, "names": names, "versions": list(versions)}}
    )


def version(schema: Json | None, name: str = "v1", **more: Any) -> Json:
    given = {} if schema is None else {"schema": {"openAPIV3Schema": schema}}
    return {"name": name, "served": True, "storage": name == "v1", **given, **more}


DEFINED = [
    pytest.param(define("Namespaced", version(STRUCTURAL)), id="structural"),
    pytest.param(define("Cluster", version(STRUCTURAL)), id="of the cluster"),
    pytest.param(define("Namespaced", version(OPEN)), id="of any fields"),
    pytest.param(define("Namespaced", version(None)), id="without a schema"),
    pytest.param(define("Namespaced", version(STRUCTURAL, subresources=SUBRESOURCES)), id="subresources"),
    pytest.param(define("Namespaced", version(STRUCTURAL), version(OPEN, "v1beta1")), id="two versions"),
]


def list_references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for one in value.values():
            yield from list_references(one)
    elif isinstance(value, list):
        for one in value:
            yield from list_references(one)


def list_operations(document: Json) -> Iterator[tuple[str, Json]]:
    for path in document["paths"].values():
        yield from ((verb, one) for verb, one in path.items() if verb != "parameters")


def by_place(known: list[Resource]) -> dict[str, list[Resource]]:
    found: dict[str, list[Resource]] = {}
    for one in known:
        found.setdefault(one.api_version, []).append(one)
    return found


def check_whole(document: Json, definitions: Json, prefix: str, known: list[Resource]) -> None:
    missing = {one for one in list_references(document) if one.removeprefix(prefix) not in definitions}
    assert missing == set()
    marked = {
        (mark["group"], mark["version"], mark["kind"])
        for schema in definitions.values()
        for mark in schema.get("x-kubernetes-group-version-kind") or ()
    }
    assert {(one.group, one.version, one.kind) for one in known} <= marked
    assert all("x-kubernetes-group-version-kind" in one for _, one in list_operations(document))


@pytest.mark.slow
@pytest.mark.parametrize("place, known", by_place(list(list_built_in().values())).items())
def test_every_document_of_built_in_kinds_is_whole(place: str, known: list[Resource]) -> None:
    document = openapi.make_v3(known)
    check_whole(document, document["components"]["schemas"], V3.prefix, known)


@pytest.mark.parametrize("known", DEFINED)
def test_every_document_of_a_definition_is_whole(known: list[Resource]) -> None:
    for of in by_place(known).values():
        document = openapi.make_v3(of)
        check_whole(document, document["components"]["schemas"], V3.prefix, of)
    document = openapi.make_v2(known)
    check_whole(document, document["definitions"], V2.prefix, known)


@pytest.mark.slow
def test_the_document_of_v2_is_whole() -> None:
    known = [*list_built_in().values(), *define("Namespaced", version(STRUCTURAL))]
    document = openapi.make_v2(known)
    check_whole(document, document["definitions"], V2.prefix, known)


@pytest.mark.parametrize("known", DEFINED)
def test_no_custom_resource_takes_strategic_merge_patches(known: list[Resource]) -> None:
    patches = [one for verb, one in list_operations(openapi.make_v3(known)) if verb == "patch"]
    assert patches and not any(STRATEGIC in one["requestBody"]["content"] for one in patches)
    older = [one for verb, one in list_operations(openapi.make_v2(known)) if verb == "patch"]
    assert older and not any(STRATEGIC in one["consumes"] for one in older)


@pytest.mark.parametrize(
    "kind, is_taken",
    [("Deployment", True), ("Pod", True), ("ScaledObject", False), ("VerticalPodAutoscaler", False)],
)
def test_kinds_whose_fields_are_known_take_them(kind: str, is_taken: bool) -> None:
    known = [one for one in list_built_in().values() if one.kind == kind]
    patches = [one for verb, one in list_operations(openapi.make_v3(known)) if verb == "patch"]
    assert {STRATEGIC in one["requestBody"]["content"] for one in patches} == {is_taken}


TEXT = {"type": "string"}
NULL = {**TEXT, "nullable": True}
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}


def head(refer: Refer) -> Json:
    """What every object has; a reference of v3 has nothing beside it."""
    meta = {"description": "What every object has: name, namespace, labels, annotations, owners."}
    return {
        "apiVersion": {**TEXT, "description": "The group and version of the kind, as apps/v1."},
        "kind": {**TEXT, "description": "The kind of the object, as Deployment."},
        "metadata": {**refer(META), **meta} if refer.is_v2 else {"allOf": [refer(META)], **meta},
    }


@pytest.mark.parametrize(
    "schema, refer, told",
    [
        pytest.param({"oneOf": [{"required": ["b"]}], **TEXT}, V2, TEXT, id="either is not for v2"),
        pytest.param(
            {"oneOf": [{"required": ["b"]}], **TEXT}, V3, {"oneOf": [{"required": ["b"]}], **TEXT}, id="v3"
        ),
        pytest.param(NULL, V2, {}, id="null is not for v2"),
        pytest.param(NULL, V3, NULL, id="null is for v3"),
        pytest.param(
            OPEN, V2, {"x-kubernetes-preserve-unknown-fields": True}, id="of any fields has no type in v2"
        ),
        pytest.param(
            {"type": "object", "required": ["b", "c"], "properties": {"b": NULL, "c": TEXT}},
            V2,
            {"type": "object", "required": ["c"], "properties": {"b": {}, "c": TEXT}},
            id="what may be null is not required in v2",
        ),
        pytest.param(
            EMBEDDED,
            V3,
            {
                **EMBEDDED,
                "required": ["kind", "apiVersion"],
                "properties": head(V3),
            },
            id="an embedded object",
        ),
        pytest.param(
            {"type": "array", "items": EMBEDDED},
            V2,
            {
                "type": "array",
                "items": {
                    **EMBEDDED,
                    "required": ["kind", "apiVersion"],
                    "properties": head(V2),
                },
            },
            id="embedded objects of a list",
        ),
    ],
)
def test_a_field_is_told_as_far_as_the_version_goes(schema: Json, refer: Refer, told: Json) -> None:
    (known,) = define("Namespaced", version({"type": "object", "properties": {"a": schema}}))
    assert make_custom(known, refer)["properties"]["a"] == told


@pytest.mark.parametrize("refer, has_fields", [(V2, False), (V3, True)])
def test_an_object_of_any_fields_names_none_in_v2(refer: Refer, has_fields: bool) -> None:
    (known,) = define("Namespaced", version(OPEN))
    assert ("properties" in make_custom(known, refer)) == has_fields
