"""Kubernetes quantities: `100m`, `0.5`, `64Mi`, `1e3`.

CPU counts in whole milli-units, everything else in whole units; both round up, as the scheduler does.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

_QUANTITY = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,2}|n|u|m|k|M|G|T|P|E)?")
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


@lru_cache(maxsize=4096)
def _parse(text: str) -> Fraction:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text!r} is not a quantity: use a number with an optional suffix such as 100m, 2, 64Mi or 1G"
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
        raise ValueError(f"{value!r} is not a quantity")
    return _parse(str(value).strip())


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
