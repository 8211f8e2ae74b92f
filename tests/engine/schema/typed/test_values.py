"""Values by their shape: sets, comparisons, merges. Outcomes are those of Kubernetes' own library."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.managed_fields.managers import APPLY, Manager, Managers, Share
from lifecycle.engine.rules.managed_fields.paths import Comparison, format_path, path_to, write_fields
from lifecycle.engine.schema.fields import read_field
from lifecycle.engine.schema.typed.applying import apply_over
from lifecycle.engine.schema.typed.compare import compare
from lifecycle.engine.schema.typed.custom import shape_of_schema
from lifecycle.engine.schema.typed.merge import merge
from lifecycle.engine.schema.typed.shapes import UNTYPED_SHAPE, shape_of, shape_of_custom, shape_of_kind
from lifecycle.engine.schema.typed.values import TypedError, require_typed, set_of, with_named, without_items
from lifecycle.engine.schema.typed.zeros import with_zeros

POD_SPEC = shape_of(read_field("PodSpec"))
META = shape_of(read_field("ObjectMeta"))
MAIN = {"name": "main", "image": "a:1"}


def text_of(change: Comparison) -> dict[str, list[str]]:
    sets = {"removed": change.removed, "modified": change.modified, "added": change.added}
    return {name: sorted(map(format_path, found)) for name, found in sets.items() if found}


# --- sets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "type_text, value, fields",
    [
        pytest.param("map of string", {"k": "1"}, {"f:k": {}}, id="a map, key by key"),
        pytest.param(
            "ObjectMeta",
            {"labels": {"a": "b"}, "finalizers": ["x/y"]},
            {"f:labels": {"f:a": {}}, "f:finalizers": {'v:"x/y"': {}}},
            id="a set, value by value",
        ),
        pytest.param("ObjectMeta", {"labels": {}}, {"f:labels": {}}, id="an empty map is a leaf"),
        pytest.param(
            "DeploymentSpec", {"selector": {"matchLabels": {"a": "b"}}}, {"f:selector": {}}, id="atomic map"
        ),
        pytest.param("Container", {"args": ["a", "b"]}, {"f:args": {}}, id="atomic list"),
        pytest.param(
            "Container",
            {"name": "c", "ports": [{"containerPort": 80}]},
            {
                "f:name": {},
                "f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:containerPort": {}}},
            },
            id="a key that is left out has its default",
        ),
        pytest.param(
            "PodSpec",
            {"containers": [MAIN]},
            {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}, "f:name": {}}}},
            id="entries by name",
        ),
        pytest.param(
            "PodSpec", {"containers": [MAIN, MAIN]}, {"f:containers": {'k:{"name":"main"}': {}}}, id="twice"
        ),
        pytest.param("any", {"a": {"b": [1]}}, {"f:a": {".": {}, "f:b": {}}}, id="of what is not known"),
    ],
)
def test_the_set_of_a_value(type_text: str, value: Any, fields: Any) -> None:
    assert write_fields(set_of(value, shape_of(read_field(type_text)))) == fields


def test_declared_fields_on_the_way_are_named() -> None:
    image = (*path_to("containers"), 'k:{"name":"main"}', "f:image")
    assert with_named(frozenset((image,)), POD_SPEC) == {image, path_to("containers")}
    label = path_to("labels", "app")
    assert with_named(frozenset((label,)), META) == {label, path_to("labels")}


# --- checks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, said",
    [
        pytest.param({"foo": 1}, ".foo: field not declared in schema", id="unknown"),
        pytest.param(
            {"metadata": {"name": True}},
            ".metadata.name: expected string, got &value.valueUnstructured{Value:true}",
            id="no text",
        ),
        pytest.param(
            {"spec": {"replicas": "3"}},
            ".spec.replicas: expected numeric (int or float), got string",
            id="no number",
        ),
        pytest.param({"spec": [1]}, ".spec: expected map, got &{[1]}", id="no map"),
        pytest.param(
            {"spec": {"template": {"spec": {"containers": [MAIN, MAIN]}}}},
            '.spec.template.spec.containers: duplicate entries for key [name="main"]',
            id="an entry twice",
        ),
        pytest.param(
            {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}},
            ".spec.template.spec.containers: element 0: associative list with keys has an"
            " element that omits all key"
            ' fields ["name"] (and doesn\'t have default values for any key fields)',
            id="an entry without its key",
        ),
        pytest.param(
            {"x": 1, "y": 2},
            "errors:\n  .x: field not declared in schema\n  .y: field not declared in schema",
            id="two",
        ),
    ],
)
def test_what_is_not_of_its_shape_is_refused(value: Any, said: str) -> None:
    shape = shape_of_kind("apps/v1", "Deployment")
    assert shape is not None
    with pytest.raises(TypedError) as problem:
        require_typed(value, shape)
    assert str(problem.value) == said


# --- comparisons ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, change",
    [
        pytest.param({}, {}, {}, id="nothing"),
        pytest.param(
            {"labels": {"a": "1", "b": "1"}},
            {"labels": {"a": "2", "c": "1"}},
            {"modified": [".labels.a"], "added": [".labels.c"], "removed": [".labels.b"]},
            id="each key by itself",
        ),
        pytest.param(
            {}, {"labels": {"a": "1"}}, {"added": [".labels", ".labels.a"]}, id="a new map with its keys"
        ),
        pytest.param(
            {"labels": {}}, {"labels": {"a": "1"}}, {"added": [".labels.a"]}, id="into an empty map"
        ),
        pytest.param(
            {"finalizers": ["a", "b"]},
            {"finalizers": ["b", "c"]},
            {"added": ['.finalizers[="c"]'], "removed": ['.finalizers[="a"]']},
            id="values of a set",
        ),
        pytest.param({"finalizers": ["a", "b"]}, {"finalizers": ["b", "a"]}, {}, id="their order is nothing"),
    ],
)
def test_what_differs(old: Any, new: Any, change: dict[str, list[str]]) -> None:
    assert text_of(compare(old, new, META)) == change


@pytest.mark.parametrize(
    "old, new, change",
    [
        pytest.param(1, True, {"modified": [".a"]}, id="true is not 1"),
        pytest.param(1, 1.0, {}, id="1 is 1.0"),
        pytest.param([1], [1, 2], {"modified": [".a"]}, id="a list as a whole"),
        pytest.param({"b": 1}, 5, {"modified": [".a"], "removed": [".a.b"]}, id="another form"),
        pytest.param({"b": 1}, {"b": 2}, {"modified": [".a.b"]}, id="within"),
    ],
)
def test_what_differs_where_nothing_is_known(old: Any, new: Any, change: dict[str, list[str]]) -> None:
    assert text_of(compare({"a": old}, {"a": new}, UNTYPED_SHAPE)) == change


def test_a_new_object_has_its_structs_already() -> None:
    """As every object that kubectl creates shows: no owner of `spec` or `template`, but one of `labels`."""
    shape = shape_of_kind("apps/v1", "Deployment")
    assert shape is not None
    head = {"apiVersion": "apps/v1", "kind": "Deployment"}
    spec = {"replicas": 1, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [MAIN]}}}
    change = compare(with_zeros(head, shape), with_zeros({**head, "spec": spec}, shape), shape)
    assert write_fields(change.written) == {
        "f:spec": {
            "f:replicas": {},
            "f:template": {
                "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                "f:spec": {
                    "f:containers": {
                        'k:{"name":"main"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}
                    }
                },
            },
        }
    }


# --- merges -----------------------------------------------------------------------------------------------


def named(names: str) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


@pytest.mark.parametrize(
    "live, applied, merged",
    [
        pytest.param("ab", "", "ab", id="nothing stated"),
        pytest.param("", "ab", "ab", id="nothing there"),
        pytest.param("ab", "c", "abc", id="one more"),
        pytest.param("ab", "ba", "ba", id="another order"),
        pytest.param("xa", "ba", "xba", id="what stood before stays before"),
        pytest.param("ax", "ab", "axb", id="what stood behind stays behind"),
        pytest.param("axb", "ba", "xba", id="between two that change places"),
        pytest.param("bax", "ab", "axb", id="what is out of order is left out of account"),
        pytest.param("abc", "b", "abc", id="one of many"),
    ],
)
def test_entries_come_in_the_order_of_the_configuration(live: str, applied: str, merged: str) -> None:
    result = merge({"containers": named(live)}, {"containers": named(applied)}, POD_SPEC)
    assert result["containers"] == named(merged)


def test_an_entry_that_both_have_is_merged_and_what_is_atomic_replaced() -> None:
    live = {"containers": [{**MAIN, "args": ["a"], "tty": True}]}
    result = merge(live, {"containers": [{"name": "main", "image": "b:2", "args": ["z"]}]}, POD_SPEC)
    assert result["containers"] == [{"name": "main", "image": "b:2", "args": ["z"], "tty": True}]


def test_items_go_by_their_paths_and_leave_the_rest() -> None:
    value = {"labels": {"a": "1", "b": "2"}, "finalizers": ["x"], "name": "n"}
    gone = frozenset((path_to("labels", "a"), ("f:finalizers", 'v:"x"')))
    assert without_items(value, META, gone) == {"labels": {"b": "2"}, "finalizers": None, "name": "n"}


# --- applies ----------------------------------------------------------------------------------------------

ME, OTHER = Manager("me", APPLY, "", ""), Manager("other", APPLY, "", "")


def apply(live: Any, applied: Any, last: Any, other: Any) -> Any:
    """What an apply leaves of metadata, the applier having stated `last` before."""

    def share(value: Any) -> Share:
        return Share(set_of(value, META), "v1")

    managers: Managers = {ME: share(applied), OTHER: share(other)}
    return apply_over(live, applied, META, share(last), managers)


@pytest.mark.parametrize(
    "live, applied, last, other, left",
    [
        pytest.param(
            {"a": "1", "b": "1"}, {"a": "1"}, {"a": "1", "b": "1"}, {}, {"a": "1"}, id="given up: it goes"
        ),
        pytest.param(
            {"a": "1", "b": "1"},
            {"a": "1"},
            {"a": "1", "b": "1"},
            {"b": "1"},
            {"a": "1", "b": "1"},
            id="shared: it stays",
        ),
        pytest.param(
            {"a": "1", "c": "1"}, {"a": "1"}, {"a": "1"}, {}, {"a": "1", "c": "1"}, id="nobody's stays"
        ),
        pytest.param(
            {"a": "1"}, {"a": "2", "d": "1"}, {"a": "1"}, {}, {"a": "2", "d": "1"}, id="changed and added"
        ),
    ],
)
def test_what_is_no_longer_stated_goes_unless_it_is_owned(
    live: Any, applied: Any, last: Any, other: Any, left: Any
) -> None:
    result = apply(*({"labels": one} for one in (live, applied, last, other)))
    assert result["labels"] == left


def test_an_entry_that_others_added_to_stays_with_what_they_added() -> None:
    live = {"containers": [{"name": "main", "image": "a", "tty": True}]}
    mine, theirs = (
        {"containers": [{"name": "main", "image": "a"}]},
        {"containers": [{"name": "main", "tty": True}]},
    )
    managers: Managers = {ME: Share(frozenset(), "v1"), OTHER: Share(set_of(theirs, POD_SPEC), "v1")}
    last = Share(set_of(mine, POD_SPEC), "v1")
    assert apply_over(live, {}, POD_SPEC, last, managers) == {"containers": [{"name": "main", "tty": True}]}


# --- custom resources -------------------------------------------------------------------------------------


def test_a_schema_gives_the_shape_of_a_custom_resource() -> None:
    items = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}},
    }
    listed = {"type": "array", "items": items, "x-kubernetes-list-type": "map"}
    listed["x-kubernetes-list-map-keys"] = ["name", "port"]
    properties = {
        "parts": listed,
        "whole": {
            "type": "object",
            "x-kubernetes-map-type": "atomic",
            "properties": {"a": {"type": "string"}},
        },
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    shape = shape_of_custom(shape_of_schema({"type": "object", "properties": properties}))
    value = {"parts": [{"name": "a"}], "whole": {"a": "b"}, "open": {"x": 1}, "map": {"k": "v"}}
    assert write_fields(set_of(value, shape)) == {
        "f:map": {"f:k": {}},
        "f:open": {"f:x": {}},
        "f:parts": {'k:{"name":"a","port":80}': {".": {}, "f:name": {}}},
        "f:whole": {},
    }


def test_of_a_custom_resource_without_schema_each_mapping_is_owned_by_its_fields() -> None:
    shape = shape_of_custom(None)
    assert write_fields(set_of({"spec": {"a": {"b": 1}, "c": [1]}}, shape)) == {
        "f:spec": {".": {}, "f:a": {".": {}, "f:b": {}}, "f:c": {}}
    }
