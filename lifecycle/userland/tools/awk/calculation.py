"""Awk's arithmetic."""

from __future__ import annotations

import math

from .nodes import AwkProblem


def calculate(operator: str, left: float, right: float) -> float:
    """A sum, product or the like. Raises AwkProblem for a division by zero."""
    try:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/" if right:
                return left / right
            case "%" if right:
                return math.fmod(left, right)
            case "^":
                return float(left**right)
    except (OverflowError, TypeError, ZeroDivisionError, ValueError):
        return math.inf
    raise AwkProblem("a division by zero")


OF_NUMBERS = frozenset("int sqrt exp log sin cos atan2".split())


def of_number(name: str, given: list[float]) -> float:
    """One of the functions of numbers."""
    try:
        if name == "int":
            return float(math.trunc(given[0]))
        if name == "atan2":
            return math.atan2(given[0], given[1])
        return float(getattr(math, name)(given[0]))
    except (ValueError, OverflowError):
        return math.nan if name in ("sqrt", "log") else math.inf
