"""One value by its shape: what is wrong with it, the set of its fields, and what it is without some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...rules.managed_fields.paths import (
    FieldSet,
    Path,
    element_of_field,
    element_of_keys,
    element_of_value,
    format_path,
)
from ..fields import LIST, MAP
from .shapes import Shape, resolve

MOST_LEVELS = 110


class TypedError(Exception):
    """A value that is not of its shape; what is wrong, as the API server says it."""


# --- entries of lists -------------------------------------------------------------------------------------


def element_of(shape: Shape, entry: Any) -> str:
    """How an entry of a list is known. Raises TypedError for one that nothing tells apart."""
    if not shape.keys:
        return _element_of_plain(entry)
    if entry is None:
        raise TypedError("associative list with keys may not have a null element")
    if not isinstance(entry, dict):
        raise TypedError("associative list with keys may not have non-map elements")
    defaults = shape.key_defaults or {}
    keys = {key: entry.get(key, defaults.get(key)) for key in shape.keys if key in entry or key in defaults}
    if not keys:
        names = " ".join(f'"{key}"' for key in shape.keys)
        raise TypedError(
            f"associative list with keys has an element that omits all key fields [{names}] (and doesn't have"
            " default values for any key fields)"
        )
    return element_of_keys(keys)


def _element_of_plain(entry: Any) -> str:
    if isinstance(entry, dict):
        raise TypedError("associative list without keys has an element that's a map type")
    if isinstance(entry, list):
        raise TypedError("not supported: associative list with lists as elements")
    if entry is None:
        raise TypedError("associative list without keys has an element that's an explicit null")
    return element_of_value(entry)


def entries_by_element(shape: Shape, entries: Iterable[Any]) -> dict[str, list[Any]]:
    """Entries by how they are known; those that nothing tells apart are left out."""
    found: dict[str, list[Any]] = {}
    for entry in entries:
        try:
            found.setdefault(element_of(shape, entry), []).append(entry)
        except TypedError:
            continue
    return found


# --- checks -----------------------------------------------------------------------------------------------


def require_typed(value: Any, shape: Shape) -> None:
    """Raise TypedError naming all that is not as declared, and entries that are there twice."""
    errors = list(_find_errors(value, shape, ()))
    if len(errors) == 1:
        raise TypedError(errors[0])
    if errors:
        raise TypedError("\n".join(["errors:", *(f"  {error}" for error in errors)]))


def _find_errors(value: Any, shape: Shape, path: Path) -> Iterator[str]:
    shape = resolve(shape, value)
    if value is None:
        return
    if shape.form == MAP:
        yield from _find_errors_in_map(value, shape, path)
    elif shape.form == LIST:
        yield from _find_errors_in_list(value, shape, path)
    else:
        expected = _find_scalar_error(value, shape.scalar)
        if expected:
            yield _say(path, expected)


def _find_errors_in_map(value: Any, shape: Shape, path: Path) -> Iterator[str]:
    if not isinstance(value, dict) or len(path) > MOST_LEVELS:
        yield _say(path, f"expected map, got &{{{_write_go(value)}}}")
        return
    for name, inner in value.items():
        below, field = (*path, element_of_field(name)), shape.find(name)
        if field is None:
            yield _say(below, "field not declared in schema")
        else:
            yield from _find_errors(inner, field, below)


def _find_errors_in_list(value: Any, shape: Shape, path: Path) -> Iterator[str]:
    if not isinstance(value, list):
        yield _say(path, f"expected list, got &{{{_write_go(value)}}}")
        return
    assert shape.inner is not None, "a list is a list of something"
    seen = set()
    for index, entry in enumerate(value):
        element = f"i:{index}"
        if not shape.is_atomic:
            try:
                element = element_of(shape, entry)
            except TypedError as problem:
                yield _say(path, f"element {index}: {problem}")
                return
            if element in seen:
                yield _say(path, f"duplicate entries for key {format_path((element,))}")
            seen.add(element)
        yield from _find_errors(entry, shape.inner, (*path, element))


def _find_scalar_error(value: Any, scalar: str) -> str:
    is_plain = not isinstance(value, dict | list)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if scalar == "numeric":
        return "" if is_number else f"expected numeric (int or float), got {_name_go(value)}"
    if scalar == "string":
        wrapped = f"&value.valueUnstructured{{Value:{_write_go_literal(value)}}}"
        return "" if isinstance(value, str) else f"expected string, got {wrapped}"
    if scalar == "boolean":
        return "" if isinstance(value, bool) else f"expected boolean, got &{{{_write_go(value)}}}"
    return "" if is_plain else f"expected any scalar, got &{{{_write_go(value)}}}"


def _say(path: Path, text: str) -> str:
    return f"{format_path(path)}: {text}" if path else text


def _name_go(value: Any) -> str:
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case _:
            return "map[string]interface {}"


def _write_go_literal(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"{_name_go(value)}{{…}}"
    return _write_go(value)


def _write_go(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return f"map[{' '.join(f'{name}:{_write_go(value[name])}' for name in sorted(value))}]"
        case list():
            return f"[{' '.join(map(_write_go, value))}]"
        case _:
            return str(value)


# --- sets -------------------------------------------------------------------------------------------------


def set_of(value: Any, shape: Shape) -> FieldSet:
    """All leaves of a value, entries of lists, and fields of mappings that are not declared one by one."""
    return frozenset(_each_path(value, shape, ()))


def _each_path(value: Any, shape: Shape, path: Path) -> Iterator[Path]:
    shape = resolve(shape, value)
    if shape.form not in (MAP, LIST) or shape.is_atomic:
        yield path
    elif shape.form == MAP and isinstance(value, dict):
        yield from _each_path_of_map(value, shape, path)
    elif shape.form == LIST and isinstance(value, list):
        assert shape.inner is not None, "a list is a list of something"
        for element, entries in entries_by_element(shape, value).items():
            below = (*path, element)
            # Of what is there twice nobody can say which one is meant.
            if len(entries) == 1:
                yield from _each_path(entries[0], shape.inner, below)
            yield below


def _each_path_of_map(value: dict[str, Any], shape: Shape, path: Path) -> Iterator[Path]:
    for name, inner in value.items():
        below, field = (*path, element_of_field(name)), shape.find(name)
        if field is None:
            continue
        yield from _each_path(inner, field, below)
        if inner is None or inner == {} or shape.declared(name) is None:
            yield below


def with_named(fields: FieldSet, shape: Shape) -> FieldSet:
    """The set with every declared field on the way to what is in it."""
    return fields.union(*(_each_named(path, shape) for path in fields)) if fields else fields


def _each_named(path: Path, shape: Shape) -> Iterator[Path]:
    at: Shape | None = shape
    for depth, element in enumerate(path[:-1], start=1):
        if at is None or at.form == "untyped":
            return
        if element[0] == "f":
            declared = at.declared(element[2:]) if at.form == MAP else None
            if declared is not None:
                yield path[:depth]
            at = declared or at.inner
        else:
            at = at.inner


# --- removal ----------------------------------------------------------------------------------------------


class Branch:
    """A set as a tree, to walk it beside a value."""

    __slots__ = ("below", "is_member")

    def __init__(self) -> None:
        self.is_member = False
        self.below: dict[str, Branch] = {}

    @classmethod
    def of(cls, fields: Iterable[Path]) -> Branch:
        """The tree of a set."""
        root = cls()
        for path in fields:
            node = root
            for element in path:
                node = node.below.setdefault(element, cls())
            node.is_member = True
        return root


def without_items(value: Any, shape: Shape, fields: FieldSet) -> Any:
    """A value without these fields and entries; a mapping or list of which nothing is left is null.

    Nothing within what is owned as a whole goes by itself.
    """
    return _prune(value, shape, Branch.of(fields)) if fields else value


def _prune(value: Any, shape: Shape, gone: Branch) -> Any:
    shape = resolve(shape, value)
    if shape.form == MAP and isinstance(value, dict):
        return None if shape.is_atomic else _prune_map(value, shape, gone) or None
    if shape.form == LIST and isinstance(value, list):
        return None if shape.is_atomic else _prune_list(value, shape, gone) or None
    return value


def _prune_map(value: dict[str, Any], shape: Shape, gone: Branch) -> dict[str, Any]:
    kept = {}
    for name, inner in value.items():
        branch = gone.below.get(element_of_field(name))
        if branch is None:
            kept[name] = inner
        elif not branch.is_member:
            field = shape.find(name)
            kept[name] = inner if field is None else _prune(inner, field, branch)
    return kept


def _prune_list(value: list[Any], shape: Shape, gone: Branch) -> list[Any]:
    assert shape.inner is not None, "a list is a list of something"
    kept = []
    for entry in value:
        try:
            branch = gone.below.get(element_of(shape, entry))
        except TypedError:
            branch = None
        if branch is None:
            kept.append(entry)
        elif not branch.is_member:
            kept.append(_prune(entry, shape.inner, branch))
    return kept
