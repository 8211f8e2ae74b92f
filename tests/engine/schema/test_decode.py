"""What is left of an object once it is stored: what is known; as protobuf no empty lists, nor some zeros.

Which zeros, Go's types say (k8s.io/api): those of fields that are no pointers, and `omitempty`.
"""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.schema.decode import as_stored_form
from lifecycle.engine.schema.fields import read_field
from lifecycle.engine.schema.typed.shapes import shape_of
from lifecycle.engine.schema.typed.zeros import without_empties

POD = {"apiVersion": "v1", "kind": "Pod"}


@pytest.mark.parametrize(
    "data, left",
    [
        pytest.param(
            POD
            | {
                "metadata": {"labels": {}, "finalizers": []},
                "spec": {"containers": [{"env": [], "tty": False}]},
            },
            POD | {"metadata": {}, "spec": {"containers": [{}]}},
            id="lists, maps and a truth",
        ),
        pytest.param(
            POD | {"spec": {"containers": [{"tty": True, "colour": "red"}]}, "size": 3},
            POD | {"spec": {"containers": [{"tty": True}]}},
            id="what nobody knows",
        ),
        pytest.param(
            POD
            | {
                "spec": {
                    "containers": [
                        {
                            "name": "a",
                            "volumeMounts": [{"name": "v", "readOnly": False}],
                            "livenessProbe": {"initialDelaySeconds": 0, "terminationGracePeriodSeconds": 0},
                            "ports": [{"containerPort": 0, "hostPort": 0}],
                            "securityContext": {"privileged": False, "runAsUser": 0},
                        }
                    ],
                    "volumes": [{"name": "v", "csi": {"readOnly": False}, "nfs": {"readOnly": False}}],
                    "hostUsers": False,
                    "priority": 0,
                }
            },
            POD
            | {
                "spec": {
                    "containers": [
                        {
                            "name": "a",
                            "volumeMounts": [{"name": "v"}],
                            "livenessProbe": {"terminationGracePeriodSeconds": 0},
                            "ports": [{"containerPort": 0}],
                            "securityContext": {"privileged": False, "runAsUser": 0},
                        }
                    ],
                    # Of one kind of volume it is a pointer, of another it is not (core/v1, types.go).
                    "volumes": [{"name": "v", "csi": {"readOnly": False}, "nfs": {}}],
                    "hostUsers": False,
                    "priority": 0,
                }
            },
            id="zeros that are no pointers",
        ),
        pytest.param(
            {
                "apiVersion": "v1",
                "kind": "Service",
                "spec": {"healthCheckNodePort": 0, "ports": [{"port": 0, "nodePort": 0}]},
            },
            {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 0}]}},
            id="ports of a Service",
        ),
        pytest.param(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "value": 0,
                "globalDefault": False,
            },
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 0},
            id="a field of the object itself",
        ),
        pytest.param(
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 0, "paused": False}},
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 0}},
            id="no replicas are some",
        ),
        pytest.param(
            POD | {"spec": {"containers": [{"tty": 0}], "hostPID": "no"}},
            POD | {"spec": {"containers": [{"tty": 0}], "hostPID": "no"}},
            id="what is not of its type stays, to be refused",
        ),
        pytest.param(
            POD
            | {"spec": {"volumes": [{"name": "v", "emptyDir": {}}], "automountServiceAccountToken": False}},
            POD
            | {"spec": {"volumes": [{"name": "v", "emptyDir": {}}], "automountServiceAccountToken": False}},
            id="a struct and a pointer stay",
        ),
        pytest.param(
            POD | {"metadata": {"managedFields": []}},
            POD | {"metadata": {"managedFields": []}},
            id="managers that are to be forgotten",
        ),
        pytest.param(
            {"apiVersion": "example.org/v1", "kind": "Box", "spec": {"list": [], "hostNetwork": False}},
            {"apiVersion": "example.org/v1", "kind": "Box", "spec": {"list": [], "hostNetwork": False}},
            id="custom resources",
        ),
        pytest.param(
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "spec": {"versions": [], "colour": "red"},
            },
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "spec": {"versions": []},
            },
            id="what is stored as JSON",
        ),
    ],
)
def test_what_says_nothing_is_left_out(data: Any, left: Any) -> None:
    assert as_stored_form(data) == left


def test_managers_of_fields_see_the_same() -> None:
    mounts = [{"name": "v", "readOnly": False}, {"name": "w", "readOnly": True}]
    csi = {"driver": "d", "readOnly": False}
    spec = {"containers": [{"name": "a", "volumeMounts": mounts}], "volumes": [{"name": "v", "csi": csi}]}
    assert without_empties({**POD, "spec": spec}, shape_of(read_field("Pod"))) == {
        **POD,
        "spec": {
            "containers": [{"name": "a", "volumeMounts": [{"name": "v"}, mounts[1]]}],
            "volumes": [{"name": "v", "csi": csi}],
        },
    }
