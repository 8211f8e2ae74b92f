"""The rules and statements of awk, as functions of the program at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from .expressions import Expression, Variable
from .run import Run
from .texts import format_values
from .values import InputText, Value, is_true, to_number, to_text

Statement: TypeAlias = Callable[[Run], None]


class Left(Exception):
    """`next` or `exit` on its way out."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done with the records that match."""

    pattern: Expression
    body: Statement


@dataclass(slots=True)
class Program:
    """A whole program."""

    begin: list[Statement] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    end: list[Statement] = field(default_factory=list)


def constant(value: Value) -> Expression:
    """An expression of one value."""
    return lambda run: value


def in_turn(statements: list[Statement]) -> Statement:
    """Statements one after the other."""

    def run_all(run: Run) -> None:
        run.charge()
        for statement in statements:
            statement(run)

    return run_all


def print_out(run: Run, nodes: tuple[Expression, ...], has_format: bool) -> None:
    """`print` and `printf`."""
    values = [node(run) for node in nodes]
    if has_format:
        text = format_values(to_text(values[0]), values[1:])
    else:
        text = run.text("OFS").join(map(to_text, values)) if values else run.record
        text += run.text("ORS")
    run.charge(len(text))
    run.write(text)


def leave_program(run: Run, status: Expression | None) -> None:
    """`exit`: raises Left, with the status kept."""
    run.status = (run.status or 0 if status is None else int(to_number(status(run)))) & 255
    raise Left


def leave_record(run: Run) -> None:
    """`next`: raises Left."""
    raise Left


def loop(first: Statement, test: Expression, after: Statement, body: Statement) -> Statement:
    """`for (first; test; after)`."""

    def run_loop(run: Run) -> None:
        first(run)
        while is_true(test(run)):
            run.charge()
            body(run)
            after(run)

    return run_loop


def for_each(variable: Variable, name: str, body: Statement) -> Statement:
    """`for (variable in name)`."""

    def run_loop(run: Run) -> None:
        for index in list(run.array(name)):
            variable.put(run, InputText(index))
            body(run)

    return run_loop


def drop(value: Value) -> None:
    """An expression that stands for itself is there only for what it does."""


NOTHING = in_turn([])
