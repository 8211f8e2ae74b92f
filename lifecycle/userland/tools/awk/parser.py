"""From an awk program's tokens to its rules, functions and statements; expressions are read beside it."""

from __future__ import annotations

from functools import lru_cache

from .expressions import ExpressionParser
from .nodes import (
    AwkProblem,
    Block,
    Delete,
    Evaluate,
    Expression,
    ForIn,
    Function,
    If,
    Leave,
    Loop,
    Print,
    Program,
    Rule,
    Statement,
    Variable,
)
from .tokens import CALLED, END, NAME, NEWLINE, tokenize

_NOTHING = Block(())


@lru_cache(maxsize=512)
def parse(text: str) -> Program:
    """The program a text holds. Raises AwkProblem, naming what is not modelled."""
    try:
        return _Parser(tokenize(text)).program()
    except RecursionError:
        raise AwkProblem("a program nested so deeply") from None


class _Parser(ExpressionParser):
    """Statements and rules."""

    def program(self) -> Program:
        begin: list[Block] = []
        end: list[Block] = []
        rules: list[Rule] = []
        functions: dict[str, Function] = {}
        self.skip_ends()
        while self.token.kind != END:
            if self.take("BEGIN"):
                begin.append(self.block())
            elif self.take("END"):
                end.append(self.block())
            elif self.take("function") or self.take("func"):
                name, function = self.function()
                functions[name] = function
            else:
                rules.append(self.rule())
            self.skip_ends()
        missing = sorted(self.called - functions.keys())
        if missing:
            raise AwkProblem(f"the function {missing[0]}")
        return Program(tuple(begin), tuple(rules), tuple(end), functions, frozenset(self.arrays))

    def rule(self) -> Rule:
        first = last = None
        if not self.sees("{"):
            first = self.expression()
            if self.take(","):
                self.skip_newlines()
                last = self.expression()
        return Rule(first, last, self.block() if self.sees("{") else None)

    def function(self) -> tuple[str, Function]:
        if self.token.kind not in (NAME, CALLED):
            raise self.surprise()
        name = self.advance().text
        self.need("(")
        parameters: list[str] = []
        while not self.take(")"):
            if self.token.kind != NAME:
                raise self.surprise()
            parameters.append(self.advance().text)
            self.skip_newlines()
            self.take(",")
            self.skip_newlines()
        self.skip_newlines()
        return name, Function(tuple(parameters), self.block())

    # Statements.

    def block(self) -> Block:
        self.need("{")
        self.skip_ends()
        statements: list[Statement] = []
        while not self.take("}"):
            statements.append(self.statement())
            self.skip_ends()
        return Block(tuple(statements))

    def skip_ends(self) -> None:
        while self.token.kind == NEWLINE or self.sees(";"):
            self.advance()

    def body(self) -> Statement:
        """What a condition or loop governs: it may stand on the next line, and may be nothing."""
        self.skip_newlines()
        if self.take(";"):
            return _NOTHING
        return self.statement()

    def statement(self) -> Statement:
        if self.sees("{"):
            return self.block()
        method = {"if": self.if_, "while": self.while_, "do": self.do_, "for": self.for_}.get(self.token.text)
        if method is not None and self.token.kind == "keyword":
            self.advance()
            return method()
        return self.simple()

    def simple(self) -> Statement:
        found = self.simple_part()
        if not (self.token.kind in (NEWLINE, END) or self.sees(";") or self.sees("}")):
            raise self.surprise()
        if self.sees(";"):
            self.advance()
        return found

    def simple_part(self) -> Statement:
        token = self.token
        if token.kind != "keyword" or token.text == "getline":
            return Evaluate(self.expression())
        self.advance()
        match token.text:
            case "print" | "printf":
                return self.print_(token.text == "printf")
            case "next" | "break" | "continue":
                return Leave(token.text)
            case "exit" | "return":
                return Leave(token.text, None if self.is_at_end() else self.expression())
            case "delete":
                return self.delete()
        raise AwkProblem(f"{token.text!r}")

    def is_at_end(self) -> bool:
        return self.token.kind in (NEWLINE, END) or self.token.text in (";", "}")

    def delete(self) -> Delete:
        name = self.array_name()
        if not self.take("["):
            return Delete(name, None)
        indexes = self.expressions("]")
        self.need("]")
        return Delete(name, indexes)

    def print_(self, has_format: bool) -> Print:
        arguments: tuple[Expression, ...] = ()
        if not self.is_at_end() and self.token.text not in (">", ">>", "|"):
            arguments = self.print_arguments()
        if has_format and not arguments:
            raise AwkProblem("printf without a format")
        if self.sees("|"):
            raise AwkProblem("a pipe from print")
        is_append = self.sees(">>")
        if not (self.take(">") or self.take(">>")):
            return Print(arguments, has_format)
        return Print(arguments, has_format, self.concatenation(), is_append)

    # Conditions and loops.

    def test(self) -> Expression:
        self.need("(")
        found = self.expression()
        self.need(")")
        return found

    def if_(self) -> Statement:
        test = self.test()
        then = self.body()
        before = self.at
        self.skip_ends()
        if self.take("else"):
            return If(test, then, self.body())
        self.at = before
        return If(test, then, None)

    def while_(self) -> Statement:
        test = self.test()
        return Loop(None, test, None, self.body())

    def do_(self) -> Statement:
        body = self.body()
        self.skip_ends()
        self.need("while")
        return Loop(None, self.test(), None, body, is_late=True)

    def for_(self) -> Statement:
        self.need("(")
        if self.token.kind == NAME and self.peek(1).text == "in" and self.peek(3).text == ")":
            variable = Variable(self.advance().text)
            self.advance()
            name = self.array_name()
            self.need(")")
            return ForIn(variable, name, self.body())
        first = None if self.sees(";") else self.simple_part()
        self.need(";")
        self.skip_newlines()
        test = None if self.sees(";") else self.expression()
        self.need(";")
        self.skip_newlines()
        after = None if self.sees(")") else self.simple_part()
        self.need(")")
        return Loop(first, test, after, self.body())
