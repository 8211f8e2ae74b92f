"""An awk program at work. What it knows between two records can be saved."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .parser import Node
from .texts import compile_pattern, format_values, split_fields, substitute
from .values import (
    LONGEST,
    UNSET,
    AwkProblem,
    InputText,
    Value,
    compare,
    is_true,
    load_values,
    save_values,
    to_number,
    to_text,
)

_MOST_STEPS = 1_000_000
_SIGNS_OF_A_STEP = 64
_MOST_FIELDS = 10_000
_RECORD: Node = ("field", ("constant", 0.0))
_ORDERS = {"<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1), ">": (1,), ">=": (0, 1)}
_CALCULATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": math.fmod,
}  # fmt: skip


class Left(Exception):
    """`next` or `exit` on its way out."""


def _defaults() -> dict[str, Value]:
    return {"FS": " ", "OFS": " ", "ORS": "\n", "NR": 0.0, "FNR": 0.0, "NF": 0.0, "FILENAME": ""}


@dataclass(slots=True)
class Run:
    """One program at work."""

    write: Callable[[str], object]
    variables: dict[str, Value] = field(default_factory=_defaults)
    arrays: dict[str, dict[str, Value]] = field(default_factory=dict)
    record: str = ""
    fields: list[Value] = field(default_factory=list)
    status: int | None = None
    """The exit status, once `exit` was called."""
    steps: int = 0

    # Statements.

    def do(self, statements: list[Node]) -> None:
        """Run statements one after the other. Raises Left, and AwkProblem."""
        for statement in statements:
            match statement:
                case ("print", has_format, given):
                    self.print_out([self.value(node) for node in given], has_format)
                case ("if", test, then, otherwise):
                    self.do(then if self.is_true(test) else otherwise)
                case ("for", variable, ("name", name), body):
                    for index in list(self.array(name)):
                        self.put(variable, InputText(index))
                        self.do(body)
                case ("next",):
                    raise Left
                case ("exit", node):
                    status = (self.status or 0) if node is None else int(to_number(self.value(node)))
                    self.status = status & 255
                    raise Left
                case _:
                    self.value(statement)

    def print_out(self, values: list[Value], has_format: bool) -> None:
        """`print` and `printf`."""
        if has_format:
            text = format_values(to_text(values[0]), values[1:])
        else:
            line = self.text(("name", "OFS")).join(map(to_text, values)) if values else self.record
            text = line + self.text(("name", "ORS"))
        self.charge(text)
        self.write(text)

    # Expressions.

    def charge(self, value: Value) -> None:
        """Count a step, more for a long text. Raises AwkProblem for a program that goes on and on."""
        signs = len(value) if isinstance(value, str) else 0
        self.steps += 1 + signs // _SIGNS_OF_A_STEP
        if self.steps > _MOST_STEPS:
            raise AwkProblem(f"a program that takes more than {_MOST_STEPS} steps")
        if signs > LONGEST:
            raise AwkProblem(f"a value of more than {LONGEST >> 20} MiB")

    def value(self, node: Node) -> Value:
        """What an expression is worth. Raises AwkProblem."""
        value = self._value(node)
        self.charge(value)
        return value

    def text(self, node: Node) -> str:
        """What it is worth, as a string."""
        return to_text(self.value(node))

    def is_true(self, node: Node) -> bool:
        """Whether a condition holds."""
        return is_true(self.value(node))

    def _value(self, node: Node) -> Value:
        match node:
            case ("constant", value):
                return value  # type: ignore[no-any-return]
            case ("regex", pattern):
                return self.matches(pattern, self.record)
            case ("name" | "element" | "field", *_):
                return self.get(node)
            case ("set", target, given):
                return self.put(target, self.value(given))
            case ("step", target, sign, is_prefix):
                before = to_number(self.value(target))
                after = self.put(target, before + (1 if sign == "++" else -1))
                return after if is_prefix else before
            case ("call", name, given):
                return self.call(name, given)
            case ("?", test, yes, no):
                return self.value(yes if self.is_true(test) else no)
            case ("unary !", operand):
                return float(not self.is_true(operand))
            case ("unary -" | "unary +", operand):
                return to_number(self.value(operand)) * (-1 if node[0] == "unary -" else 1)
            case ("several", _):
                raise AwkProblem("several indexes")
        return self.calculate(*node)

    def calculate(self, sign: str, left: Node, right: Node) -> Value:
        """Two operands and what stands between them, a blank where they are joined."""
        match sign:
            case "&&":
                return float(self.is_true(left) and self.is_true(right))
            case "||":
                return float(self.is_true(left) or self.is_true(right))
            case "in":
                return float(self.text(left) in self.array(right[1]))
            case " ":
                return self.text(left) + self.text(right)
            case "~" | "!~":
                return float(self.matches(self.pattern(right), self.text(left)) == (sign == "~"))
        if sign in _ORDERS:
            return float(compare(self.value(left), self.value(right)) in _ORDERS[sign])
        first, second = to_number(self.value(left)), to_number(self.value(right))
        if sign in "/%" and not second:
            raise AwkProblem("a division by zero")
        try:
            return _CALCULATIONS[sign](first, second)
        except ValueError:
            return math.inf

    def pattern(self, node: Node) -> str:
        """A pattern: one as written, or a string that holds one."""
        return str(node[1]) if node[0] == "regex" else self.text(node)

    def matches(self, pattern: str, text: str) -> float:
        """1 where a pattern is in a text, else 0."""
        compiled = compile_pattern(pattern)
        self.steps += compiled.cost(text) // _SIGNS_OF_A_STEP
        return float(compiled.is_in(text))

    def call(self, name: str, given: tuple[Node, ...]) -> Value:
        """A function of the language."""
        if name in ("sub", "gsub"):
            return self.replace(name == "gsub", *given)
        if name == "length" and given and given[0][0] == "name" and given[0][1] in self.arrays:
            return float(len(self.arrays[given[0][1]]))
        text = self.text(given[0]) if given else self.record
        match name:
            case "length":
                return float(len(text))
            case "index":
                return float(text.find(self.text(given[1])) + 1)
            case "split":
                pieces = split_fields(text, self.pattern(given[2] if given[2:] else ("name", "FS")))
                array = self.array(given[1][1])
                array.clear()
                array.update((str(place), InputText(piece)) for place, piece in enumerate(pieces, 1))
                return float(len(pieces))
            case "substr":
                # Both numbers are rounded, and places before the first sign do not count.
                start = _whole(self.value(given[1]))
                end = start + _whole(self.value(given[2])) if given[2:] else len(text) + 1
                return text[max(start, 1) - 1 : max(end, 1) - 1]
        return text.lower() if name == "tolower" else text.upper()

    def replace(self, is_global: bool, pattern: Node, new: Node, target: Node = _RECORD) -> Value:
        """`sub` and `gsub`."""
        text, compiled = self.text(target), compile_pattern(self.pattern(pattern))
        self.steps += compiled.cost(text) // _SIGNS_OF_A_STEP
        changed, count = substitute(compiled, self.text(new), text, is_global)
        if count:
            self.charge(changed)
            self.put(target, changed)
        return float(count)

    # Variables, arrays and fields.

    def get(self, target: Node) -> Value:
        """The value of a variable, an element or a field."""
        match target:
            case ("name", name):
                return self.variables.get(name, UNSET)
            case ("element", name, index):
                return self.array(name).setdefault(self.text(index), UNSET)
        place = self.place(target[1])
        if place == 0:
            return InputText(self.record)
        return self.fields[place - 1] if place <= len(self.fields) else UNSET

    def put(self, target: Node, value: Value) -> Value:
        """Set one; gives the value. Raises AwkProblem for what cannot be set."""
        match target:
            case ("name", name):
                self.set_variable(name, value)
            case ("element", name, index):
                self.array(name)[self.text(index)] = value
            case ("field", index):
                self.set_field(self.place(index), value)
            case _:
                raise AwkProblem("a value put into what is no variable")
        return value

    def place(self, index: Node) -> int:
        """The number of a field. Raises AwkProblem for one too far away."""
        number = to_number(self.value(index))
        if not 0 <= number <= _MOST_FIELDS:
            raise AwkProblem(f"the field ${to_text(number)}")
        return int(number)

    def array(self, name: str) -> dict[str, Value]:
        """The array of a name. Raises AwkProblem where that is a variable."""
        if name in self.variables:
            raise AwkProblem(f"the variable {name} used as an array")
        return self.arrays.setdefault(name, {})

    def set_variable(self, name: str, value: Value) -> None:
        """Set a variable; NF puts the record together anew. Raises AwkProblem for an array's name."""
        if name in self.arrays:
            raise AwkProblem(f"the array {name} used as a variable")
        self.variables[name] = value
        if name == "NF":
            count = self.place(("name", "NF"))
            self.fields = [*self.fields[:count], *([""] * (count - len(self.fields)))]
            self.record = self.text(("name", "OFS")).join(map(to_text, self.fields))
            self.charge(self.record)

    def set_field(self, place: int, value: Value) -> None:
        """Change a field; the record is put together anew."""
        if place == 0:
            self.set_record(to_text(value))
            return
        self.fields += [""] * (place - len(self.fields))
        self.fields[place - 1] = value
        self.set_variable("NF", float(len(self.fields)))

    def set_record(self, record: str) -> None:
        """Make a text the record, split into fields."""
        self.record = record
        self.fields = [InputText(piece) for piece in split_fields(record, self.text(("name", "FS")))]
        self.variables["NF"] = float(len(self.fields))

    def next_record(self, record: str) -> None:
        """Count a record and split it."""
        for name in ("NR", "FNR"):
            self.variables[name] = to_number(self.variables[name]) + 1
        self.set_record(record)

    def save(self) -> dict[str, Any]:
        """What is known as JSON-able data."""
        arrays = {name: save_values(array) for name, array in self.arrays.items()}
        return {"variables": save_values(self.variables), "arrays": arrays, "record": self.record}

    def load(self, data: dict[str, Any]) -> None:
        """Go on with what `save` described."""
        self.variables = load_values(data["variables"])
        self.arrays = {name: load_values(array) for name, array in data["arrays"].items()}
        self.set_record(data["record"])


def _whole(value: Value) -> int:
    number = to_number(value)
    return round(number) if math.isfinite(number) else 0
