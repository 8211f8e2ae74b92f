"""Awk's values: numbers, strings, strings from the input that may be numbers, and what was never set."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ...errors import CannotInterpret

_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_LARGEST_WHOLE = 1e16
LONGEST = 1 << 20
"""So many signs has a text at most."""


class AwkProblem(CannotInterpret):
    """A part of a program that is not modelled, or that fails: named for the user."""


class InputText(str):
    """Text that came from outside: it compares as a number where it looks like one."""

    __slots__ = ()


Value: TypeAlias = float | str
UNSET: Final = InputText()
"""What was never set, both an empty string and 0; this object alone, other empty input is no number."""
_KINDS: dict[str, type[float] | type[str]] = {"number": float, "text": str, "input": InputText}


def check_length(signs: int) -> None:
    """Raises AwkProblem for so long a text: asked before it is made."""
    if signs > LONGEST:
        raise AwkProblem(f"a value of more than {LONGEST >> 20} MiB")


def is_number(value: Value) -> bool:
    """Whether a comparison takes it as a number."""
    if isinstance(value, InputText):
        return value is UNSET or _NUMBER.fullmatch(value) is not None
    return isinstance(value, float)


def to_number(value: Value) -> float:
    """The number a value begins with, 0 without one."""
    if isinstance(value, float):
        return value
    found = _NUMBER.match(value)
    return float(found[1]) if found is not None else 0.0


def to_text(value: Value) -> str:
    """A value as a string; whole numbers without a point, others with six digits."""
    if isinstance(value, str):
        return str(value)
    if math.isfinite(value) and value == int(value) and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return f"{value:.6g}"


def is_true(value: Value) -> bool:
    """Numbers unless 0, strings unless empty."""
    return to_number(value) != 0 if is_number(value) else value != ""


def compare(left: Value, right: Value) -> int:
    """-1, 0 or 1: as numbers where both are, else as strings."""
    convert = to_number if is_number(left) and is_number(right) else to_text
    first: Any = convert(left)
    second: Any = convert(right)
    return int(first > second) - int(first < second)


def save_values(values: Mapping[str, Value]) -> list[list[str]]:
    """Names, kinds and texts of values, as JSON-able data; what was never set is left out.

    Raises AwkProblem where that is too much to keep.
    """
    kinds = {type_: kind for kind, type_ in _KINDS.items()}
    found = [[name, kinds[type(value)], str(value)] for name, value in values.items() if value is not UNSET]
    if sum(len(name) + len(text) for name, _, text in found) > LONGEST:
        raise AwkProblem(f"more than {LONGEST >> 20} MiB kept from record to record")
    return found


def load_values(data: list[list[str]]) -> dict[str, Value]:
    """The values that `save_values` described."""
    return {name: _KINDS[kind](text) for name, kind, text in data}
