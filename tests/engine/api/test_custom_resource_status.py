"""The status of a custom resource: a field as any other, or one with an address of its own.

customresource/strategy.go of the apiextensions API server: PrepareForCreate and PrepareForUpdate leave the
status alone only where the version has the subresource; every change beside the metadata raises the
generation.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from lifecycle.engine import Result
from tests.engine.api.desk import Desk, Json
from tests.engine.api.test_custom_resources import BOX, SUBRESOURCES, make_box, make_definition

NONE: Json = {}
SCALE = {"scale": SUBRESOURCES["scale"]}
STATUS = {"status": {}}
TOLD = {"size": 9}
Write = Callable[[Desk], Result]


def define(subresources: Json) -> Desk:
    desk = Desk()
    data = copy.deepcopy(make_definition())
    data["spec"]["versions"][0]["subresources"] = subresources
    assert desk.create(data).ok
    return desk


def replace(desk: Desk) -> Result:
    return desk.submit("replace", object={**make_box(size=2), "status": TOLD}, request={})


def merge(desk: Desk) -> Result:
    return desk.patch("Box", {"status": TOLD}, "a", apiVersion="example.org/v1")


def change_by_json_patch(desk: Desk) -> Result:
    patch = [{"op": "add", "path": "/status", "value": TOLD}]
    return desk.patch("Box", patch, "a", apiVersion="example.org/v1", type="json")


def apply_server_side(desk: Desk) -> Result:
    request = {"fieldManager": "one", "force": True}
    patch = {**make_box(size=2), "status": TOLD}
    return desk.submit("patch", **BOX, type="apply", patch=patch, request=request)


def apply_file(desk: Desk) -> Result:
    return desk.submit("apply", object={**make_box(size=2), "status": TOLD})


WRITES = (replace, merge, change_by_json_patch, apply_server_side, apply_file)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("subresources", [NONE, SCALE], ids=["no subresource", "scale alone"])
def test_without_the_subresource_status_is_a_field_that_counts(subresources: Json, write: Write) -> None:
    desk = define(subresources)
    assert desk.create(make_box(size=2)).ok
    found = write(desk).object or {}
    assert (found["status"], found["metadata"]["generation"]) == (TOLD, 2)


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("subresources", [STATUS, SUBRESOURCES], ids=["status", "status and scale"])
def test_with_the_subresource_the_object_keeps_its_status(subresources: Json, write: Write) -> None:
    desk = define(subresources)
    assert desk.create(make_box(size=2)).ok
    told: dict[str, Any] = {"apiVersion": "example.org/v1", "subresource": "status"}
    assert desk.patch("Box", {"status": {"size": 1}}, "a", **told).ok
    found = write(desk).object or {}
    assert (found["status"], found["metadata"]["generation"]) == ({"size": 1}, 1)


@pytest.mark.parametrize(
    "subresources, kept",
    [
        pytest.param(NONE, TOLD, id="no subresource"),
        pytest.param(SCALE, TOLD, id="scale alone"),
        pytest.param(STATUS, None, id="status"),
        pytest.param(SUBRESOURCES, None, id="status and scale"),
    ],
)
@pytest.mark.parametrize("create", ["create", "apply a file", "apply"])
def test_a_new_object_has_a_status_only_without_the_subresource(
    create: str, subresources: Json, kept: Json | None
) -> None:
    desk = define(subresources)
    data = {**make_box(size=2), "status": TOLD}
    made = {
        "create": lambda: desk.create(data),
        "apply a file": lambda: apply_file(desk),
        "apply": lambda: apply_server_side(desk),
    }[create]()
    assert made.code == 201
    assert (made.object or {}).get("status") == kept


def test_a_write_without_the_field_takes_a_plain_status_away() -> None:
    desk = define(NONE)
    assert desk.create({**make_box(size=2), "status": TOLD}).ok
    found = desk.submit("replace", object=make_box(size=2), request={}).object or {}
    assert "status" not in found and found["metadata"]["generation"] == 2


@pytest.mark.parametrize("subresources, is_owned", [(NONE, True), (STATUS, False)], ids=["none", "status"])
def test_who_applies_a_status_owns_it_only_without_the_subresource(
    subresources: Json, is_owned: bool
) -> None:
    desk = define(subresources)
    found = apply_server_side(desk).object or {}
    (entry,) = found["metadata"]["managedFields"]
    assert ("f:status" in entry["fieldsV1"]) == is_owned


def test_a_status_is_held_to_its_schema() -> None:
    desk = define(NONE)
    assert desk.create(make_box(size=2)).ok
    refused = desk.patch("Box", {"status": {"size": "big"}}, "a", apiVersion="example.org/v1")
    assert refused.code == 422
