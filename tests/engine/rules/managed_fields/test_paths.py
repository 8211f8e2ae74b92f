"""Sets of fields, as FieldsV1 writes them."""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.rules.managed_fields.paths import format_path, path_to, read_fields, write_fields

NAME, PORT = 'k:{"name":"main"}', 'k:{"containerPort":80,"protocol":"TCP"}'


@pytest.mark.parametrize(
    "tree, paths",
    [
        pytest.param({}, set(), id="nothing"),
        pytest.param({"f:data": {}}, {("f:data",)}, id="a field"),
        pytest.param({"f:data": {"f:k": {}}}, {("f:data", "f:k")}, id="below a field"),
        pytest.param({"f:data": {".": {}, "f:k": {}}}, {("f:data",), ("f:data", "f:k")}, id="both"),
        pytest.param(
            {"f:c": {NAME: {".": {}, "f:ports": {PORT: {}}}}},
            {("f:c", NAME), ("f:c", NAME, "f:ports", PORT)},
            id="entries by keys",
        ),
        pytest.param(
            {"f:set": {'v:"a"': {}, "v:1": {}}}, {("f:set", 'v:"a"'), ("f:set", "v:1")}, id="values"
        ),
        pytest.param({"f:l": {"i:3": {}}}, {("f:l", "i:3")}, id="by index"),
        pytest.param({"f:a.b/c": {}, "f:": {}}, {("f:a.b/c",), ("f:",)}, id="odd names"),
    ],
)
def test_a_set_is_written_as_a_tree_and_read_again(tree: Any, paths: set[tuple[str, ...]]) -> None:
    assert read_fields(tree) == paths
    assert write_fields(paths) == tree


def test_fields_come_before_entries_and_a_node_before_what_is_below() -> None:
    fields = {("f:b", 'v:"x"'), ("f:b", "f:y"), ("f:b",), ("f:a",), ("f:b", NAME)}
    tree = write_fields(fields)
    assert list(tree) == ["f:a", "f:b"]
    assert list(tree["f:b"]) == [".", "f:y", NAME, 'v:"x"']


def test_keys_are_read_in_one_order_however_they_are_written() -> None:
    assert read_fields({'k:{"protocol": "TCP", "containerPort": 80}': {}}) == {(PORT,)}


@pytest.mark.parametrize(
    "tree",
    [
        [],
        "f:a",
        {"x:a": {}},
        {"f": {}},
        {"": {}},
        {"k:[]": {}},
        {"k:{": {}},
        {"v:": {}},
        {"f:a": 5},
        {"f:a": {"": {}}},
    ],
)
def test_what_is_no_set_is_refused(tree: Any) -> None:
    with pytest.raises(ValueError):
        read_fields(tree)


@pytest.mark.parametrize(
    "path, text",
    [
        pytest.param(path_to("data", "k"), ".data.k", id="fields"),
        pytest.param(
            ("f:spec", "f:containers", NAME, "f:image"), '.spec.containers[name="main"].image', id="key"
        ),
        pytest.param((PORT,), '[containerPort=80,protocol="TCP"]', id="two keys"),
        pytest.param(("f:metadata", "f:finalizers", 'v:"a"'), '.metadata.finalizers[="a"]', id="value"),
        pytest.param(("f:a", "i:2"), ".a[2]", id="index"),
    ],
)
def test_a_path_is_named_as_conflicts_name_it(path: tuple[str, ...], text: str) -> None:
    assert format_path(path) == text
