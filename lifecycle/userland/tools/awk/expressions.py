"""What the expressions of awk are worth: each is a function of the program at work."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .run import Run
from .texts import check_length, format_values, is_match, split_fields, substitute, substring
from .values import UNSET, AwkProblem, InputText, Value, compare, is_true, to_number, to_text

Expression: TypeAlias = Callable[[Run], Value]
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq,
    "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_CALCULATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv, "%": math.fmod, "^": operator.pow,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Regex:
    """`/…/`: matched against the record where it stands alone."""

    pattern: str

    def __call__(self, run: Run) -> Value:
        return _matches(run, self.pattern, run.record)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; in the arguments of `split` and `length` it names an array."""

    name: str

    def __call__(self, run: Run) -> Value:
        return run.variables.get(self.name, UNSET)

    def put(self, run: Run, value: Value) -> None:
        """Set it."""
        run.set_variable(self.name, value)


@dataclass(frozen=True, slots=True)
class Element:
    """`name[index]`."""

    name: str
    index: Expression

    def __call__(self, run: Run) -> Value:
        return run.array(self.name).setdefault(to_text(self.index(run)), UNSET)

    def put(self, run: Run, value: Value) -> None:
        """Set it."""
        run.set_element(self.name, to_text(self.index(run)), value)


@dataclass(frozen=True, slots=True)
class Field:
    """`$index`."""

    index: Expression

    def __call__(self, run: Run) -> Value:
        return run.get_field(_whole(self.index(run)))

    def put(self, run: Run, value: Value) -> None:
        """Set it."""
        run.set_field(_whole(self.index(run)), value)


Target: TypeAlias = Variable | Element | Field
_RECORD = Field(lambda run: 0.0)


def _whole(value: Value) -> int:
    number = to_number(value)
    if not math.isfinite(number):
        raise AwkProblem("a field without a number")
    return int(number)


def _matches(run: Run, pattern: str, text: str) -> float:
    is_found, cost = is_match(pattern, text)
    run.charge(cost)
    return float(is_found)


def _pattern(run: Run, node: Expression) -> str:
    """A pattern: one as written, or a string that holds one."""
    return node.pattern if isinstance(node, Regex) else to_text(node(run))


def unary(sign: str, operand: Expression) -> Expression:
    """`-x`, `+x`, `!x`."""
    if sign == "!":
        return lambda run: float(not is_true(operand(run)))
    return lambda run: to_number(operand(run)) * (-1 if sign == "-" else 1)


def binary(sign: str, left: Expression, right: Expression) -> Expression:
    """Arithmetic, comparison, matching, concatenation (` `), `&&` and `||`."""
    if sign == "&&":
        return lambda run: float(is_true(left(run)) and is_true(right(run)))
    if sign == "||":
        return lambda run: float(is_true(left(run)) or is_true(right(run)))
    if sign == " ":
        return lambda run: _join(run, to_text(left(run)), to_text(right(run)))
    if sign == "~":
        return lambda run: _matches(run, _pattern(run, right), to_text(left(run)))
    if sign == "!~":
        return unary("!", binary("~", left, right))
    if sign in _COMPARISONS:
        return lambda run: float(_COMPARISONS[sign](compare(left(run), right(run)), 0))
    return lambda run: _calculate(sign, to_number(left(run)), to_number(right(run)))


def _join(run: Run, left: str, right: str) -> str:
    run.charge(len(left) + len(right))
    return check_length(left + right)


def _calculate(sign: str, left: float, right: float) -> float:
    if sign in "/%" and not right:
        raise AwkProblem("a division by zero")
    try:
        return float(_CALCULATIONS[sign](left, right))
    except (OverflowError, TypeError, ZeroDivisionError, ValueError):
        return math.inf


def assign(target: Target, node: Expression) -> Expression:
    """`target = value`."""

    def assigned(run: Run) -> Value:
        value = node(run)
        target.put(run, value)
        return value

    return assigned


def step(target: Target, by: int, is_prefix: bool) -> Expression:
    """`++x`, `x--`."""

    def stepped(run: Run) -> Value:
        before = to_number(target(run))
        target.put(run, before + by)
        return before + by if is_prefix else before

    return stepped


def call(name: str, given: tuple[Expression, ...]) -> Expression:
    """A function of the language. Raises AwkProblem for too few arguments, or an array that is none."""
    if len(given) < _LEAST[name]:
        raise AwkProblem(f"{name} with {len(given)} arguments")
    if name in ("sub", "gsub"):
        return lambda run: _replace(run, name == "gsub", *given)
    if name == "split":
        array = given[1]
        if not isinstance(array, Variable):
            raise AwkProblem("split into what is no array")
        return lambda run: _split(run, given[0], array.name, given[2] if len(given) > 2 else Variable("FS"))
    if name == "length":
        return lambda run: _length(run, given[0] if given else _RECORD)
    return lambda run: _call(name, [node(run) for node in given])


_LEAST = {"length": 0, "substr": 2, "index": 2, "split": 2, "sub": 2, "gsub": 2, "sprintf": 1, "int": 1,
          "tolower": 1, "toupper": 1}  # fmt: skip


def _length(run: Run, node: Expression) -> float:
    if isinstance(node, Variable) and node.name in run.arrays:
        return float(len(run.arrays[node.name]))
    return float(len(to_text(node(run))))


def _split(run: Run, node: Expression, name: str, separator: Expression) -> float:
    text = to_text(node(run))
    run.charge(len(text))
    pieces = split_fields(text, _pattern(run, separator))
    run.array(name).clear()
    for place, piece in enumerate(pieces, 1):
        run.set_element(name, str(place), InputText(piece))
    return float(len(pieces))


def _replace(
    run: Run, is_global: bool, pattern: Expression, new: Expression, target: Expression = _RECORD
) -> float:
    text = to_text(target(run))
    changed, count, cost = substitute(_pattern(run, pattern), to_text(new(run)), text, is_global)
    run.charge(cost)
    if count and isinstance(target, Variable | Element | Field):
        target.put(run, changed)
    return float(count)


def _call(name: str, values: list[Value]) -> Value:
    """The functions of their arguments' values alone."""
    text = to_text(values[0])
    match name:
        case "substr":
            return substring(text, to_number(values[1]), to_number(values[2]) if values[2:] else math.inf)
        case "index":
            return float(text.find(to_text(values[1])) + 1)
        case "int":
            number = to_number(values[0])
            return float(math.trunc(number)) if math.isfinite(number) else number
        case "sprintf":
            return check_length(format_values(text, values[1:]))
    return text.lower() if name == "tolower" else text.upper()
