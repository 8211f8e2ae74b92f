"""`test` and `expr`: conditions and sums over words."""

from __future__ import annotations

import re

from ..matching.expression import compile_expression
from ..matching.translation import BASIC
from ..shell.builtins.conditions import ORDERS, ConditionProblem, evaluate_test
from .call import Call, Outcome
from .registry import tool


@tool("test", "[")
def test(call: Call) -> Outcome:
    """`test` and `[` as programs."""
    words = call.arguments
    if call.name == "[":
        if words[-1:] != ["]"]:
            return call.fail("missing ]", 2)
        words = words[:-1]
    try:
        return int(not evaluate_test(words, call.machine, call.task))
    except ConditionProblem as problem:
        return call.fail(str(problem), 2)


_UNKNOWN = {"length", "substr", "index", "|", "&"}


@tool("expr")
def expr(call: Call) -> Outcome:
    """Arithmetic, comparison, and `text : pattern` over separate words."""
    words = call.arguments
    if unknown := _UNKNOWN & {*words}:
        return call.cannot(f"with {min(unknown)}")
    try:
        value = _Expression(words).value()
    except (ValueError, IndexError, ZeroDivisionError):
        return call.fail("syntax error", 2)
    call.out(value + "\n")
    return int(value in ("", "0"))


class _Expression:
    _LEVELS = (("=", "==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"), (":",))

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0

    def value(self) -> str:
        value = self.level(0)
        if self.at != len(self.words):
            raise ValueError(self.words)
        return value

    def level(self, number: int) -> str:
        if number == len(self._LEVELS):
            return self.primary()
        left = self.level(number + 1)
        while self.at < len(self.words) and self.words[self.at] in self._LEVELS[number]:
            operator = self.words[self.at]
            self.at += 1
            left = self.apply(operator, left, self.level(number + 1))
        return left

    def primary(self) -> str:
        word = self.words[self.at]
        self.at += 1
        if word == "(":
            value = self.level(0)
            self.at += 1
            return value
        return word

    def apply(self, operator: str, left: str, right: str) -> str:
        if operator == ":":
            return _match(right, left)
        if operator in ("+", "-", "*", "/", "%"):
            first, second = int(left), int(right)
            if operator in "/%":
                quotient = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
                return str(quotient if operator == "/" else first - second * quotient)
            return str(
                first + second if operator == "+" else first - second if operator == "-" else first * second
            )
        are_numbers = all(re.fullmatch(r"-?\d+", text) for text in (left, right))
        read: type[int] | type[str] = int if are_numbers else str
        return str(int(ORDERS[operator](read(left), read(right))))


def _match(pattern: str, text: str) -> str:
    """`text : pattern`, from the text's beginning on: the first group's text, or how long the match is."""
    expression = compile_expression(pattern, BASIC)
    found = expression.match(text)
    if expression.groups:
        return found[1] if found is not None else ""
    return str(found.end() if found is not None else 0)
