"""Values without fields: which of them are of which type."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any

from lifecycle.late_patterns import late_pattern

QUANTITY = late_pattern(
    r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?"
)
RFC_3339 = late_pattern(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
TEXT = "text"


def describe(value: Any) -> str:
    """A value's type in the words of JSON, with the value when it is short: `the number 3`."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f'the text "{value}"' if len(value) <= 40 else "a text"
        case list():
            return "a list"
        case _:
            return "a mapping"


def name_go_kind(value: Any) -> str:
    """A value's type as the API server's JSON reader calls it."""
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object" if isinstance(value, dict) else "null"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def _is_int64(value: Any) -> bool:
    return is_whole(value) and -(2**63) <= value < 2**63


def _is_int32(value: Any) -> bool:
    return is_whole(value) and -(2**31) <= value < 2**31


def is_whole(value: Any) -> bool:
    """Whether JSON has a whole number here, of whatever size."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_quantity(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, str) and bool(QUANTITY.fullmatch(value)))


def _is_int_or_string(value: Any) -> bool:
    return _is_int32(value) or isinstance(value, str)


def _is_time(value: Any) -> bool:
    if not (isinstance(value, str) and RFC_3339.fullmatch(value)):
        return False
    try:
        datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _is_base64(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


SCALARS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "string": (TEXT, _is_text),
    "int32": ("a whole number", _is_int32),
    "int64": ("a whole number", _is_int64),
    "boolean": ("true or false", _is_boolean),
    "number": ("a number", _is_number),
    "intOrString": ("a whole number or text", _is_int_or_string),
    "quantity": ('a quantity such as "500m" or "64Mi"', _is_quantity),
    "time": ('a time such as "2026-01-01T00:00:00Z"', _is_time),
    "microTime": ('a time such as "2026-01-01T00:00:00Z"', _is_time),
    "bytes": ("base64", _is_base64),
}
"""How errors name a type, and what is of it."""
RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
"""From the least to the most."""
