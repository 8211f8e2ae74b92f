"""Kubernetes quantities: `100m`, `0.5`, `64Mi`, `1e3`.

CPU counts in whole milli-units, everything else in whole units; both round up, as the scheduler does.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from lifecycle.late_patterns import late_pattern

from .shortened import shorten

_QUANTITY = late_pattern(r"([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,2}|n|u|m|k|M|G|T|P|E)?")
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}

_BINARY_SUFFIXES = {0: "", **{power: suffix for suffix, power in _BINARY.items()}}
_DECIMAL_SUFFIXES = {0: "", **{power: suffix for suffix, power in _DECIMAL.items()}}


@lru_cache(maxsize=4096)
def _parse(text: str) -> Fraction:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{shorten(text)} is not a quantity:"
            " use a number with an optional suffix such as 100m, 2, 64Mi or 1G"
        )
    sign, number, suffix = match.groups()
    value = Fraction(number)
    if suffix in _BINARY:
        value *= 1 << _BINARY[suffix]
    elif suffix in _DECIMAL:
        value *= Fraction(10) ** _DECIMAL[suffix]
    elif suffix:
        value *= Fraction(10) ** int(suffix[1:])
    return -value if sign == "-" else value


def parse_quantity(value: Any) -> Fraction:
    """The exact value of a quantity. Raises ValueError naming the text and the form expected."""
    if isinstance(value, bool):
        raise ValueError(f"{shorten(value)} is not a quantity")
    return _parse(str(value).strip())


def canonical(value: Any) -> str:
    """The quantity as the API server writes it: `1000` is `1k`, `0.5` is `500m`, `1024Ki` is `1Mi`.

    The suffix stays of its sort, binary or decimal or an exponent; what is below a billionth is rounded up.
    """
    return canonical_sum(parse_quantity(value), value)


def canonical_milli(value: Any) -> str:
    """The quantity as the API server writes what there is of a resource: in no less than thousandths.

    What is finer grows, away from 0.
    """
    exact = parse_quantity(value)
    thousandths = _ceiling(abs(exact) * 1000)
    return canonical_sum(Fraction(thousandths if exact > 0 else -thousandths, 1000), value)


def canonical_sum(exact: Fraction, first: Any) -> str:
    """A sum as the API server writes it: with suffixes of the sort that its first summand has."""
    match = _QUANTITY.fullmatch(str(first).strip())
    sort = (match[3] if match is not None else None) or ""
    # What is no whole number goes without a binary suffix, to lose nothing: 1.1Gi are 1181116006400m.
    if sort in _BINARY and abs(exact) >= 1024 and exact.denominator == 1:
        number, power = exact.numerator, 0
        while number % 1024 == 0 and power < 60:
            number, power = number // 1024, power + 10
        return f"{number}{_BINARY_SUFFIXES[power]}"
    number, power = _ceiling(exact * 10**9), -9
    while number and number % 1000 == 0 and power < 18:
        number, power = number // 1000, power + 3
    if not number:
        return "0"
    is_exponent = sort[:1] in ("e", "E") and len(sort) > 1
    return f"{number}{f'e{power}' if is_exponent and power else _DECIMAL_SUFFIXES[power]}"


def canonical_amounts(resources: Mapping[str, Any] | None) -> dict[str, Any]:
    """The `resources` of a container as the API server writes them: limits, requests, names sorted."""
    given = resources or {}
    return {
        group: {name: canonical(value) for name, value in sorted(given[group].items())}
        for group in ("limits", "requests")
        if given.get(group)
    }


def _ceiling(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def whole(value: Any) -> int:
    """The quantity in whole units (bytes, pods), rounded up."""
    return _ceiling(parse_quantity(value))


def cpu_milli(value: Any) -> int:
    """The quantity in thousandths of a CPU, rounded up."""
    return _ceiling(parse_quantity(value) * 1000)


def amount(resource: str, value: Any) -> int:
    """A resource amount as the scheduler counts it: CPU in milli, all else in whole units."""
    return cpu_milli(value) if resource == "cpu" else whole(value)
