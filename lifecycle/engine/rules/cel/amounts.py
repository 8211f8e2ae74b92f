"""Quantities and semantic versions (pkg/cel/library/quantity.go, semverlib.go)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from lifecycle.late_patterns import late_pattern

from ...objects.quantity import parse_quantity
from . import values

QUANTITY, SEMVER = "kubernetes.Quantity", "kubernetes.Semver"
_QUANTITY_FORM = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_MOST_INT = 1 << 63
_EXACT, _LONGEST = late_pattern(r"-?[0-9]+(?:/[0-9]+)?"), 400
_NUMBER = r"(?:0|[1-9][0-9]{0,19})"
_MARK = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = late_pattern(
    rf"(?P<numbers>{_NUMBER}\.{_NUMBER}\.{_NUMBER})(?:-(?P<marks>{_MARK}(?:\.{_MARK})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


# --- quantities -------------------------------------------------------------------------------------------


def quantity(text: str) -> dict[str, str]:
    """A quantity. Raises ValueError for what is none."""
    if text != text.strip():
        raise ValueError("quantities must match the regular expression " + _QUANTITY_FORM)
    return values.make(QUANTITY, str(parse_quantity(text)))


def is_quantity(text: str) -> bool:
    """Whether a text is a quantity."""
    return _is(quantity, text)


def sign(value: Any) -> int:
    """1, 0 or -1."""
    amount = _amount(value)
    return (amount > 0) - (amount < 0)


def is_integer(value: Any) -> bool:
    """Whether a quantity is a whole number that an int64 holds."""
    amount = _amount(value)
    return amount.denominator == 1 and -_MOST_INT <= amount < _MOST_INT


def as_integer(value: Any) -> int:
    """A whole quantity as a number. Raises ValueError for any other."""
    if not is_integer(value):
        raise ValueError("cannot convert value to integer")
    return int(_amount(value))


def as_float(value: Any) -> float:
    """A quantity as a number, near enough."""
    return float(_amount(value))


def add(value: Any, other: Any) -> dict[str, str]:
    """A quantity and another, or a whole number, together."""
    return values.make(QUANTITY, str(_amount(value) + _amount(other)))


def subtract(value: Any, other: Any) -> dict[str, str]:
    """A quantity without another, or without a whole number."""
    return values.make(QUANTITY, str(_amount(value) - _amount(other)))


def _amount(value: Any) -> Fraction:
    if isinstance(value, int):
        return Fraction(value)
    # A map of somebody's own may be named like the type, and say a number that takes for ever to write.
    text = values.read(value, QUANTITY)
    if len(text) > _LONGEST or not _EXACT.fullmatch(text):
        raise ValueError("no such overload")
    return Fraction(text)


# --- versions ---------------------------------------------------------------------------------------------


def semver(text: str, is_normalized: bool = False) -> dict[str, str]:
    """A version. Raises ValueError for what is none. `is_normalized`: `v1.02` stands for 1.2.0."""
    match = _VERSION.fullmatch(_normalize(text) if is_normalized else text)
    if match is None:
        raise ValueError("it is no semantic version; use MAJOR.MINOR.PATCH")
    return values.make(SEMVER, match["numbers"] + (f"-{match['marks']}" if match["marks"] else ""))


def is_semver(text: str, is_normalized: bool = False) -> bool:
    """Whether a text is a version."""
    return _is(lambda one: semver(one, is_normalized), text)


def part(value: Any, index: int) -> int:
    """The major (0), minor (1) or patch (2) number."""
    return int(values.read(value, SEMVER).partition("-")[0].split(".")[index])


def _normalize(text: str) -> str:
    """Without a leading `v` and leading zeros, with the numbers that are not there (normalizeAndParse)."""
    parts = [_without_zeros(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3 and any(mark in parts[-1] for mark in "+-"):
        return ""
    return ".".join(parts + ["0"] * (3 - len(parts)))


def _without_zeros(part: str) -> str:
    short = part.lstrip("0")
    return short if short[:1].isdecimal() or not part.startswith("0") else f"0{short}"


def _rank(value: Any) -> tuple[Any, ...]:
    """What versions are ordered by: one that is marked comes before the same unmarked."""
    numbers, _, marks = values.read(value, SEMVER).partition("-")
    ranks = tuple((0, int(one), "") if one.isdecimal() else (1, 0, one) for one in marks.split(".") if one)
    return (*map(int, numbers.split(".")), not marks, ranks)


# --- both -------------------------------------------------------------------------------------------------


def compare(value: Any, other: Any) -> int:
    """1, 0 or -1, of two quantities or of two versions."""
    is_version = isinstance(value, Mapping) and SEMVER in value
    left: Any = _rank(value) if is_version else _amount(value)
    right: Any = _rank(other) if is_version else _amount(other)
    return int(left > right) - int(left < right)


def is_less(value: Any, other: Any) -> bool:
    """Whether the first is below the second."""
    return compare(value, other) < 0


def is_greater(value: Any, other: Any) -> bool:
    """Whether the first is above the second."""
    return compare(value, other) > 0


def _is(read: Any, text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True
