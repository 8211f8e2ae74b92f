"""Shell arithmetic: the operators of C over 64-bit integers, with variables and assignments."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_, sub, xor

from ..errors import CannotInterpret

_TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z]+|\d+)|([A-Za-z_]\w*(?:\[[^\]]*\])?)"
    r"|(<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%&|^]=|[-+*/%&|^~!<>?:=(),]))"
)
_BINARY: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<=", ">=", "<", ">"),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="))
_BLANKS = re.compile(r"\s*")
_DEEPEST, _MOST_INNER = 40, 1_000


class ArithmeticProblem(Exception):
    """An expression that has no value; the text is what a shell would print."""


def evaluate(text: str, get: Callable[[str], str], put: Callable[[str, str], None]) -> int:
    """The value of an expression; empty is 0. Raises ArithmeticProblem."""
    return _evaluate(text, get, put, 0, [])


def _evaluate(
    text: str, get: Callable[[str], str], put: Callable[[str, str], None], depth: int, inner: list[str]
) -> int:
    """The same for a variable's value that is an expression again; `inner` are those met so far."""
    inner.append(text)
    if depth > _DEEPEST or len(inner) > _MOST_INNER:
        raise ArithmeticProblem("expression recursion level exceeded")
    tokens = _tokens(text)
    if not tokens:
        return 0
    evaluation = _Evaluation(tokens, get, put, depth, inner)
    value = evaluation.comma(True)
    if evaluation.at < len(tokens):
        raise ArithmeticProblem(f"arithmetic expression: unexpected {tokens[evaluation.at]!r}")
    return value


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    while (at := _BLANKS.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        match = _TOKEN.match(text, at)
        if match is None:
            raise ArithmeticProblem(f"arithmetic expression: expecting primary: {text.strip()!r}")
        tokens.append(match[1] or match[2] or match[3])
        if tokens[-1] == "**":
            raise CannotInterpret("the operator **")
        at = match.end()
    return tokens


def _wrap(value: int) -> int:
    """Two's complement, 64 bits."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def read_number(text: str) -> int:
    """A constant: decimal, octal with a leading 0, 0x…, or base#digits. Raises ValueError."""
    if "#" in text:
        base, digits = text.split("#", 1)
        return int(digits, int(base))
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    return int(text, 8) if len(text) > 1 and text[0] == "0" else int(text)


class _Evaluation:
    """Recursive descent. `live` is False in the branch of `?:`, `&&` and `||` that is not taken."""

    def __init__(
        self,
        tokens: list[str],
        get: Callable[[str], str],
        put: Callable[[str, str], None],
        depth: int,
        inner: list[str],
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.get = get
        self.put = put
        self.depth = depth
        self.inner = inner

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def comma(self, live: bool) -> int:
        value = self.assignment(live)
        while self.peek() == ",":
            self.take()
            value = self.assignment(live)
        return value

    def assignment(self, live: bool) -> int:
        name = self.peek()
        following = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
        if not _is_name(name) or following not in _ASSIGNMENTS:
            return self.choice(live)
        self.at += 2
        value = self.assignment(live)
        if following != "=":
            value = _operate(following[:-1], self.value_of(name, live), value, live)
        if live:
            self.put(name, str(value))
        return value

    def choice(self, live: bool) -> int:
        condition = self.binary(0, live)
        if self.peek() != "?":
            return condition
        self.take()
        first = self.comma(live and condition != 0)
        if self.take() != ":":
            raise ArithmeticProblem("arithmetic expression: expecting ':'")
        second = self.assignment(live and condition == 0)
        return first if condition else second

    def binary(self, level: int, live: bool) -> int:
        if level == len(_BINARY):
            return self.unary(live)
        value = self.binary(level + 1, live)
        while self.peek() in _BINARY[level]:
            operator = self.take()
            # The right side of a decided && or || is read, but nothing in it happens.
            taken = live and not (operator == "&&" and not value) and not (operator == "||" and value)
            value = _operate(operator, value, self.binary(level + 1, taken), taken)
        return value

    def unary(self, live: bool) -> int:
        operator = self.peek()
        if operator in ("++", "--"):
            self.take()
            return self.step(self.take(), 1 if operator == "++" else -1, live)
        if operator in ("-", "+", "!", "~"):
            self.take()
            value = self.unary(live)
            return _wrap({"-": -value, "+": value, "!": int(not value), "~": ~value}[operator])
        return self.primary(live)

    def step(self, name: str, change: int, live: bool) -> int:
        value = _wrap(self.value_of(name, live) + change)
        if live:
            self.put(name, str(value))
        return value

    def primary(self, live: bool) -> int:
        token = self.take()
        if token == "(":
            value = self.comma(live)
            if self.take() != ")":
                raise ArithmeticProblem("arithmetic expression: expecting ')'")
            return value
        if _is_name(token):
            if self.peek() in ("++", "--"):
                change = 1 if self.take() == "++" else -1
                return _wrap(self.step(token, change, live) - change)
            return self.value_of(token, live)
        try:
            return _wrap(read_number(token))
        except ValueError:
            raise ArithmeticProblem(
                f"arithmetic expression: expecting primary: {' '.join(self.tokens)!r}"
            ) from None

    def value_of(self, name: str, live: bool) -> int:
        text = self.get(name).strip() if live else ""
        if not text:
            return 0
        try:
            return read_number(text) if not text.startswith("-") else -read_number(text[1:])
        except ValueError:
            return _evaluate(text, self.get, self.put, self.depth + 1, self.inner)


def _is_name(token: str) -> bool:
    return bool(token) and (token[0].isalpha() or token[0] == "_")


_RESULTS: dict[str, Callable[[int, int], int]] = {
    "||": lambda left, right: bool(left or right),
    "&&": lambda left, right: bool(left and right),
    "<<": lambda left, right: left << (right & 63),
    ">>": lambda left, right: left >> (right & 63),
    "|": or_,
    "^": xor,
    "&": and_,
    "==": eq,
    "!=": ne,
    "<=": le,
    ">=": ge,
    "<": lt,
    ">": gt,
    "+": add,
    "-": sub,
    "*": mul,
}


def _operate(operator: str, left: int, right: int, live: bool) -> int:
    if operator in "/%":
        return _divide(operator, left, right, live)
    return _wrap(int(_RESULTS[operator](left, right)))


def _divide(operator: str, left: int, right: int, live: bool) -> int:
    if right == 0:
        if live:
            raise ArithmeticProblem("division by zero")
        return 0
    # C rounds towards zero, Python downwards.
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return _wrap(quotient if operator == "/" else left - right * quotient)
