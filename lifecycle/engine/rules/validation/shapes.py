"""Whether a document has the shape of an example: the JSON type of every field the example has."""

from __future__ import annotations

from typing import Any

_TEXTS = frozenset("labels annotations".split())


def find_misshapen(example: Any, given: Any, path: str = "") -> str:
    """`maxPods: must be a number, not a text`; "" when every field has the type it has in the example."""
    if _kind_of(example) != _kind_of(given):
        return f"{path or 'the object'}: must be {_kind_of(example)}, not {_kind_of(given)}"
    if isinstance(example, dict):
        for name, value in given.items():
            place = f"{path}.{name}" if path else name
            if name in _TEXTS and isinstance(value, dict):
                wrong = next((key for key in value if not isinstance(value[key], str | None)), None)
                if wrong is not None:
                    return f"{place}.{wrong}: must be a text, not {_kind_of(value[wrong])}"
            if value is not None and example.get(name) is not None:
                found = find_misshapen(example[name], value, place)
                if found:
                    return found
    if isinstance(example, list) and example:
        for index, value in enumerate(given):
            found = find_misshapen(example[0], value, f"{path}[{index}]")
            if found:
                return found
    return ""


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else "nothing"
