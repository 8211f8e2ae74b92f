"""Awk's values: numbers, strings, strings from the input that may be numbers, and what was never set."""

from __future__ import annotations

import math
import re
from typing import Any, Final, TypeAlias

from ...errors import CannotInterpret

_PREFIX = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_WHOLE = re.compile(_PREFIX.pattern + r"\s*")
_LARGEST_WHOLE = 1e16


class AwkProblem(CannotInterpret):
    """A part of a program that is not modelled, or that fails: named for the user."""


class InputText(str):
    """Text that came from outside: it compares as a number where it looks like one."""

    __slots__ = ()


class Unset:
    """A variable nothing was put into: both an empty string and 0."""

    __slots__ = ()


UNSET: Final = Unset()
Value: TypeAlias = float | str | Unset
Array: TypeAlias = dict[str, Value]


def is_number(value: Value) -> bool:
    """Whether a comparison takes it as a number."""
    if isinstance(value, InputText):
        return _WHOLE.fullmatch(value) is not None
    return not isinstance(value, str)


def to_number(value: Value) -> float:
    """The number a value begins with, 0 without one."""
    if isinstance(value, float):
        return value
    found = None if isinstance(value, Unset) else _PREFIX.match(value)
    return float(found[1]) if found is not None else 0.0


def to_text(value: Value) -> str:
    """A value as a string; whole numbers without a point, others with six digits."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Unset):
        return ""
    if math.isfinite(value) and value == int(value) and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return f"{value:.6g}"


def is_true(value: Value) -> bool:
    """Numbers unless 0, strings unless empty."""
    return to_number(value) != 0 if is_number(value) else value != ""


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1: as numbers where both are, else as strings."""
    first: Any = to_text(left)
    second: Any = to_text(right)
    if is_number(left) and is_number(right):
        first, second = to_number(left), to_number(right)
    return int(first > second) - int(first < second)


def save_value(value: Value) -> Any:
    """JSON-able: null, a number, a string, or a string from the input in a list; {} holds what JSON lacks."""
    if isinstance(value, Unset):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return [str(value)] if isinstance(value, InputText) else value


def load_value(data: Any) -> Value:
    """The value that `save_value` described."""
    if data is None:
        return UNSET
    if isinstance(data, dict):
        return float(data["number"])
    return InputText(data[0]) if isinstance(data, list) else data if isinstance(data, str) else float(data)
