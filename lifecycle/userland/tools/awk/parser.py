"""From an awk program's text to its rules, as tuples: first what a node is, then its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from .values import AwkProblem

Node: TypeAlias = tuple[Any, ...]
_FUNCTIONS = {
    "length": 0,
    "substr": 2,
    "index": 2,
    "split": 2,
    "sub": 2,
    "gsub": 2,
    "tolower": 1,
    "toupper": 1,
}
"""How many arguments each takes at least."""
_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\r?\n|\#[^\n]*)+)
    | (?P<newline>\n)
    | "(?P<string>(?:[^"\\\n]|\\.)*)"
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<unknown>(?:function|func|while|do|break|continue|nextfile|return|delete|getline)\b)
    | (?P<unknown_variable>(?:RS|RSTART|RLENGTH|CONVFMT|OFMT|SUBSEP|ARGC|ARGV)\b)
    | (?P<function>(?:length|substr|index|split|g?sub|tolower|toupper)\b)
    | (?P<sign>(?:BEGIN|END|if|else|for|in|next|exit|printf?)\b
        |&&|\|\||[=<>!+*/%-]=|\+\+|--|!~|>>|[{}()\[\];,+*/%!<>|?:~$=-])
    | (?P<unknown_function>[A-Za-z_]\w*(?=\())
    | (?P<name>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?P<regex>(?:[^\\/\[\n]|\\.|\[\^?\]?[^\]]*\])*)/")
_UNKNOWN = {"unknown": "statement", "unknown_variable": "variable", "unknown_function": "function"}
_SAID = {"|": "a pipe", ">": "a file to print to", ">>": "a file to print to"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "\n": ""}
_ESCAPED = re.compile(r"\\(?:([0-7]{1,3})|(.))", re.DOTALL)

_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=")
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_LEVELS = (("||",), ("&&",), ("in",), ("~", "!~"), _COMPARISONS, (" ",), ("+", "-"), ("*", "/", "%"))
"""From the weakest to the strongest; a blank joins texts."""
_TARGETS = ("name", "element", "field")


@dataclass(slots=True)
class Program:
    """A whole program; each of its rules has a pattern and what is done with the records that match."""

    begin: list[Node] = field(default_factory=list)
    rules: list[tuple[Node, list[Node]]] = field(default_factory=list)
    end: list[Node] = field(default_factory=list)


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
        ends_value = found[-1][0] not in ("sign", "newline") or found[-1][1] in (")", "]", "$", "++", "--")
        match = (_REGEX if text[at] == "/" and not ends_value else _TOKEN).match(text, at)
        if match is None or match.lastgroup is None:
            raise AwkProblem(f"the program at {text[at : at + 20]!r}")
        kind, at = match.lastgroup, match.end()
        if kind in _UNKNOWN:
            raise AwkProblem(f"the {_UNKNOWN[kind]} {match[0]}")
        if kind == "string":
            found.append((kind, read_escapes(match[kind])))
        elif kind != "space":
            found.append((kind, match[kind].replace("\\/", "/")))
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
                pattern = ("constant", 1.0) if self.sees("{") else self.expression()
                if self.sees(","):
                    raise AwkProblem("a pattern up to another one")
                program.rules.append((pattern, self.block() if self.sees("{") else [("print", False, ())]))
            self.skip_ends()
        return program

    def block(self) -> list[Node]:
        self.need("{")
        self.skip_ends()
        statements: list[Node] = []
        while not self.take("}"):
            statements += self.statement()
            self.skip_ends()
        return statements

    def body(self) -> list[Node]:
        """What a condition or loop governs: it may stand on the next line, and may be nothing."""
        self.skip_ends(of="")
        return [] if self.take(";") else self.statement()

    def statement(self) -> list[Node]:
        if self.sees("{"):
            return self.block()
        if self.take("if"):
            return [self.condition()]
        if self.take("for"):
            return [self.loop()]
        found = self.simple()
        if not self.is_at_end():
            self.need(";")
        self.take(";")
        return [found]

    def simple(self) -> Node:
        if self.sees("print", "printf"):
            has_format = self.advance() == "printf"
            given = () if self.is_at_end() else self.printed()
            if has_format and not given:
                raise AwkProblem("printf without a format")
            return ("print", has_format, given)
        if self.take("next"):
            return ("next",)
        if self.take("exit"):
            return ("exit", None if self.is_at_end() else self.expression())
        return self.expression()

    def printed(self) -> tuple[Node, ...]:
        """What follows `print`; brackets may stand around all of it."""
        self.is_in_print = True
        found = [self.expression()]
        while self.take(","):
            self.skip_ends(of="")
            found.append(self.expression())
        self.is_in_print = False
        return found[0][1] if found[0][0] == "several" and len(found) == 1 else tuple(found)

    def condition(self) -> Node:
        self.need("(")
        test, then, before = self.inside(")"), self.body(), self.at
        self.skip_ends()
        if self.take("else"):
            return ("if", test, then, self.body())
        self.at = before
        return ("if", test, then, [])

    def loop(self) -> Node:
        """`for (name in array)`."""
        self.need("(")
        if self.tokens[self.at + 1] != ("sign", "in"):
            raise AwkProblem("the statement for that counts")
        variable = self.primary()
        self.need("in")
        array = self.array(self.primary())
        self.need(")")
        return ("for", variable, array, self.body())

    # Expressions.

    def expression(self) -> Node:
        left = self.level(0)
        if self.take("?"):
            yes, _, no = self.expression(), self.need(":"), self.expression()
            return ("?", left, yes, no)
        if left[0] not in _TARGETS or not self.sees(*_ASSIGNMENTS):
            return left
        sign = self.advance()[:-1]
        right = self.expression()
        return ("set", left, (sign, left, right) if sign else right)

    def level(self, number: int) -> Node:
        if number == len(_LEVELS):
            return self.unary()
        left = self.level(number + 1)
        while sign := self.operator(_LEVELS[number]):
            if sign in ("&&", "||"):
                self.skip_ends(of="")
            right = self.level(number + 1)
            left = (sign, left, self.array(right) if sign == "in" else right)
        return left

    def array(self, node: Node) -> Node:
        if node[0] != "name":
            raise AwkProblem("an array that is none")
        return node

    def operator(self, signs: tuple[str, ...]) -> str:
        """One of the operators, taken; "" where none stands."""
        if signs == (" ",):
            # A sign in front of a number would have been a sum.
            is_value = self.tokens[self.at][0] not in ("sign", "newline", "end")
            return " " if is_value or self.sees("$", "!", "(", "++", "--") else ""
        return self.advance() if self.sees(*signs) and not (self.is_in_print and self.sees(">")) else ""

    def unary(self) -> Node:
        if self.sees("!", "-", "+"):
            return ("unary " + self.advance(), self.unary())
        found = self.primary()
        if found[0] in _TARGETS and self.sees("++", "--"):
            return ("step", found, self.advance(), False)
        return found

    def primary(self) -> Node:
        kind, text = self.tokens[self.at]
        if kind in ("sign", "newline", "end"):
            return self.sign()
        self.advance()
        if kind == "regex":
            return ("regex", text)
        if kind == "name":
            return ("element", text, self.inside("]")) if self.take("[") else ("name", text)
        if kind != "function":
            return ("constant", float(text) if kind == "number" else text)
        given = self.inside(")") if self.take("(") else ("several", ())
        arguments: tuple[Node, ...] = given[1] if given[0] == "several" else (given,)
        if len(arguments) < _FUNCTIONS[text]:
            raise AwkProblem(f"{text} with {len(arguments)} arguments")
        if text == "split":
            self.array(arguments[1])
        return ("call", text, arguments)

    def sign(self) -> Node:
        sign = self.need("$", "(", "++", "--")
        if sign == "(":
            return self.inside(")")
        operand = self.primary()
        if sign == "$":
            return ("field", operand)
        if operand[0] not in _TARGETS:
            self.need("a variable")
        return ("step", operand, sign, True)

    def inside(self, closing: str) -> Node:
        """What stands between brackets; commas between make it several, and so does nothing at all."""
        outside, self.is_in_print = self.is_in_print, False
        found: list[Node] = []
        self.skip_ends(of="")
        while not self.sees(closing) and (not found or self.need(",")):
            self.skip_ends(of="")
            found.append(self.expression())
            self.skip_ends(of="")
        self.need(closing)
        self.is_in_print = outside
        return found[0] if len(found) == 1 else ("several", tuple(found))
