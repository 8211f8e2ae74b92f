"""OpenAPI: what clients explain, validate and merge by, as the real server tells it; and as protobuf."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.kube_api.describing import openapi
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.protobuf import swagger
from tests.kube_api.clients.test_protobuf import field

pytestmark = pytest.mark.slow

META = "io.k8s.apimachinery.pkg.apis.meta.v1"
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
DEFINITIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
KNOWN = list(list_built_in().values())
Json = dict[str, Any]


def refer(name: str) -> Json:
    return {"$ref": f"#/definitions/{name}"}


@pytest.fixture(scope="module")
def v2() -> Json:
    return openapi.make_v2(KNOWN)


@pytest.mark.parametrize(
    "definition, name, schema",
    [
        (f"{META}.ManagedFieldsEntry", "fieldsV1", refer(f"{META}.FieldsV1")),
        (
            "io.k8s.api.apps.v1.ControllerRevision",
            "data",
            refer("io.k8s.apimachinery.pkg.runtime.RawExtension"),
        ),
        (
            "io.k8s.api.apps.v1.DeploymentSpec",
            "strategy",
            refer("io.k8s.api.apps.v1.DeploymentStrategy") | {"x-kubernetes-patch-strategy": "retainKeys"},
        ),
        ("io.k8s.api.apps.v1.DeploymentSpec", "selector", refer(f"{META}.LabelSelector")),
        (
            "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
            "accessModes",
            {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
                },
                "x-kubernetes-list-type": "atomic",
            },
        ),
        ("io.k8s.api.policy.v1.Eviction", "deleteOptions", refer(f"{META}.DeleteOptions")),
        (f"{DEFINITIONS}.JSONSchemaProps", "items", refer(f"{DEFINITIONS}.JSONSchemaPropsOrArray")),
        ("io.k8s.api.authentication.v1.TokenReview", "metadata", refer(f"{META}.ObjectMeta")),
    ],
)
def test_fields_are_told_as_a_real_server_tells_them(v2, definition, name, schema):
    told = v2["definitions"][definition]["properties"][name]
    assert {key: value for key, value in told.items() if key != "description"} == schema


def test_what_is_owned_whole_says_so_itself(v2):
    assert v2["definitions"][f"{META}.LabelSelector"]["x-kubernetes-map-type"] == "atomic"


def test_what_is_of_two_types_is_so_in_v3_and_a_text_in_v2(v2):
    found = openapi.make_v3(KNOWN)["components"]["schemas"]
    assert found[QUANTITY] == {"oneOf": [{"type": "string"}, {"type": "number"}]}
    assert found[INT_OR_STRING] == {
        "oneOf": [{"type": "integer"}, {"type": "string"}],
        "format": "int-or-string",
    }
    assert v2["definitions"][QUANTITY] == {"type": "string"}


def test_in_v3_nothing_stands_beside_a_reference():
    found = openapi.make_v3(KNOWN)["components"]["schemas"]["io.k8s.api.apps.v1.DeploymentSpec"]
    strategy = {"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}
    assert found["properties"]["strategy"] == {
        "allOf": [strategy],
        "description": "An object of the type DeploymentStrategy.",
        "x-kubernetes-patch-strategy": "retainKeys",
    }


# --- protobuf ---------------------------------------------------------------------------------------------


def any_of(text: str) -> bytes:
    return field(2, text)


def schema_of(name: str, *parts: bytes) -> bytes:
    """One of several named schemas: definitions, properties."""
    return field(1, field(1, name) + field(2, b"".join(parts)))


@pytest.mark.parametrize(
    "document, message",
    [
        ({"swagger": "2.0"}, field(1, "2.0")),
        ({"info": {"title": "K", "version": "v1"}}, field(2, field(1, "K") + field(2, "v1"))),
        (
            {"definitions": {"a.B": {"type": "object", "required": ["x", "y"]}}},
            field(9, schema_of("a.B", field(22, field(1, "object")), field(19, "x"), field(19, "y"))),
        ),
        (
            {"definitions": {"B": {"properties": {"x": {"$ref": "#/definitions/C"}}}}},
            field(9, schema_of("B", field(25, schema_of("x", field(1, "#/definitions/C"))))),
        ),
        (
            {"definitions": {"B": {"items": {"enum": ["", 1]}, "minLength": 300}}},
            field(
                9,
                schema_of(
                    "B", field(23, field(1, field(20, any_of('""')) + field(20, any_of("1")))), field(12, 300)
                ),
            ),
        ),
        (
            {"definitions": {"B": {"additionalProperties": {"format": "byte"}}}},
            field(9, schema_of("B", field(21, field(1, field(2, "byte"))))),
        ),
        (
            {"definitions": {"B": {"additionalProperties": True, "x-k": ["a"], "nullable": True}}},
            field(
                9,
                schema_of(
                    "B", field(21, field(2, 1)), field(31, field(1, "x-k") + field(2, any_of('["a"]')))
                ),
            ),
        ),
        (
            {"definitions": {"B": {"type": ["object"], "required": "x", "pattern": 3}}},
            field(9, schema_of("B")),
        ),
        (
            {"paths": {"/a": {"get": {"operationId": "g", "responses": {"200": {"description": "OK"}}}}}},
            field(
                8,
                field(
                    2,
                    field(1, "/a")
                    + field(
                        2,
                        field(
                            2,
                            field(5, "g")
                            + field(9, field(1, field(1, "200") + field(2, field(1, field(1, "OK"))))),
                        ),
                    ),
                ),
            ),
        ),
        (
            {
                "paths": {
                    "/a": {"parameters": [{"name": "n", "in": "path", "required": True, "type": "string"}]}
                }
            },
            field(
                8,
                field(
                    2,
                    field(1, "/a")
                    + field(
                        2,
                        field(
                            9,
                            field(
                                1,
                                field(
                                    2,
                                    field(
                                        4, field(4, "n") + field(2, "path") + field(1, 1) + field(5, "string")
                                    ),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ],
)
def test_a_document_as_protobuf(document, message):
    assert swagger.encode(document) == message


def test_every_definition_is_in_the_protobuf(v2):
    text = swagger.encode(v2)
    for name in v2["definitions"]:
        assert field(1, name) in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "accept, content_type",
    [
        ("", "application/json"),
        ("application/json", "application/json"),
        (swagger.MEDIA_TYPES[0], swagger.MEDIA_TYPE),
        (swagger.MEDIA_TYPES[1], swagger.MEDIA_TYPE),
        (f"text/html, {swagger.MEDIA_TYPES[1]}", swagger.MEDIA_TYPE),
    ],
)
def test_kubectl_is_given_protobuf(shop, client, accept, content_type):
    client.force_login(shop.cluster.owner)
    answer = client.get("/k8s/shop/openapi/v2", headers={"Accept": accept})
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    again = client.get("/k8s/shop/openapi/v2", headers={"Accept": accept, "If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    document = orjson.loads(client.get("/k8s/shop/openapi/v2").content)
    assert (answer.content == swagger.encode(document)) == (content_type == swagger.MEDIA_TYPE)


def test_what_is_kept_of_documents_is_bounded_and_made_anew_as_it_was(monkeypatch):
    monkeypatch.setattr(openapi, "_written", {})
    apps, core = (openapi._written_v3(place, KNOWN[:9], DEFAULT_RELEASE) for place in ("apps", "core"))
    monkeypatch.setattr(openapi, "KEPT_BYTES", len(apps) + len(core))
    third = openapi._written_v3("batch", KNOWN[:9], DEFAULT_RELEASE)
    assert list(openapi._written.values()) == [core, third]
    assert openapi._written_v3("apps", KNOWN[:9], DEFAULT_RELEASE) == apps
    monkeypatch.setattr(openapi, "KEPT_BYTES", 10)
    openapi._written_v3("policy", KNOWN[:9], DEFAULT_RELEASE)
    assert not any(key[0] == "policy" for key in openapi._written), "more than there is room for"


@pytest.mark.django_db
def test_other_forms_of_the_schema_are_refused(shop, client):
    client.force_login(shop.cluster.owner)
    assert client.get("/k8s/shop/openapi/v2", headers={"Accept": "text/html"}).status_code == 406


def test_a_custom_resource_of_odd_schema_is_written():
    schema = {"type": "object", "properties": {"spec": {"oneOf": [{"type": "string"}], "default": {"a": 1}}}}
    odd = Resource("example.org", "v1", "odds", "Odd", True, custom=True, schema=schema)
    assert b"org.example.v1.Odd" in swagger.encode(openapi.make_v2([odd]))
