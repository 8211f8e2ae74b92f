"""Custom resources read as strictly as was asked for: what of them their definition does not have.

With a file kubectl 1.35 asks for `fieldValidation=Strict`; the API server's own default is to warn.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lifecycle.engine import Result
from tests.engine.api.desk import Desk, Json, said
from tests.engine.api.test_custom_resources import BOX, make_box, make_definition

ODD = 'unknown field "spec.odd"'
AT = {"apiVersion": "example.org/v1"}


def define() -> Desk:
    desk = Desk()
    data = copy.deepcopy(make_definition())
    old = copy.deepcopy(data["spec"]["versions"][0])
    data["spec"]["versions"].append({**old, "name": "v1alpha1", "storage": False, "served": False})
    assert desk.create(data).ok
    return desk


def write(desk: Desk, how: str, value: Json, request: Json | None) -> Result:
    beside: dict[str, Any] = {} if request is None else {"request": request}
    if how == "create":
        return desk.submit("create", object=value, **beside)
    assert desk.create(make_box(size=2)).ok
    if how == "replace":
        return desk.submit("replace", object=value, **beside)
    patch = [{"op": "add", "path": "/spec/odd", "value": 1}] if how == "json" else {"spec": value["spec"]}
    return desk.submit("patch", **BOX, type=how, patch=patch, **beside)


HOWS = ("create", "replace", "merge", "json")


@pytest.mark.parametrize("how", HOWS)
def test_a_strict_request_with_an_unknown_field_is_refused(how: str) -> None:
    refused = write(define(), how, make_box(size=2, odd=1), {"fieldValidation": "Strict"})
    assert refused.code in (400, 422)
    assert f"strict decoding error: {ODD}" in said(refused)


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("asked, warned", [("Warn", [ODD]), ("", [ODD]), ("Ignore", [])])
def test_other_requests_lose_the_field_and_are_told_as_they_asked(
    how: str, asked: str, warned: list[str]
) -> None:
    done = write(define(), how, make_box(size=2, odd=1), {"fieldValidation": asked} if asked else {})
    assert done.ok and "odd" not in (done.object or {})["spec"]
    assert done.warnings == warned


@pytest.mark.parametrize("kind", ["create", "apply", "replace"])
def test_what_scenarios_and_pages_send_is_read_as_a_file(kind: str) -> None:
    desk = define()
    if kind == "replace":
        assert desk.create(make_box(size=2)).ok
    assert ODD in said(desk.submit(kind, object=make_box(size=2, odd=1)))


@pytest.mark.parametrize("kind", ["create", "apply", "replace"])
@pytest.mark.parametrize("version", ["v2", "v1alpha1"], ids=["not there", "not served"])
def test_a_version_that_is_not_served_is_no_match(kind: str, version: str) -> None:
    refused = define().submit(kind, object={**make_box(size=2), "apiVersion": f"example.org/{version}"})
    right = "use example.org/v1"
    assert said(refused) == f'no matches for kind "Box" in version "example.org/{version}"; {right}'
    assert refused.code == 404
