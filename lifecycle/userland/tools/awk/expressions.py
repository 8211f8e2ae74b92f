"""Reads the expressions of awk, from the weakest operator to the strongest."""

from __future__ import annotations

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
    Regex,
    Step,
    String,
    Target,
    Ternary,
    Unary,
    Variable,
)
from .tokens import CALLED, FUNCTION, KEYWORD, NAME, NEWLINE, NUMBER, REGEX, SIGN, STRING, Token

_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "^=")
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_OPERAND_SIGNS = ("$", "!", "(", "-", "+", "++", "--")


class ExpressionParser:
    """A place in the tokens; what it reads moves it on."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.arrays: set[str] = set()
        self.called: set[str] = set()
        self.has_no_greater = False
        """Inside a bare `print`, where `>` names a file."""

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, count: int) -> Token:
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def sees(self, text: str) -> bool:
        return self.token.kind in (SIGN, KEYWORD) and self.token.text == text

    def take(self, text: str) -> bool:
        if not self.sees(text):
            return False
        self.advance()
        return True

    def need(self, text: str) -> None:
        if not self.take(text):
            raise self.surprise()

    def surprise(self) -> AwkProblem:
        shown = self.token.text.strip() or "the end of the line or text"
        return AwkProblem(f"the program at {shown!r}")

    def skip_newlines(self) -> None:
        while self.token.kind == NEWLINE:
            self.advance()

    # From the weakest to the strongest.

    def expression(self) -> Expression:
        left = self.ternary()
        if self.token.kind == SIGN and self.token.text in _ASSIGNMENTS:
            target = self.target(left)
            operator = self.advance().text[:-1]
            self.skip_newlines()
            return Assign(operator, target, self.expression())
        return left

    def target(self, expression: Expression) -> Target:
        if not isinstance(expression, Variable | Element | Field):
            raise self.surprise()
        return expression

    def ternary(self) -> Expression:
        test = self.either()
        if not self.take("?"):
            return test
        self.skip_newlines()
        yes = self.expression()
        self.skip_newlines()
        self.need(":")
        self.skip_newlines()
        return Ternary(test, yes, self.expression())

    def either(self) -> Expression:
        left = self.both()
        while self.take("||"):
            self.skip_newlines()
            left = Binary("||", left, self.both())
        return left

    def both(self) -> Expression:
        left = self.membership()
        while self.take("&&"):
            self.skip_newlines()
            left = Binary("&&", left, self.membership())
        return left

    def membership(self) -> Expression:
        left = self.matching()
        while self.take("in"):
            left = In((left,), self.array_name())
        return left

    def matching(self) -> Expression:
        left = self.comparison()
        while self.sees("~") or self.sees("!~"):
            is_negated = self.advance().text == "!~"
            left = Match(is_negated, left, self.comparison())
        return left

    def comparison(self) -> Expression:
        left = self.concatenation()
        text = self.token.text
        if self.token.kind == SIGN and text in _COMPARISONS and not (text == ">" and self.has_no_greater):
            self.advance()
            return Binary(text, left, self.concatenation())
        return left

    def concatenation(self) -> Expression:
        left = self.sum()
        while self.begins_operand():
            left = Binary(" ", left, self.sum())
        if self.sees("|"):
            raise AwkProblem("a pipe into getline" if self.peek(1).text == "getline" else "a pipe")
        return left

    def begins_operand(self) -> bool:
        token = self.token
        if token.kind == SIGN:
            # A sign in front of a number would have been a sum.
            return token.text in ("$", "!", "(", "++", "--")
        return token.kind in (NUMBER, STRING, REGEX, NAME, CALLED, FUNCTION)

    def sum(self) -> Expression:
        left = self.product()
        while self.sees("+") or self.sees("-"):
            left = Binary(self.advance().text, left, self.product())
        return left

    def product(self) -> Expression:
        left = self.unary()
        while self.sees("*") or self.sees("/") or self.sees("%"):
            left = Binary(self.advance().text, left, self.unary())
        return left

    def unary(self) -> Expression:
        if self.sees("!") or self.sees("-") or self.sees("+"):
            return Unary(self.advance().text, self.unary())
        return self.power()

    def power(self) -> Expression:
        left = self.postfix()
        if self.take("^"):
            # It binds to the right, and more than a sign in front of it.
            right = Unary("-", self.power()) if self.take("-") else self.power()
            return Binary("^", left, right)
        return left

    def postfix(self) -> Expression:
        found = self.primary()
        if isinstance(found, Variable | Element | Field) and (self.sees("++") or self.sees("--")):
            return Step(1 if self.advance().text == "++" else -1, found, is_prefix=False)
        return found

    # Operands.

    def primary(self) -> Expression:
        token = self.advance()
        match token.kind:
            case "number":
                return Number(float(token.text))
            case "string":
                return String(token.text)
            case "regex":
                return Regex(token.text)
            case "name":
                return self.named(token.text)
            case "called":
                self.called.add(token.text)
                return Call(token.text, self.call_arguments(), is_own=True)
            case "function":
                return self.function_call(token.text)
        if token.kind == KEYWORD and token.text == "getline":
            return self.getline()
        if token.text in ("++", "--") and token.kind == SIGN:
            return Step(1 if token.text == "++" else -1, self.target(self.primary()), is_prefix=True)
        if token.text == "$" and token.kind == SIGN:
            return Field(self.field_index())
        if token.text == "(" and token.kind == SIGN:
            return self.group()
        if token.text == "-" and token.kind == SIGN:
            return Unary("-", self.primary())
        self.at -= 1
        raise self.surprise()

    def field_index(self) -> Expression:
        if self.take("-"):
            return Unary("-", self.primary())
        return self.primary()

    def named(self, name: str) -> Expression:
        if not self.take("["):
            return Variable(name)
        self.arrays.add(name)
        indexes = self.expressions("]")
        self.need("]")
        return Element(name, indexes)

    def group(self) -> Expression:
        outside, self.has_no_greater = self.has_no_greater, False
        found = self.expressions(")")
        self.need(")")
        self.has_no_greater = outside
        if len(found) == 1:
            return found[0]
        self.need("in")
        return In(found, self.array_name())

    def expressions(self, closing: str) -> tuple[Expression, ...]:
        found: list[Expression] = []
        self.skip_newlines()
        while not self.sees(closing):
            found.append(self.expression())
            self.skip_newlines()
            if not self.take(","):
                break
            self.skip_newlines()
        if not found and closing == "]":
            raise self.surprise()
        return tuple(found)

    def call_arguments(self) -> tuple[Expression, ...]:
        outside, self.has_no_greater = self.has_no_greater, False
        self.need("(")
        found = self.expressions(")")
        self.need(")")
        self.has_no_greater = outside
        return found

    def function_call(self, name: str) -> Expression:
        if name == "system":
            raise AwkProblem("system()")
        arguments: tuple[Expression, ...] = ()
        if self.sees("("):
            arguments = self.call_arguments()
        elif name != "length":
            raise self.surprise()
        if name == "split" and len(arguments) > 1 and isinstance(arguments[1], Variable):
            self.arrays.add(arguments[1].name)
        return Call(name, arguments, is_own=False)

    def getline(self) -> Expression:
        target: Target | None = None
        if self.token.kind == NAME or self.sees("$"):
            target = self.target(self.primary())
        if not self.take("<"):
            raise AwkProblem("getline without a file")
        return Getline(target, self.primary())

    def array_name(self) -> str:
        if self.token.kind != NAME:
            raise self.surprise()
        self.arrays.add(self.token.text)
        return self.advance().text

    def print_arguments(self) -> tuple[Expression, ...]:
        """What follows `print`; brackets may stand around all of it."""
        if self.sees("("):
            before = self.at
            self.advance()
            found = self.expressions(")")
            is_all = self.take(")") and (
                self.token.kind in (NEWLINE, "end") or self.token.text in (";", "}", ">", ">>", "|")
            )
            if is_all:
                return found
            self.at = before
        self.has_no_greater = True
        found_bare = [self.expression()]
        while self.take(","):
            self.skip_newlines()
            found_bare.append(self.expression())
        self.has_no_greater = False
        return tuple(found_bare)
