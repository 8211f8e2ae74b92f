"""JSON patch (RFC 6902), as lenient as the API server, and with its errors.

Different from the RFC: a negative index counts from the end, and a missing field of a mapping reads as
null, so `replace` adds it. As in Kubernetes, an operation that does not fit is refused without a reason.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

from lifecycle.late_patterns import late_pattern

from ...heart.errors import BadRequest, RequestEntityTooLarge, Unprocessable
from ...schema.scalars import name_go_kind

Operation = dict[str, Any]
MOST_OPERATIONS = 10_000
MOST_COPIED_BYTES = 3 * 1024 * 1024
"""What `copy` may copy in one patch: doubling a field a hundred times would fill any memory."""
_INDEX = late_pattern(r"[+-]?[0-9]+", re.ASCII)


class _Misfit(Exception):
    """An operation that cannot be carried out on this document."""


def json_patch(target: Any, operations: Any) -> Any:
    """The document after all operations, or none of them.

    Raises BadRequest for what is no JSON patch, RequestEntityTooLarge, and Unprocessable for what does not
    fit the document.
    """
    if operations is None:
        return target
    _check_form(operations)
    document, copied_bytes = copy.deepcopy(target), 0
    for operation in operations:
        try:
            copied_bytes += _count_copied_bytes(document, operation)
            if copied_bytes > MOST_COPIED_BYTES:
                raise _Misfit("too much is copied")
            document = _carry_out(document, operation)
        except (_Misfit, RecursionError) as problem:
            raise Unprocessable() from problem
    return document


def _check_form(operations: Any) -> None:
    cannot = "error decoding patch: json: cannot unmarshal"
    if not isinstance(operations, list):
        kind = name_go_kind(operations)
        raise BadRequest(f"{cannot} {kind} into Go value of type []handlers.jsonPatchOp")
    if len(operations) > MOST_OPERATIONS:
        found = f"is {MOST_OPERATIONS}, got {len(operations)}"
        raise RequestEntityTooLarge(f"The allowed maximum operations in a JSON patch {found}")
    for operation in operations:
        if not isinstance(operation, dict):
            kind = name_go_kind(operation)
            raise BadRequest(f"{cannot} {kind} into Go value of type handlers.jsonPatchOp")
        for name in ("op", "path", "from"):
            value = operation.get(name)
            if not isinstance(value, str | None):
                field = f"jsonPatchOp.{name} of type string"
                raise BadRequest(f"{cannot} {name_go_kind(value)} into Go struct field {field}")


def _carry_out(document: Any, operation: Operation) -> Any:
    act = _OPERATIONS.get(operation.get("op") or "")
    if act is None or operation.get("path") is None:
        raise _Misfit("no such operation, or no path")
    return act(document, operation)


def _read_pointer(operation: Operation, name: str = "path") -> list[str]:
    """The parts of a pointer; [] is the whole document. `~1` is a slash, `~0` a tilde (RFC 6901).

    What stands before the first slash is not looked at.
    """
    text = operation.get(name)
    if text is None or (text and "/" not in text):
        raise _Misfit(f"{name} leads nowhere")
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def _find_parent(document: Any, pointer: list[str]) -> Any:
    """The mapping or list that a pointer's last part is of."""
    if not pointer:
        raise _Misfit("the whole document has no place")
    for part in pointer[:-1]:
        document = _get(document, part)
    if not isinstance(document, dict | list):
        raise _Misfit("the path leads nowhere")
    return document


def _get(parent: Any, part: str) -> Any:
    """A value by its name or index; null for an absent name."""
    if isinstance(parent, dict):
        return parent.get(part)
    if isinstance(parent, list):
        return parent[_read_index(part, len(parent))]
    raise _Misfit("the path leads nowhere")


def _read_index(part: str, length: int) -> int:
    if not _INDEX.fullmatch(part) or len(part) > 20:
        raise _Misfit("no index")
    index = int(part)
    index += length if index < 0 else 0
    if not 0 <= index < length:
        raise _Misfit("beyond the list")
    return index


def _put(document: Any, pointer: list[str], value: Any) -> Any:
    parent = _find_parent(document, pointer)
    part = pointer[-1]
    if isinstance(parent, dict):
        parent[part] = value
    elif part == "-":
        parent.append(value)
    else:
        # One place more than there are entries: the end.
        parent.insert(_read_index(part, len(parent) + 1), value)
    return document


def _add(document: Any, operation: Operation) -> Any:
    return _put(document, _read_pointer(operation), copy.deepcopy(operation.get("value")))


def _remove(document: Any, operation: Operation, name: str = "path") -> Any:
    pointer = _read_pointer(operation, name)
    parent = _find_parent(document, pointer)
    if isinstance(parent, list):
        del parent[_read_index(pointer[-1], len(parent))]
    elif pointer[-1] in parent:
        del parent[pointer[-1]]
    else:
        raise _Misfit("there is nothing to remove")
    return document


def _replace(document: Any, operation: Operation) -> Any:
    pointer, value = _read_pointer(operation), copy.deepcopy(operation.get("value"))
    if not pointer:
        if not isinstance(value, dict | list):
            raise _Misfit("a document is a mapping or a list")
        return value
    parent = _find_parent(document, pointer)
    if isinstance(parent, dict):
        parent[pointer[-1]] = value
    else:
        parent[_read_index(pointer[-1], len(parent))] = value
    return document


def _move(document: Any, operation: Operation) -> Any:
    value = _find_source(document, operation)
    return _put(_remove(document, operation, "from"), _read_pointer(operation), value)


def _find_source(document: Any, operation: Operation) -> Any:
    source = _read_pointer(operation, "from")
    return _get(_find_parent(document, source), source[-1])


def _count_copied_bytes(document: Any, operation: Operation) -> int:
    return len(json.dumps(_find_source(document, operation))) if operation.get("op") == "copy" else 0


def _copy(document: Any, operation: Operation) -> Any:
    return _put(document, _read_pointer(operation), copy.deepcopy(_find_source(document, operation)))


def _test(document: Any, operation: Operation) -> Any:
    pointer = _read_pointer(operation)
    found = _get(_find_parent(document, pointer), pointer[-1]) if pointer else document
    if not _is_same(found, operation.get("value")):
        raise _Misfit("the value is another one")
    return document


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are written alike: to Python 1, 1.0 and true are equal. As long as the shorter."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


_OPERATIONS: dict[str, Callable[[Any, Operation], Any]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
