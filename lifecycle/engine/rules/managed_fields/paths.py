"""Sets of fields, and how `metadata.managedFields` writes them (FieldsV1).

A path is a tuple of elements, each spelled as FieldsV1 spells it:

    f:NAME              a field of a mapping
    k:{"name":"main"}   the entry of a list that has these keys
    v:"text"            an entry of a set of plain values
    i:3                 an entry by its index

A set holds paths. That a path is in it says nothing of those above or below: `f:spec` is the mapping itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from lifecycle.lean_dataclasses import dataclass

from ..limits.json_bounds import read_json

Path: TypeAlias = tuple[str, ...]
FieldSet: TypeAlias = frozenset[Path]
NONE: FieldSet = frozenset()
MOST_LEVELS = 120
"""How deep a set is read at most: deeper than any object is nested."""
_ITSELF = "."
_ORDER = "fkvi"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a change did to fields. No path is in two of the sets; all empty: nothing changed."""

    removed: FieldSet = NONE
    modified: FieldSet = NONE
    added: FieldSet = NONE

    @property
    def written(self) -> FieldSet:
        """Fields that have another value now, or one at all."""
        return self.modified | self.added


# --- elements ---------------------------------------------------------------------------------------------


def write_json(value: Any) -> str:
    """A value as it stands in elements: compact, keys sorted."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def element_of_field(name: str) -> str:
    """The element of a mapping's field."""
    return f"f:{name}"


def element_of_keys(keys: Mapping[str, Any]) -> str:
    """The element of an entry known by its keys."""
    return f"k:{write_json(dict(keys))}"


def element_of_value(value: Any) -> str:
    """The element of an entry of a set."""
    return f"v:{write_json(value)}"


def path_to(*names: str) -> Path:
    """The path through mappings by the names of their fields."""
    return tuple(map(element_of_field, names))


def format_path(path: Path) -> str:
    """A path as conflicts name it: `.spec.containers[name="main"].image`."""
    return "".join(map(_format_element, path))


def _format_element(element: str) -> str:
    form, text = element[0], element[2:]
    if form == "f":
        return f".{text}"
    if form == "k":
        keys = json.loads(text)
        return f"[{','.join(f'{name}={write_json(keys[name])}' for name in sorted(keys))}]"
    return f"[={text}]" if form == "v" else f"[{text}]"


def order_of(path: Path) -> tuple[tuple[int, str], ...]:
    """Paths in the order of sets: fields, then entries by keys, values and index, each by its text."""
    return tuple(map(_order_of_element, path))


# --- FieldsV1 ---------------------------------------------------------------------------------------------


def write_fields(fields: Iterable[Path]) -> dict[str, Any]:
    """A set as FieldsV1: a tree in which a leaf is `{}`, and "." says that a node itself is in the set."""
    tree: dict[str, Any] = {}
    for path in fields:
        node = tree
        for element in path:
            node = node.setdefault(element, {})
        node[_ITSELF] = {}
    tree.pop(_ITSELF, None)
    return _write_node(tree)


def _write_node(node: dict[str, Any]) -> dict[str, Any]:
    if len(node) == 1 and _ITSELF in node:
        return {}
    return {name: _write_node(node[name]) for name in sorted(node, key=_order_of_element)}


def _order_of_element(element: str) -> tuple[int, str]:
    """The node itself, then fields, entries by keys, values and index, each by its text."""
    return (-1, "") if element == _ITSELF else (_ORDER.index(element[0]), element[2:])


def read_fields(tree: Any) -> FieldSet:
    """The set that FieldsV1 writes. Raises ValueError for what is none."""
    return frozenset(_read_node(tree, ()))


def _read_node(tree: Any, path: Path) -> Iterator[Path]:
    if not isinstance(tree, dict) or len(path) > MOST_LEVELS:
        raise ValueError("fieldsV1: a tree of mappings is wanted")
    for name, inner in tree.items():
        if name == _ITSELF:
            if path:
                yield path
            continue
        below = (*path, _read_element(name))
        if not inner:
            yield below
        yield from _read_node(inner, below)


def _read_element(name: str) -> str:
    form, colon, text = name[:1], name[1:2], name[2:]
    if not form or form not in _ORDER or colon != ":":
        raise ValueError(f"fieldsV1: {name[:60]!r} is no element of a path")
    if form == "f":
        return name
    value = read_json(text)
    if form == "k" and not (isinstance(value, dict) and value):
        raise ValueError(f"fieldsV1: {name[:60]!r} has no keys")
    return f"{form}:{write_json(value)}"
