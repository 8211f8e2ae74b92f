"""Hostile objects are refused as others are: in a bounded number of words, after a bounded number of looks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.api.desk import Desk, said

Json = dict[str, Any]


def make(kind: str, group: str, **fields: Any) -> Json:
    meta = {"name": "foos.acme.io", "namespace": "default"}
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": meta, **fields}


def make_definition(*versions: Json) -> Json:
    names = {"kind": "Foo", "plural": "foos"}
    spec = {"group": "acme.io", "scope": "Namespaced", "names": names, "versions": list(versions)}
    return make("CustomResourceDefinition", "apiextensions.k8s.io", spec=spec)


def make_version(**schema: Any) -> Json:
    told = {"openAPIV3Schema": {"type": "object", **schema}}
    return {"name": "v1", "served": True, "storage": True, "schema": told}


@pytest.mark.spec("CEL-07")
@pytest.mark.parametrize("name", [{}, {"name": None}, {"name": ""}], ids=["none", "null", "empty"])
def test_a_stored_version_without_a_name_is_refused(name: Json) -> None:
    version = {field: value for field, value in make_version().items() if field != "name"}
    assert "spec.versions[0].name: Invalid value" in said(Desk().create(make_definition(version | name)))


@pytest.mark.parametrize("field", ["capacity", "maximumVolumeSize"])
@pytest.mark.parametrize("amount", ["1e999999999", "-1", "many"])
def test_a_capacity_that_is_no_quantity_is_refused(field: str, amount: str) -> None:
    capacity = make("CSIStorageCapacity", "storage.k8s.io", storageClassName="fast", **{field: amount})
    refused = Desk().create(capacity)
    assert refused.code in (400, 422) and amount in said(refused)
