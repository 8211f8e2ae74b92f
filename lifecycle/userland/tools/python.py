"""A very small part of Python, for one-liners in manifests: prints, sleeps, exits, environment, arithmetic.

The program's syntax tree is walked; nothing of it is ever executed by Python itself. What is not known raises
PythonProblem, and the program counts as one of which nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from .quantities import LONGEST_MS

_MOST_BITS = 4_096
_LONGEST = 1 << 20
_MODULES = frozenset(("os", "sys", "time"))


class PythonProblem(Exception):
    """A construct outside of the small part that is understood."""


class _Exit(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


Lines = list[tuple[int, str]]


def run_python(
    text: str, environment: Mapping[str, str], arguments: list[str]
) -> tuple[Lines, tuple[int, int]]:
    """What the program prints (ms after its start, text), when it ends (ms), and its status."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        raise PythonProblem("its syntax") from None
    program = _Program(environment, arguments)
    try:
        program.block(tree.body)
    except _Exit as end:
        return program.lines, (program.now_ms, end.status)
    except TypeError as error:
        return [*program.lines, (program.now_ms, f"TypeError: {error}\n")], (program.now_ms, 1)
    return program.lines, (program.now_ms, 0)


class _Program:
    def __init__(self, environment: Mapping[str, str], arguments: list[str]) -> None:
        self.environment = environment
        self.names: dict[str, Any] = {}
        self.arguments = arguments
        self.lines: Lines = []
        self.now_ms = 0

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import(names=names):
                if not {name.name for name in names} <= _MODULES or any(name.asname for name in names):
                    raise PythonProblem(f"import {names[0].name}")
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self.value(value)
            case ast.If(test=test, body=body, orelse=otherwise):
                self.block(body if self.value(test) else otherwise)
            case ast.Pass():
                pass
            case _:
                raise PythonProblem(type(node).__name__.lower())

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.BinOp(left=left, op=operator, right=right):
                return self.operate(_BINARY, operator, self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return self.operate(_COMPARISONS, operator, self.value(left), self.value(right))
            case ast.JoinedStr(values=values):
                return "".join(str(self.value(one)) for one in values)
            case ast.FormattedValue(value=value, format_spec=None, conversion=-1):
                return self.value(value)
            case ast.Subscript(value=container, slice=index):
                return self.item(ast.unparse(container), self.value(index))
            case ast.Call(func=function, args=arguments, keywords=keywords):
                return self.call(ast.unparse(function), arguments, keywords)
        raise PythonProblem(ast.unparse(node)[:40])

    def operate(
        self, table: dict[type, Callable[[Any, Any], Any]], operator: ast.AST, left: Any, right: Any
    ) -> Any:
        apply = table.get(type(operator))
        if apply is None:
            raise PythonProblem(type(operator).__name__)
        try:
            return _need_small(apply(left, right))
        except (TypeError, ZeroDivisionError) as error:
            self.fail(type(error).__name__, str(error))

    def item(self, container: str, index: Any) -> Any:
        if container == "os.environ":
            if index not in self.environment:
                self.fail("KeyError", repr(index))
            return self.environment[index]
        if container == "sys.argv" and isinstance(index, int):
            return (["-c", *self.arguments[2:]])[index]
        raise PythonProblem(f"{container}[…]")

    def fail(self, kind: str, text: str) -> None:
        """An exception nobody catches: a line on standard error and status 1."""
        self.lines.append((self.now_ms, f"{kind}: {text}\n"))
        raise _Exit(1)

    def call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        values = [self.value(argument) for argument in arguments]
        options = {keyword.arg: keyword.value for keyword in keywords}
        if name == "print" and set(options) <= {"flush", "end", "file"}:
            end = self.value(options["end"]) if "end" in options else "\n"
            self.lines.append((self.now_ms, " ".join(str(value) for value in values) + end))
            return None
        if options:
            raise PythonProblem(f"{name}() with keywords")
        match name, values:
            case ("time.sleep", [seconds]):
                self.now_ms += min(max(round(float(seconds) * 1000), 0), LONGEST_MS)
                return None
            case ("sys.exit" | "exit" | "quit" | "os._exit", _):
                status = values[0] if values else 0
                raise _Exit(int(status) & 255 if isinstance(status, (int, bool)) else 1)
            case ("os.environ.get" | "os.getenv", [key]):
                return self.environment.get(key)
            case ("os.environ.get" | "os.getenv", [key, default]):
                return self.environment.get(key, default)
            case ("int", [value]):
                try:
                    return int(value)
                except (TypeError, ValueError) as error:
                    self.fail("ValueError", str(error))
            case ("str", [value]):
                return str(value)
        raise PythonProblem(f"{name}()")


def _need_small(value: Any) -> Any:
    is_large = value.bit_length() > _MOST_BITS if isinstance(value, int) else False
    if is_large or (isinstance(value, str) and len(value) > _LONGEST):
        raise PythonProblem("so large a value")
    return value


def _number(value: Any) -> Any:
    if not isinstance(value, int | float):
        raise PythonProblem("so much of a text")
    return value


_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: _number(left) * _number(right),
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: _number(left) % right,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: lambda left, right: left == right,
    ast.NotEq: lambda left, right: left != right,
    ast.Lt: lambda left, right: left < right,
    ast.LtE: lambda left, right: left <= right,
    ast.Gt: lambda left, right: left > right,
    ast.GtE: lambda left, right: left >= right,
}
