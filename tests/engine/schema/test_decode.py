"""What is left of an object once it is stored: what is known; as protobuf no empty lists, nor some zeros."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.schema.decode import as_stored_form

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
