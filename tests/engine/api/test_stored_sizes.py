"""What is stored is bounded as it is completed, whichever way it came: not as it was sent."""

from __future__ import annotations

import copy
import tracemalloc
from typing import Any

import pytest

from lifecycle.engine.heart.errors import Unknown
from lifecycle.engine.rules.custom_resources.structural import with_defaults
from lifecycle.engine.rules.limits.sizes import measure_bytes
from tests.engine.api.desk import Desk, Json, make, make_pod

TOO_LARGE = (500, "etcdserver: request is too large")
FULL_BYTES = 20_000
MOST_BYTES = 3 * 512 * 1024
ENTRY = {"type": "object", "properties": {"text": {"type": "string", "default": "x" * FULL_BYTES}}}
LISTS = {"type": "object", "properties": {"list": {"type": "array", "items": ENTRY}}}
MAPS = {"type": "object", "additionalProperties": ENTRY}
NESTED = {"type": "object", "default": {}, "properties": {"a": ENTRY | {"default": {}}}}
MANY = [{}] * 100


def define() -> Desk:
    """A kind whose entries have large defaults, in its spec and in its status, and a small object of it."""
    desk = Desk()
    schema = {"type": "object", "properties": {"spec": LISTS, "status": LISTS}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    version["subresources"] = {"status": {}}
    names = {"kind": "Bomb", "plural": "bombs"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "bombs.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    assert desk.create(definition).ok
    assert desk.create(make_bomb("small")).ok
    return desk


def make_bomb(name: str = "b", **fields: Any) -> Json:
    return {"apiVersion": "example.org/v1", "kind": "Bomb", "metadata": {"name": name}, **fields}


HEAD = {"kind": "Bomb", "apiVersion": "example.org/v1", "name": "small"}
FULL = {"spec": {"list": MANY}}
WAYS = {
    "create": ("create", {"object": make_bomb(**FULL)}),
    "apply": ("apply", {"object": make_bomb(**FULL)}),
    "replace": ("replace", {"object": make_bomb("small", **FULL)}),
    "merge patch": ("patch", {**HEAD, "type": "merge", "patch": FULL}),
    "JSON patch": (
        "patch",
        {**HEAD, "type": "json", "patch": [{"op": "add", "path": "/spec", "value": FULL["spec"]}]},
    ),
    "server-side apply": ("patch", {**HEAD, "type": "apply", "patch": make_bomb("small", **FULL)}),
    "server-side apply of a new one": (
        "patch",
        {**HEAD, "name": "new", "type": "apply", "patch": make_bomb("new", **FULL)},
    ),
    "status": (
        "patch",
        {**HEAD, "type": "merge", "subresource": "status", "patch": {"status": FULL["spec"]}},
    ),
    "status replaced": (
        "replace",
        {"object": make_bomb("small", status=FULL["spec"]), "subresource": "status"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("verb, payload", WAYS.values(), ids=WAYS)
def test_defaults_cannot_make_an_object_larger_than_is_stored(verb: str, payload: Json) -> None:
    desk = define()
    tracemalloc.start()
    result = desk.submit(verb, **copy.deepcopy(payload))
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (result.code, (result.status or {}).get("message")) == TOO_LARGE
    assert peak_bytes < 20 * MOST_BYTES
    stored = desk.cluster.get("Bomb.example.org", "default", "small")
    assert stored is not None and "spec" not in stored and "status" not in stored


@pytest.mark.parametrize(
    "schema, value",
    [
        pytest.param(LISTS, {"list": [{}] * 80}, id="entries of a list"),
        pytest.param(MAPS, {f"k{number}": {} for number in range(80)}, id="entries of a map"),
        pytest.param(
            {"type": "array", "items": NESTED}, [{}] * 80, id="defaults within defaults, counted each"
        ),
        pytest.param(
            {"type": "object", "properties": {f"p{n}": ENTRY["properties"]["text"] for n in range(80)}},  # type: ignore[index]
            {},
            id="fields of one object",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"n" * 20_000: {"default": 0}}}},
            [{}] * 80,
            id="long names",
        ),
    ],
)
def test_filling_in_stops_where_it_is_too_much(schema: Json, value: Any) -> None:
    with pytest.raises(Unknown, match="request is too large"):
        with_defaults(value, schema)
    fewer = value[:60] if isinstance(value, list) else value
    if fewer is not value:
        assert len(with_defaults(fewer, schema)) == 60


def test_what_kubernetes_fills_in_counts_too() -> None:
    # A protocol for each port: 1,700 times 17 bytes.
    ports = [{"containerPort": 1 + number} for number in range(1700)]
    env = [{"name": "A", "value": "x" * (MOST_BYTES - 50_000)}]
    pod = make_pod() | {"spec": {"containers": [{"name": "app", "image": "nginx", "env": env}]}}
    assert Desk().create(pod).ok
    pod["spec"]["containers"][0] |= {"ports": ports}
    assert measure_bytes(pod) < MOST_BYTES
    result = Desk().create(pod)
    assert (result.code, (result.status or {}).get("message")) == TOO_LARGE


def test_two_changes_that_fit_do_not_fit_together() -> None:
    desk = Desk()
    assert desk.create(make("ConfigMap", data={})).ok
    annotations = {f"a/{number}": "x" * 1000 for number in range(250)}
    assert desk.patch("ConfigMap", {"metadata": {"annotations": annotations}}).ok
    assert desk.patch("ConfigMap", {"data": {"a": "x" * 1_000_000}}).ok
    result = desk.patch("ConfigMap", {"metadata": {"finalizers": [f"a/{'f' * 40}{n}" for n in range(7000)]}})
    assert (result.code, (result.status or {}).get("message")) == TOO_LARGE
