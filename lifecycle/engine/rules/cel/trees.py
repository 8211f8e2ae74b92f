"""The syntax tree of a compiled expression, read from the bytes in which the library for CEL gives it out.

Models cel-spec, proto/cel/expr/checked.proto and syntax.proto: of the messages what `bounds` asks for. Macros
are expanded: a `map` is a fold over its list.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...objects.wire import split_message

PATH, SELECT, CALL, LIST, MAP, FOLD = "path", "select", "call", "list", "map", "fold"
CONSTANT, NUMBER, SETTLED = "constant", "number", "settled"
_FORMS = {3: CONSTANT, 4: PATH, 5: SELECT, 6: CALL, 7: LIST, 8: MAP, 9: FOLD}
_FOLD_PARTS = (2, 4, 5, 6, 7)
"""The fields of a Comprehension: its range, the first value, the condition, the step, the result."""
_FOLD_NAMES = (1, 8, 3)
"""Those of its names: the entry, or the key and the value; what is gathered."""
_CHECKED, _EXPR = 2, 4
_INT64 = 3

Fields = dict[int, list[Any]]


class Node(NamedTuple):
    """One place of a tree.

    `name`: of what is read or called; a constant's text, a whole number's digits. `parts`: what it is made
    of, the target of a call first. `names`: those that a fold gives to the entry or key, to the value, and to
    what it gathers; of a path, which is a name or a field of a path, all from the first on; of what is
    settled, those of its variables. `work`: of what is settled, which gives a number or a bool.
    """

    form: str
    name: str = ""
    parts: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()
    work: int = 0


def read_tree(data: bytes) -> Node:
    """The tree of an expression that was compiled and given out."""
    checked = _read(memoryview(data))[_CHECKED][-1]
    return _read_node(_read(checked)[_EXPR][-1])


def _read_node(data: memoryview) -> Node:
    fields = _read(data)
    number = next((one for one in _FORMS if one in fields), 0)
    # A node that says nothing is a constant: null.
    if not number:
        return Node(CONSTANT)
    inner, form = _read(fields[number][-1]), _FORMS[number]
    match form:
        case "path":
            return Node(form, names=(_text(inner, 1),))
        case "select":
            (whole,), name = _read_nodes(inner, 1), _text(inner, 2)
            if whole.form == PATH:
                return Node(PATH, names=(*whole.names, name))
            return Node(form, name, (whole,))
        case "call":
            return Node(form, _text(inner, 2), _read_nodes(inner, 1, 3))
        case "list":
            return Node(form, parts=_read_nodes(inner, 1))
        case "map":
            entries = [_read(entry) for entry in inner.get(2, ())]
            return Node(form, parts=tuple(part for entry in entries for part in _read_nodes(entry, 3, 4)))
        case "fold":
            names = tuple(_text(inner, number) for number in _FOLD_NAMES)
            return Node(form, parts=_read_nodes(inner, *_FOLD_PARTS), names=names)
    if _INT64 in inner:
        return Node(NUMBER, str(inner[_INT64][-1]))
    return Node(form, _text(inner, 6) or _text(inner, 7))


def _read_nodes(fields: Fields, *numbers: int) -> tuple[Node, ...]:
    return tuple(_read_node(data) for number in numbers for data in fields.get(number, ()))


def _text(fields: Fields, number: int) -> str:
    return str(bytes(fields[number][-1]), errors="replace") if number in fields else ""


def _read(data: memoryview) -> Fields:
    """The fields of a message by number: numbers as such, all else as bytes."""
    fields: Fields = {}
    for number, value in split_message(data):
        fields.setdefault(number, []).append(value)
    return fields
