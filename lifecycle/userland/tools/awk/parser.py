"""From an awk program's tokens to its rules and statements, as functions of the program at work."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from .expressions import (
    Element,
    Expression,
    Field,
    Regex,
    Target,
    Variable,
    assign,
    binary,
    call,
    step,
    unary,
)
from .statements import (
    NOTHING,
    Program,
    Rule,
    Statement,
    constant,
    drop,
    for_each,
    in_turn,
    leave_program,
    leave_record,
    loop,
    print_out,
)
from .tokens import (
    CALLED,
    END,
    FUNCTION,
    KEYWORD,
    NAME,
    NEWLINE,
    NUMBER,
    REGEX,
    SIGN,
    STRING,
    Token,
    tokenize,
)
from .values import AwkProblem, is_true, to_text

_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "^=")
_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_LEVELS = (("||",), ("&&",), ("in",), ("~", "!~"), _COMPARISONS, (" ",), ("+", "-"), ("*", "/", "%"))
"""From the weakest to the strongest; a blank joins texts."""
_STATEMENTS = frozenset("BEGIN END if else for next exit in print printf".split())
_NOT_MODELLED = frozenset("RS RSTART RLENGTH CONVFMT OFMT SUBSEP ARGC ARGV".split())
_SAID = {"|": "a pipe", ">": "a file to print to", ">>": "a file to print to"}


@lru_cache(maxsize=512)
def parse(text: str) -> Program:
    """The program a text holds. Raises AwkProblem, naming what is not modelled."""
    try:
        return _Parser(tokenize(text)).program()
    except RecursionError:
        raise AwkProblem("a program nested so deeply") from None


class _Parser:
    """A place in the tokens; what it reads moves it on."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.is_in_print = False
        """Inside a bare `print`, where `>` names a file."""

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> str:
        text = self.token.text
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return text

    def sees(self, *texts: str) -> bool:
        return self.token.kind in (SIGN, KEYWORD) and self.token.text in texts

    def take(self, text: str) -> bool:
        return self.sees(text) and bool(self.advance())

    def need(self, text: str) -> None:
        if not self.take(text):
            raise self.surprise()

    def surprise(self) -> AwkProblem:
        text = self.token.text.strip()
        if self.token.kind == KEYWORD and text not in _STATEMENTS:
            return AwkProblem(f"the statement {text}")
        if self.token.kind == SIGN and text in _SAID:
            return AwkProblem(_SAID[text])
        return AwkProblem(f"the program at {text or 'the end of the line or text'!r}")

    def skip_newlines(self) -> None:
        while self.token.kind == NEWLINE:
            self.advance()

    def skip_ends(self) -> None:
        while self.token.kind == NEWLINE or self.sees(";"):
            self.advance()

    # Rules and statements.

    def program(self) -> Program:
        program = Program()
        self.skip_ends()
        while self.token.kind != END:
            if self.take("BEGIN"):
                program.begin.append(self.block())
            elif self.take("END"):
                program.end.append(self.block())
            else:
                program.rules.append(self.rule())
            self.skip_ends()
        return program

    def rule(self) -> Rule:
        pattern = constant(1.0) if self.sees("{") else self.expression()
        if self.sees(","):
            raise AwkProblem("a pattern up to another one")
        return Rule(pattern, self.block() if self.sees("{") else lambda run: print_out(run, (), False))

    def block(self) -> Statement:
        self.need("{")
        self.skip_ends()
        statements: list[Statement] = []
        while not self.take("}"):
            statements.append(self.statement())
            self.skip_ends()
        return in_turn(statements)

    def body(self) -> Statement:
        """What a condition or loop governs: it may stand on the next line, and may be nothing."""
        self.skip_newlines()
        return NOTHING if self.take(";") else self.statement()

    def statement(self) -> Statement:
        if self.sees("{"):
            return self.block()
        if self.take("if"):
            return self.if_()
        if self.take("for"):
            return self.for_()
        found = self.simple()
        if not self.is_at_end():
            raise self.surprise()
        self.take(";")
        return found

    def is_at_end(self) -> bool:
        return self.token.kind in (NEWLINE, END) or self.sees(";", "}")

    def simple(self) -> Statement:
        if self.sees("print", "printf"):
            has_format = self.advance() == "printf"
            nodes = () if self.is_at_end() else self.print_arguments()
            if has_format and not nodes:
                raise AwkProblem("printf without a format")
            return lambda run: print_out(run, nodes, has_format)
        if self.take("next"):
            return leave_record
        if self.take("exit"):
            status = None if self.is_at_end() else self.expression()
            return lambda run: leave_program(run, status)
        node = self.expression()
        return lambda run: drop(node(run))

    def print_arguments(self) -> tuple[Expression, ...]:
        """What follows `print`; brackets may stand around all of it."""
        before = self.at
        if self.take("("):
            found = self.expressions(")")
            if self.is_at_end() or self.sees(*_SAID):
                return found
            self.at = before
        self.is_in_print = True
        bare = [self.expression()]
        while self.take(","):
            self.skip_newlines()
            bare.append(self.expression())
        self.is_in_print = False
        return tuple(bare)

    def if_(self) -> Statement:
        self.need("(")
        test = self.expression()
        self.need(")")
        then, otherwise = self.body(), NOTHING
        before = self.at
        self.skip_ends()
        if self.take("else"):
            otherwise = self.body()
        else:
            self.at = before
        return lambda run: then(run) if is_true(test(run)) else otherwise(run)

    def for_(self) -> Statement:
        self.need("(")
        ahead = [token.text for token in self.tokens[self.at + 1 : self.at + 4]]
        if self.token.kind == NAME and ahead[:1] == ["in"] and ahead[2:] == [")"]:
            variable = Variable(self.advance())
            self.advance()
            name = self.array_name()
            self.need(")")
            return for_each(variable, name, self.body())
        first = NOTHING if self.sees(";") else self.simple()
        self.need(";")
        test = constant(1.0) if self.sees(";") else self.after_newlines(self.expression)
        self.need(";")
        after = NOTHING if self.sees(")") else self.simple()
        self.need(")")
        return loop(first, test, after, self.body())

    # Expressions.

    def after_newlines(self, read: Callable[[], Expression]) -> Expression:
        self.skip_newlines()
        return read()

    def expression(self) -> Expression:
        left = self.ternary()
        if not self.sees(*_ASSIGNMENTS):
            return left
        target = self.target(left)
        sign = self.advance()[:-1]
        right = self.after_newlines(self.expression)
        return assign(target, binary(sign, target, right) if sign else right)

    def target(self, expression: Expression) -> Target:
        if not isinstance(expression, Variable | Element | Field):
            raise self.surprise()
        return expression

    def ternary(self) -> Expression:
        test = self.binary(0)
        if not self.take("?"):
            return test
        yes = self.after_newlines(self.expression)
        self.skip_newlines()
        self.need(":")
        no = self.after_newlines(self.expression)
        return lambda run: yes(run) if is_true(test(run)) else no(run)

    def binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while sign := self.operator(_LEVELS[level]):
            if sign == "in":
                left = self.membership(left)
                continue
            if sign in ("&&", "||"):
                self.skip_newlines()
            left = binary(sign, left, self.binary(level + 1))
        return left

    def membership(self, index: Expression) -> Expression:
        name = self.array_name()
        return lambda run: float(to_text(index(run)) in run.array(name))

    def operator(self, signs: tuple[str, ...]) -> str:
        """One of the operators, taken; "" where none stands."""
        if signs == (" ",):
            # A sign in front of a number would have been a sum.
            is_value = self.token.kind in (NUMBER, STRING, REGEX, NAME, CALLED, FUNCTION)
            return " " if is_value or self.sees("$", "!", "(", "++", "--") else ""
        if not self.sees(*signs) or (self.is_in_print and self.sees(">")):
            return ""
        return self.advance()

    def unary(self) -> Expression:
        if self.sees("!", "-", "+"):
            return unary(self.advance(), self.unary())
        left = self.postfix()
        # A power binds to the right, and more than a sign in front of it.
        return binary("^", left, self.unary()) if self.take("^") else left

    def postfix(self) -> Expression:
        found = self.primary()
        if isinstance(found, Variable | Element | Field) and self.sees("++", "--"):
            return step(found, 1 if self.advance() == "++" else -1, is_prefix=False)
        return found

    def primary(self) -> Expression:
        kind, text = self.token.kind, self.token.text
        if kind == CALLED:
            raise AwkProblem(f"the function {text}")
        if kind in (SIGN, KEYWORD, NEWLINE, END):
            return self.sign()
        self.advance()
        if kind == REGEX:
            return Regex(text)
        if kind == NAME:
            return self.named(text)
        if kind == FUNCTION:
            if not self.sees("(") and text != "length":
                raise self.surprise()
            return call(text, self.expressions(")") if self.take("(") else ())
        return constant(float(text) if kind == NUMBER else text)

    def sign(self) -> Expression:
        if self.sees("++", "--"):
            return step(
                by=1 if self.advance() == "++" else -1, target=self.target(self.primary()), is_prefix=True
            )
        if self.take("$"):
            return Field(unary("-", self.primary()) if self.take("-") else self.primary())
        self.need("(")
        return self.single(")")

    def single(self, closing: str) -> Expression:
        found = self.expressions(closing)
        if len(found) != 1:
            raise AwkProblem("several indexes" if found else f"the program at {closing!r}")
        return found[0]

    def named(self, name: str) -> Expression:
        if name in _NOT_MODELLED:
            raise AwkProblem(f"the variable {name}")
        return Element(name, self.single("]")) if self.take("[") else Variable(name)

    def expressions(self, closing: str) -> tuple[Expression, ...]:
        """What stands between brackets, commas between; the closing one is passed."""
        outside, self.is_in_print = self.is_in_print, False
        found: list[Expression] = []
        self.skip_newlines()
        while not self.sees(closing):
            found.append(self.expression())
            self.skip_newlines()
            if not self.take(","):
                break
            self.skip_newlines()
        self.need(closing)
        self.is_in_print = outside
        return tuple(found)

    def array_name(self) -> str:
        if self.token.kind != NAME:
            raise self.surprise()
        return self.advance()
