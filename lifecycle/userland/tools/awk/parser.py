"""From an awk program's text to functions that carry it out on a run."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from lifecycle.lean_dataclasses import dataclass, field

from .run import Left, Run
from .values import AwkProblem, Value, compare, is_true, to_number, to_text

Step: TypeAlias = Callable[[Run], Value]
_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\r?\n|\#[^\n]*)+)
    | (?P<newline>\n)
    | "(?P<string>(?:[^"\\\n]|\\.)*)"
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<statement>(?:if|else|for|in|while|do|break|continue|nextfile|return|delete|function|func|getline)\b)
    | (?P<variable>(?:RS|RSTART|RLENGTH|CONVFMT|OFMT|SUBSEP|ARGC|ARGV)\b)
    | (?P<function>length\b|[A-Za-z_]\w*(?=\())
    | (?P<array>[A-Za-z_]\w*(?=\[))
    | (?P<sign>&&|\|\||[=<>!+*/%-]=|\+\+|--|!~|>>|[{}()\[\];,+*/%!<>|?:~$=-])
    | (?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?P<regex>(?:[^\\/\[\n]|\\.|\[\^?\]?[^\]]*\])*)/")
_WORDS = ("BEGIN", "END", "next", "exit", "print", "printf")
_SAID = {"|": "a pipe", ">": "a file to print to", ">>": "a file to print to", "?": "a choice by ?"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "\n": ""}
_ESCAPED = re.compile(r"\\(?:([0-7]{1,3})|(.))", re.DOTALL)

_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=")
_ORDERS = {"<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1), ">": (1,), ">=": (0, 1)}
_LEVELS = (("||",), ("&&",), ("~", "!~"), tuple(_ORDERS), (" ",), ("+", "-"), ("*", "/", "%"))
"""From the weakest to the strongest; a blank joins texts."""
_CALCULATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": math.fmod,
}  # fmt: skip


@dataclass(slots=True)
class Program:
    """A whole program; each of its rules has a pattern and what is done with the records that match."""

    begin: list[Step] = field(default_factory=list)
    rules: list[tuple[Step, list[Step]]] = field(default_factory=list)
    end: list[Step] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Target:
    """A variable, or a field by its number: what can be read and set."""

    name: str
    index: Step | None = None

    def __call__(self, run: Run) -> Value:
        return run.get_variable(self.name) if self.index is None else run.get_field(self.index(run))

    def put(self, run: Run, value: Value) -> Value:
        if self.index is None:
            run.set_variable(self.name, value)
        else:
            run.set_field(self.index(run), value)
        return value


@lru_cache(maxsize=512)
def parse(text: str) -> Program:
    """The program a text holds. Raises AwkProblem, naming what is not modelled."""
    return _Parser(_tokenize(text)).program()


def read_escapes(text: str) -> str:
    """Backslash sequences of a string; an unknown one keeps its backslash, for patterns made of strings."""
    return _ESCAPED.sub(
        lambda found: chr(int(found[1], 8)) if found[1] else _ESCAPES.get(found[2], found[0]), text
    )


def _tokenize(text: str) -> list[tuple[str, str]]:
    """Kinds and texts, at last one of kind `end`; where a value may end, a slash divides."""
    found = [("sign", "{")]
    at = 0
    while at < len(text):
        ends_value = found[-1][0] not in ("sign", "newline") or found[-1][1] in (")", "++", "--")
        match = (_REGEX if text[at] == "/" and not ends_value else _TOKEN).match(text, at)
        if match is None or match.lastgroup is None:
            raise AwkProblem(f"the program at {text[at : at + 20]!r}")
        kind, at = match.lastgroup, match.end()
        if kind == "name" and match[0] in _WORDS:
            kind = "sign"
        if kind == "function" and match[0] in _WORDS:
            found.append(("sign", match[0]))
        elif kind in ("statement", "variable", "function", "array"):
            raise AwkProblem(f"the {kind} {match[0]}")
        elif kind == "string":
            found.append((kind, read_escapes(match[kind])))
        elif kind != "space":
            found.append((kind, match[0 if kind == "sign" else kind].replace("\\/", "/")))
    return [*found[1:], ("end", "")]


class _Parser:
    """A place in the tokens; what it reads moves it on."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.is_in_print = False
        """Inside a `print` without brackets, where `>` names a file."""

    def advance(self) -> str:
        text = self.tokens[self.at][1]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return text

    def sees(self, *texts: str) -> bool:
        kind, text = self.tokens[self.at]
        return kind == "sign" and text in texts

    def take(self, text: str) -> bool:
        return self.sees(text) and bool(self.advance())

    def need(self, *texts: str) -> str:
        if self.sees(*texts):
            return self.advance()
        text = self.tokens[self.at][1].strip()
        raise AwkProblem(_SAID.get(text) or f"the program at {text or 'the end of the line or text'!r}")

    def skip_ends(self, of: str = ";") -> None:
        while self.tokens[self.at][0] == "newline" or self.sees(of):
            self.advance()

    def is_at_end(self) -> bool:
        return self.tokens[self.at][0] in ("newline", "end") or self.sees(";", "}")

    # Rules and statements.

    def program(self) -> Program:
        program = Program()
        self.skip_ends()
        while self.tokens[self.at][0] != "end":
            if self.take("BEGIN"):
                program.begin += self.block()
            elif self.take("END"):
                program.end += self.block()
            else:
                pattern: Step = (lambda run: 1.0) if self.sees("{") else self.expression()
                if self.sees(","):
                    raise AwkProblem("a pattern up to another one")
                program.rules.append((pattern, self.block() if self.sees("{") else [_print([], False)]))
            self.skip_ends()
        return program

    def block(self) -> list[Step]:
        self.need("{")
        self.skip_ends()
        statements: list[Step] = []
        while not self.take("}"):
            statements.append(self.statement())
            if not self.is_at_end():
                self.need(";")
            self.skip_ends()
        return statements

    def statement(self) -> Step:
        if self.sees("print", "printf"):
            has_format = self.advance() == "printf"
            given = [] if self.is_at_end() else self.printed()
            if has_format and not given:
                raise AwkProblem("printf without a format")
            return _print(given, has_format)
        if self.take("next"):
            return _leave
        if self.take("exit"):
            return _exit(None if self.is_at_end() else self.expression())
        return self.expression()

    def printed(self) -> list[Step]:
        """What follows `print`; brackets may stand around all of it."""
        before = self.at
        if self.take("("):
            found = self.listed()
            self.need(")")
            if self.is_at_end() or self.sees(">", ">>", "|"):
                return found
            self.at = before
        self.is_in_print = True
        found = self.listed()
        self.is_in_print = False
        return found

    def listed(self) -> list[Step]:
        found = [self.expression()]
        while self.take(","):
            self.skip_ends(of="")
            found.append(self.expression())
        return found

    # Expressions.

    def expression(self) -> Step:
        left = self.level(0)
        if not isinstance(left, _Target) or not self.sees(*_ASSIGNMENTS):
            return left
        target, sign = left, self.advance()[:-1]
        right = self.expression()
        value = _binary(sign, target, right) if sign else right
        return lambda run: target.put(run, run.charged(value(run)))

    def level(self, number: int) -> Step:
        if number == len(_LEVELS):
            return self.unary()
        left = self.level(number + 1)
        while sign := self.operator(_LEVELS[number]):
            if sign in ("&&", "||"):
                self.skip_ends(of="")
            pattern = self.tokens[self.at]
            right = self.level(number + 1)
            if sign in ("~", "!~") and pattern[0] == "regex":
                right = _constant(pattern[1])
            left = _binary(sign, left, right)
        return left

    def operator(self, signs: tuple[str, ...]) -> str:
        """One of the operators, taken; "" where none stands."""
        if signs == (" ",):
            # A sign in front of a number would have been a sum.
            is_value = self.tokens[self.at][0] not in ("sign", "newline", "end")
            return " " if is_value or self.sees("$", "!", "(", "++", "--") else ""
        return self.advance() if self.sees(*signs) and not (self.is_in_print and self.sees(">")) else ""

    def unary(self) -> Step:
        if self.sees("!", "-", "+"):
            sign, operand = self.advance(), self.unary()
            if sign == "!":
                return lambda run: float(not is_true(operand(run)))
            return lambda run: to_number(operand(run)) * (-1 if sign == "-" else 1)
        found = self.primary()
        if isinstance(found, _Target) and self.sees("++", "--"):
            return _step(found, self.advance(), False)
        return found

    def primary(self) -> Step:
        kind, text = self.tokens[self.at]
        if kind in ("sign", "newline", "end"):
            return self.sign()
        self.advance()
        if kind == "regex":
            return lambda run: run.matches(text, run.record)
        return _Target(text) if kind == "name" else _constant(float(text) if kind == "number" else text)

    def sign(self) -> Step:
        sign = self.need("$", "(", "++", "--")
        if sign == "(":
            outside, self.is_in_print = self.is_in_print, False
            found = self.expression()
            self.need(")")
            self.is_in_print = outside
            # What stands in brackets is a value, and not set any more.
            return lambda run: found(run)
        operand = self.primary()
        if sign == "$":
            return _Target("", operand)
        return (
            _step(operand, sign, True) if isinstance(operand, _Target) else _constant(self.need("a variable"))
        )


def _constant(value: Value) -> Step:
    return lambda run: value


def _step(target: _Target, sign: str, is_prefix: bool) -> Step:
    def step(run: Run) -> Value:
        before = to_number(target(run))
        after = target.put(run, before + (1 if sign == "++" else -1))
        return after if is_prefix else before

    return step


def _binary(sign: str, left: Step, right: Step) -> Step:
    """Two operands and what stands between them, a blank where they are joined."""
    match sign:
        case "&&":
            return lambda run: float(is_true(left(run)) and is_true(right(run)))
        case "||":
            return lambda run: float(is_true(left(run)) or is_true(right(run)))
        case " ":
            return lambda run: run.charged(to_text(left(run)) + to_text(right(run)))
        case "~" | "!~":
            return lambda run: float(run.matches(to_text(right(run)), to_text(left(run))) == (sign == "~"))
    if sign in _ORDERS:
        return lambda run: float(compare(left(run), right(run)) in _ORDERS[sign])
    return lambda run: _calculate(sign, to_number(left(run)), to_number(right(run)))


def _calculate(sign: str, left: float, right: float) -> float:
    if sign in "/%" and not right:
        raise AwkProblem("a division by zero")
    try:
        return _CALCULATIONS[sign](left, right)
    except ValueError:
        return math.inf


def _print(given: list[Step], has_format: bool) -> Step:
    def print_out(run: Run) -> Value:
        run.print_out([one(run) for one in given], has_format)
        return ""

    return print_out


def _leave(run: Run) -> Value:
    raise Left


def _exit(status: Step | None) -> Step:
    def leave(run: Run) -> Value:
        run.status = (int(to_number(status(run))) if status else run.status or 0) & 255
        raise Left

    return leave
