"""What the expressions of awk are worth, and what they change."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from ...matching.expression import Expression as Pattern
from .calculation import OF_NUMBERS, calculate, of_number
from .library import format_values, pattern, split_into, substitute, substring
from .nodes import (
    Assign,
    AwkProblem,
    Binary,
    Call,
    Element,
    Expression,
    Field,
    Getline,
    In,
    Match,
    Number,
    Program,
    Regex,
    Step,
    String,
    Target,
    Ternary,
    Unary,
    Variable,
)
from .state import State, need_short
from .values import UNSET, Array, InputText, Unset, Value, compare, is_true, to_number, to_text

_MOST_STEPS = 200_000
_MOST_STEPS_TOGETHER = 2_000_000
_DEEPEST_CALL = 40
_MOST_ELEMENTS = 100_000
_SIGNS_OF_A_STEP = 64


class Outside(Protocol):
    """What a program may ask of the container around it."""

    def draw(self, number: int) -> float: ...
    def unix_seconds(self) -> int: ...
    def format_time(self, form: str, seconds: int) -> str: ...
    def line_of(self, file: str, number: int) -> str | None: ...


class Evaluator(ABC):
    """The expressions of one program over its state. `frames` are the calls under way, innermost last."""

    def __init__(self, program: Program, state: State, outside: Outside) -> None:
        self.program = program
        self.state = state
        self.outside = outside
        self.frames: list[dict[str, Value | Array]] = []
        self.steps = 0
        self.steps_together = 0

    def charge(self, signs: int = 0) -> None:
        """Counts a step, and more for work on a long text. A program that goes on and on is refused."""
        steps = 1 + signs // _SIGNS_OF_A_STEP
        self.steps += steps
        self.steps_together += steps
        if self.steps > _MOST_STEPS:
            raise AwkProblem(f"a program that takes more than {_MOST_STEPS} steps")
        if self.steps_together > _MOST_STEPS_TOGETHER:
            raise AwkProblem(f"a program that takes more than {_MOST_STEPS_TOGETHER} steps for one input")

    def value(self, node: Expression) -> Value:
        self.charge()
        match node:
            case Number(value):
                return value
            case String(text):
                return text
            case Variable(name):
                return self.get(name)
            case Field(index):
                return self.state.get_field(self.place(index))
            case Element(name, indexes):
                return self.array(name).setdefault(self.subscript(indexes), UNSET)
            case Regex(text):
                return float(self.is_in(pattern(text), self.state.record))
            case Binary():
                return self.binary(node)
            case Assign():
                return self.assign(node)
            case Call():
                return self.call_own(node) if node.is_own else self.call(node)
        return self.other(node)

    def other(self, node: Expression) -> Value:
        match node:
            case Unary(operator, operand):
                value = self.value(operand)
                if operator == "!":
                    return float(not is_true(value))
                return to_number(value) if operator == "+" else -to_number(value)
            case Match(is_negated, text, expression):
                subject = self.text(text)
                is_found = self.is_in(pattern(self.expression_text(expression)), subject)
                return float(is_found != is_negated)
            case Ternary(test, yes, no):
                return self.value(yes if is_true(self.value(test)) else no)
            case In(indexes, name):
                return float(self.subscript(indexes) in self.array(name))
            case Step(by, target, is_prefix):
                before = self.number(target)
                self.put(target, before + by)
                return before + by if is_prefix else before
            case Getline(target, file):
                return self.getline(target, self.text(file))
        raise AssertionError(node)

    def is_in(self, expression: Pattern, text: str) -> bool:
        self.charge(expression.cost(text))
        return expression.is_in(text)

    def text(self, node: Expression) -> str:
        return self.to_text(self.value(node))

    def to_text(self, value: Value) -> str:
        return to_text(value, self.state.text("CONVFMT"))

    def number(self, node: Expression) -> float:
        return to_number(self.value(node))

    def place(self, index: Expression) -> int:
        number = self.number(index)
        if math.isnan(number) or math.isinf(number):
            raise AwkProblem("a field without a number")
        return int(number)

    def expression_text(self, node: Expression) -> str:
        """A pattern: one as written, or a string that holds one."""
        return node.pattern if isinstance(node, Regex) else self.text(node)

    # Variables and arrays.

    def get(self, name: str) -> Value:
        if self.frames and name in self.frames[-1]:
            found = self.frames[-1][name]
            if isinstance(found, dict):
                raise AwkProblem(f"the array {name} used as a value")
            return found
        return self.state.variables.get(name, UNSET)

    def array(self, name: str) -> Array:
        if self.frames and name in self.frames[-1]:
            found = self.frames[-1][name]
            if isinstance(found, Unset):
                found = self.frames[-1][name] = {}
            if not isinstance(found, dict):
                raise AwkProblem(f"the value {name} used as an array")
            return found
        array = self.state.arrays.setdefault(name, {})
        if len(array) > _MOST_ELEMENTS:
            raise AwkProblem(f"more than {_MOST_ELEMENTS} elements in {name}")
        return array

    def subscript(self, indexes: tuple[Expression, ...]) -> str:
        return self.state.text("SUBSEP").join(self.text(index) for index in indexes)

    def put(self, target: Target, value: Value) -> None:
        match target:
            case Variable(name):
                if self.frames and name in self.frames[-1]:
                    self.frames[-1][name] = value
                elif name in self.program.arrays:
                    raise AwkProblem(f"the array {name} used as a value")
                else:
                    self.state.set_variable(name, value)
            case Element(name, indexes):
                self.state.put_element(self.array(name), self.subscript(indexes), value)
            case Field(index):
                self.state.set_field(self.place(index), value)

    def assign(self, node: Assign) -> Value:
        value = self.value(node.value)
        if node.operator:
            value = calculate(node.operator, self.number(node.target), to_number(value))
        self.put(node.target, value)
        return value

    # Operators.

    def binary(self, node: Binary) -> Value:
        operator = node.operator
        if operator == "&&":
            return float(is_true(self.value(node.left)) and is_true(self.value(node.right)))
        if operator == "||":
            return float(is_true(self.value(node.left)) or is_true(self.value(node.right)))
        left, right = self.value(node.left), self.value(node.right)
        if operator == " ":
            text = self.to_text(left) + self.to_text(right)
            need_short(len(text))
            self.charge(len(text))
            return text
        if operator in _COMPARISONS:
            return float(_COMPARISONS[operator](compare(left, right, self.state.text("CONVFMT"))))
        return calculate(operator, to_number(left), to_number(right))

    # Functions.

    def call(self, node: Call) -> Value:
        given = node.arguments
        name = node.name
        if name in ("sub", "gsub"):
            return self.substitute(given, name == "gsub")
        if name == "split":
            return self.split(given)
        if name == "match":
            return self.match(given)
        if name == "length":
            return self.length(given)
        values = [self.value(one) for one in given]
        self.charge(sum(len(value) for value in values if isinstance(value, str)))
        if name in OF_NUMBERS:
            return of_number(name, [to_number(value) for value in values] or [0.0])
        function = _FUNCTIONS.get(name)
        if function is None:
            raise AwkProblem(f"{name}()")
        return function(self, values)

    def length(self, given: tuple[Expression, ...]) -> float:
        if not given:
            return float(len(self.state.record))
        if isinstance(given[0], Variable):
            name = given[0].name
            local = self.frames[-1].get(name) if self.frames else None
            if isinstance(local, dict) or (local is None and name in self.program.arrays):
                return float(len(self.array(name)))
        return float(len(self.text(given[0])))

    def substitute(self, given: tuple[Expression, ...], is_global: bool) -> float:
        target: Expression = given[2] if len(given) > 2 else Field(Number(0.0))
        expression, replacement = self.expression_text(given[0]), self.text(given[1])
        before = self.text(target)
        self.charge(pattern(expression).cost(before))
        text, count = substitute(expression, replacement, before, is_global)
        if count and isinstance(target, Variable | Element | Field):
            self.put(target, text)
        return float(count)

    def split(self, given: tuple[Expression, ...]) -> float:
        if len(given) < 2 or not isinstance(given[1], Variable):
            raise AwkProblem("split() without an array")
        separator = self.expression_text(given[2]) if len(given) > 2 else self.state.text("FS")
        text = self.text(given[0])
        self.charge(16 * len(text))
        return split_into(self.array(given[1].name), text, separator)

    def match(self, given: tuple[Expression, ...]) -> float:
        if len(given) != 2:
            raise AwkProblem("match() with an array")
        text = self.text(given[0])
        expression = pattern(self.expression_text(given[1]))
        self.charge(expression.cost(text))
        found = expression.search(text)
        start = float(found.start() + 1) if found is not None else 0.0
        self.state.variables["RSTART"] = start
        self.state.variables["RLENGTH"] = float(len(found[0])) if found is not None else -1.0
        return start

    def getline(self, target: Target | None, file: str) -> float:
        number = self.state.files.get(file, 0)
        line = self.outside.line_of(file, number)
        if line is None:
            return 0.0 if number or self.outside.line_of(file, 0) is not None else -1.0
        self.state.files[file] = number + 1
        if target is None:
            self.state.set_record(line)
        else:
            self.put(target, InputText(line))
        return 1.0

    def call_own(self, node: Call) -> Value:
        function = self.program.functions[node.name]
        if len(self.frames) >= _DEEPEST_CALL:
            raise AwkProblem(f"calls of {node.name} deeper than {_DEEPEST_CALL}")
        if len(node.arguments) > len(function.parameters):
            raise AwkProblem(f"{node.name} with {len(node.arguments)} arguments")
        given = [self.argument(one) for one in node.arguments]
        frame: dict[str, Value | Array] = dict.fromkeys(function.parameters, UNSET)
        frame.update(zip(function.parameters, given, strict=False))
        self.frames.append(frame)
        try:
            return self.run_function(function.body)
        finally:
            self.frames.pop()

    def argument(self, node: Expression) -> Value | Array:
        """Arrays are handed over themselves, values are copied."""
        if isinstance(node, Variable):
            local = self.frames[-1].get(node.name) if self.frames else None
            if isinstance(local, dict):
                return local
            if local is None and node.name in self.program.arrays:
                return self.array(node.name)
        return self.value(node)

    @abstractmethod
    def run_function(self, body: object) -> Value:
        """What the function returns; the statements are run by whoever knows them."""


_COMPARISONS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


def _substr(evaluator: Evaluator, values: list[Value]) -> Value:
    length = to_number(values[2]) if len(values) > 2 else None
    return substring(evaluator.to_text(values[0]), to_number(values[1]), length)


def _index(evaluator: Evaluator, values: list[Value]) -> Value:
    return float(evaluator.to_text(values[0]).find(evaluator.to_text(values[1])) + 1)


def _sprintf(evaluator: Evaluator, values: list[Value]) -> Value:
    form = evaluator.state.text("CONVFMT")
    return format_values(evaluator.to_text(values[0]), values[1:], form)


def _rand(evaluator: Evaluator, values: list[Value]) -> Value:
    count = int(to_number(evaluator.state.variables.get(" draws", UNSET))) + 1
    evaluator.state.variables[" draws"] = float(count)
    return evaluator.outside.draw(count)


def _strftime(evaluator: Evaluator, values: list[Value]) -> Value:
    form = evaluator.to_text(values[0]) if values else "%a %b %e %H:%M:%S %Z %Y"
    seconds = int(to_number(values[1])) if len(values) > 1 else evaluator.outside.unix_seconds()
    return evaluator.outside.format_time(form, seconds)


_FUNCTIONS: dict[str, Callable[[Evaluator, list[Value]], Value]] = {
    "substr": _substr,
    "index": _index,
    "sprintf": _sprintf,
    "tolower": lambda evaluator, values: evaluator.to_text(values[0]).lower(),
    "toupper": lambda evaluator, values: evaluator.to_text(values[0]).upper(),
    "rand": _rand,
    "srand": lambda evaluator, values: 0.0,
    "close": lambda evaluator, values: 0.0,
    "fflush": lambda evaluator, values: 0.0,
    "systime": lambda evaluator, values: float(evaluator.outside.unix_seconds()),
    "strftime": _strftime,
}
