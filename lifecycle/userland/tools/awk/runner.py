"""Runs the rules and statements of an awk program, record after record."""

from __future__ import annotations

from typing import Protocol

from .evaluator import Evaluator, Outside
from .library import format_values
from .nodes import (
    AwkProblem,
    Block,
    Delete,
    Evaluate,
    Expression,
    ForIn,
    If,
    Leave,
    Loop,
    Print,
    Program,
    Rule,
    Statement,
)
from .state import State
from .values import UNSET, Value, is_true, to_number, to_text


class Output(Outside, Protocol):
    """What a program may ask of the container, and where it writes."""

    def print(self, text: str) -> None: ...
    def print_to(self, file: str, text: str, is_append: bool) -> None: ...


class _Left(Exception):
    """`next`, `exit`, `return`, `break` or `continue` on its way out."""

    def __init__(self, kind: str, value: Value = UNSET) -> None:
        super().__init__(kind)
        self.kind = kind
        self.value = value


class Runner(Evaluator):
    """One program at work."""

    def __init__(self, program: Program, state: State, output: Output) -> None:
        super().__init__(program, state, output)
        self.output = output

    @property
    def has_exited(self) -> bool:
        return self.state.status is not None

    def begin(self) -> None:
        self._run_blocks(self.program.begin)

    def end(self) -> None:
        """END is run after `exit` too; an `exit` in it is the last word."""
        self._run_blocks(self.program.end)

    def _run_blocks(self, blocks: tuple[Block, ...]) -> None:
        try:
            for block in blocks:
                self.run(block)
        except _Left as left:
            self._leave(left)

    def record(self, text: str) -> bool:
        """Runs the rules for one record; True when the program has exited."""
        self.steps = 0
        self.state.next_record(text)
        try:
            for place, rule in enumerate(self.program.rules):
                if self._applies(rule, place):
                    if rule.body is None:
                        self.output.print(self.state.record + self.state.text("ORS"))
                    else:
                        self.run(rule.body)
        except _Left as left:
            self._leave(left)
        return self.has_exited

    def _leave(self, left: _Left) -> None:
        if left.kind == "exit":
            has_status = left.value is not UNSET
            self.state.status = int(to_number(left.value)) & 255 if has_status else self.state.status or 0
        elif left.kind != "next":
            raise AwkProblem(f"{left.kind} where there is nothing to leave")

    def _applies(self, rule: Rule, place: int) -> bool:
        if rule.first is None:
            return True
        if rule.last is None:
            return is_true(self.value(rule.first))
        is_inside = place in self.state.inside
        if not is_inside and not is_true(self.value(rule.first)):
            return False
        is_last = is_true(self.value(rule.last))
        if is_last and is_inside:
            self.state.inside.remove(place)
        elif not is_last and not is_inside:
            self.state.inside.append(place)
        return True

    # Statements.

    def run(self, node: Statement) -> None:
        self.charge()
        match node:
            case Block(statements):
                for one in statements:
                    self.run(one)
            case Evaluate(expression):
                self.value(expression)
            case Print():
                self._print(node)
            case If(test, then, otherwise):
                if is_true(self.value(test)):
                    self.run(then)
                elif otherwise is not None:
                    self.run(otherwise)
            case Loop():
                self._loop(node)
            case ForIn(variable, name, body):
                for index in list(self.array(name)):
                    self.put(variable, index)
                    if self._turn(body):
                        break
            case Delete(name, indexes):
                if indexes is None:
                    self.array(name).clear()
                else:
                    self.array(name).pop(self.subscript(indexes), None)
            case Leave(kind, value):
                raise _Left(kind, UNSET if value is None else self.value(value))

    def _loop(self, node: Loop) -> None:
        if node.first is not None:
            self.run(node.first)
        is_first = node.is_late
        while is_first or node.test is None or is_true(self.value(node.test)):
            is_first = False
            if self._turn(node.body):
                return
            if node.after is not None:
                self.run(node.after)

    def _turn(self, body: Statement) -> bool:
        """Runs a loop's body once; True when the loop is left."""
        try:
            self.run(body)
        except _Left as left:
            if left.kind == "break":
                return True
            if left.kind != "continue":
                raise
        return False

    def _print(self, node: Print) -> None:
        values = [self.value(one) for one in node.arguments]
        if node.has_format:
            text = format_values(self.to_text(values[0]), values[1:], self.state.text("CONVFMT"))
        elif values:
            form = self.state.text("OFMT")
            text = self.state.text("OFS").join(to_text(value, form) for value in values)
            text += self.state.text("ORS")
        else:
            text = self.state.record + self.state.text("ORS")
        self.charge(len(text))
        if node.into is None:
            self.output.print(text)
        else:
            self._print_to(node.into, text, node.is_append)

    def _print_to(self, into: Expression, text: str, is_append: bool) -> None:
        file = self.text(into)
        # The first print makes the file anew, those after it go on.
        is_known = self.state.files.get(file) == -1
        self.state.files[file] = -1
        self.output.print_to(file, text, is_append or is_known)

    def run_function(self, body: object) -> Value:
        assert isinstance(body, Block), body
        try:
            self.run(body)
        except _Left as left:
            if left.kind != "return":
                raise
            return left.value
        return UNSET
