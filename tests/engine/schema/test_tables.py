"""The tables, generated and by hand: whole, and with the facts of Kubernetes v1.35."""

import json

import pytest
from django.core.management import call_command

from lifecycle.engine.schema.fields import Field, read_field
from lifecycle.engine.schema.scalars import SCALARS
from lifecycle.engine.schema.tables import is_known_kind, load_tables
from lifecycle.management import table_files

TABLES = load_tables()


def innermost(field: Field) -> Field:
    return field if field.inner is None else innermost(field.inner)


def test_the_tables_hang_together():
    for name, fields in TABLES.types.items():
        for field_name, field in fields.items():
            inner = innermost(field).type_name
            assert inner in TABLES.types or inner in SCALARS or inner == "any", (name, field_name, inner)
    assert set(TABLES.kinds.values()) <= set(TABLES.types)


def test_lists_merge_by_a_field_of_their_entries():
    for name, fields in TABLES.types.items():
        for field_name, field in fields.items():
            keys = {field.merge_key, *field.owned_by} - {""}
            assert keys <= set(TABLES.types.get(innermost(field).type_name, ())), (name, field_name, keys)


def test_every_kind_has_its_name_and_metadata():
    for (_version, kind), type_name in TABLES.kinds.items():
        assert {"apiVersion", "kind", "metadata"} <= set(TABLES.types[type_name]), kind


def test_every_field_of_a_pod_of_the_modelled_version_is_there():
    fields = TABLES.types["PodSpec"]
    assert {"resources", "hostnameOverride", "schedulingGates", "schedulingGroup"} <= set(fields)


@pytest.mark.parametrize(
    "api_version, kind, is_known",
    [
        ("v1", "Pod", True),
        ("v1", "Binding", True),
        ("autoscaling/v1", "Scale", True),
        ("policy/v1", "Eviction", True),
        ("autoscaling/v1", "HorizontalPodAutoscaler", True),
        ("autoscaling/v2", "HorizontalPodAutoscaler", True),
        ("events.k8s.io/v1", "Event", True),
        ("networking.k8s.io/v1", "ServiceCIDR", True),
        ("node.k8s.io/v1", "RuntimeClass", True),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", True),
        ("apiregistration.k8s.io/v1", "APIService", True),
        ("certificates.k8s.io/v1", "CertificateSigningRequest", True),
        ("podline.dev/v1alpha1", "ContainerProfile", True),
        ("v1", "PodList", False),
        ("v1", "Status", False),
        ("authorization.k8s.io/v1", "SubjectAccessReview", False),
        ("batch/v1beta1", "CronJob", False),
    ],
)
def test_kinds_are_those_that_a_cluster_keeps(api_version, kind, is_known):
    assert is_known_kind(api_version, kind) is is_known


@pytest.mark.parametrize(
    "type_name, field, fact, expected",
    [
        ("PodSpec", "containers", "is_required", True),
        ("PodSpec", "containers", "merge_key", "name"),
        ("PodSpec", "volumes", "strategies", ("merge", "retainKeys")),
        ("PodSpec", "tolerations", "is_merged", False),
        ("PodSpec", "topologySpreadConstraints", "owned_by", ("topologyKey", "whenUnsatisfiable")),
        ("PodSpec", "nodeSelector", "ownership", "atomic"),
        ("Container", "ports", "merge_key", "containerPort"),
        ("Container", "ports", "owned_by", ("containerPort", "protocol")),
        ("Container", "imagePullPolicy", "choices", ("Always", "IfNotPresent", "Never")),
        ("ServiceSpec", "ports", "merge_key", "port"),
        ("ServiceSpec", "ipFamilies", "choices", ("", "IPv4", "IPv6")),
        ("ObjectMeta", "finalizers", "ownership", "set"),
        ("DeploymentSpec", "strategy", "strategies", ("retainKeys",)),
        ("PodDisruptionBudgetSpec", "selector", "strategies", ("replace",)),
        ("PriorityClass", "value", "type_name", "int32"),
    ],
)
def test_a_field_is_known_by_its_facts(type_name, field, fact, expected):
    assert getattr(TABLES.types[type_name][field], fact) == expected


def test_a_fact_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="a field cannot be 'requird'"):
        read_field("string; requird")


META = {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
OPENAPI = {
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"properties": {"name": {"type": "string"}}},
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.api.apps.v1.Thing": {
        "required": ["parts"],
        "properties": {
            "metadata": META,
            "at": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
            "labels": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "x-kubernetes-map-type": "atomic",
            },
            "mode": {"type": "string", "enum": ["", "Fast"], "description": "how"},
            "parts": {
                "type": "array",
                "items": {"$ref": "#/definitions/io.k8s.api.apps.v1.Part"},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["id", "side"],
                "x-kubernetes-patch-merge-key": "id",
                "x-kubernetes-patch-strategy": "merge,retainKeys",
            },
        },
        "x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "Thing"}],
    },
    "io.k8s.api.apps.v1.Part": {"properties": {"id": {"type": "integer", "format": "int32"}}},
    "io.k8s.api.core.v1.Part": {"properties": {"raw": {"type": "object"}}},
    "io.k8s.api.core.v1.Other": {
        "properties": {"metadata": META, "part": {"$ref": "#/definitions/io.k8s.api.core.v1.Part"}},
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Other"}],
    },
    "io.k8s.api.core.v1.OtherList": {
        "properties": {
            "metadata": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"},
        },
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "OtherList"}],
    },
}


def test_tables_are_made_from_openapi(tmp_path, monkeypatch):
    given, target = tmp_path / "openapi.json", tmp_path / "v1_40" / "fields.py"
    target.parent.mkdir()
    given.write_text(json.dumps({"definitions": OPENAPI}))
    monkeypatch.setattr(table_files, "FOLDER", tmp_path)
    call_command("generate_schema", "v1.40", str(given), verbosity=0)
    made: dict = {}
    exec(target.read_text(), made)
    assert made["KINDS"] == {"apps/v1": ["Thing"], "v1": ["Other"]}
    assert made["TYPES"] == {
        "ObjectMeta": {"name": "string"},
        "Other": {"metadata": "ObjectMeta", "part": "core.v1.Part"},
        "Thing": {
            "at": "time",
            "labels": "map of string; atomic",
            "metadata": "ObjectMeta",
            "mode": 'string; one of "" Fast',
            "parts": "list of apps.v1.Part; required; merge by id; retainKeys; map by id side",
        },
        "apps.v1.Part": {"id": "int32"},
        "core.v1.Part": {"raw": "any"},
    }


FLOW = {
    "io.k8s.api.flow.v1.Flow": {
        "properties": {
            "metadata": META,
            "part": {"$ref": "#/definitions/io.k8s.api.core.v1.Part"},
            "thing": {"$ref": "#/definitions/io.k8s.api.flow.v1.Thing"},
        },
        "x-kubernetes-group-version-kind": [{"group": "flow", "version": "v1", "kind": "Flow"}],
    },
    "io.k8s.api.flow.v1.Thing": {"properties": {"id": {"type": "string"}}},
    "io.k8s.api.flow.v1beta1.Later": {
        "properties": {"metadata": META},
        "x-kubernetes-group-version-kind": [{"group": "flow", "version": "v1beta1", "kind": "Later"}],
    },
}


def test_stable_kinds_that_a_server_does_not_tell_come_from_what_is_published(tmp_path, monkeypatch):
    """Types of both are not said twice, and one whose name the first has is told with its group."""
    served, published = tmp_path / "openapi.json", tmp_path / "swagger.json"
    (tmp_path / "v1_40").mkdir()
    served.write_text(json.dumps({"definitions": OPENAPI}))
    published.write_text(json.dumps({"definitions": OPENAPI | FLOW}))
    monkeypatch.setattr(table_files, "FOLDER", tmp_path)
    call_command("generate_schema", "v1.40", str(served), str(published), verbosity=0)
    made: dict = {}
    exec((tmp_path / "v1_40/others.py").read_text(), made)
    assert made["KINDS"] == {"flow/v1": ["Flow"]}
    assert made["TYPES"] == {
        "Flow": {"metadata": "ObjectMeta", "part": "core.v1.Part", "thing": "flow.v1.Thing"},
        "flow.v1.Thing": {"id": "string"},
    }
