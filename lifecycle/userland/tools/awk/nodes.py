"""The syntax of an awk program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


class AwkProblem(Exception):
    """A part of a program that is not modelled, or that fails: named for the user."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written."""

    value: float


@dataclass(frozen=True, slots=True)
class String:
    """A string, its escapes read."""

    text: str


@dataclass(frozen=True, slots=True)
class Regex:
    """`/…/`: matched against the record where it stands alone."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; in a call's arguments it may name an array."""

    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """`name[indexes]`; several indexes are joined by SUBSEP."""

    name: str
    indexes: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """`$index`."""

    index: Expression


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `+x`, `!x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, comparison, concatenation (` `), `&&` and `||`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Match:
    """`text ~ pattern`, `text !~ pattern`."""

    is_negated: bool
    text: Expression
    pattern: Expression


@dataclass(frozen=True, slots=True)
class Ternary:
    """`test ? yes : no`."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class In:
    """`(indexes) in name`."""

    indexes: tuple[Expression, ...]
    name: str


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`; `operator` is what stands before the equals sign."""

    operator: str
    target: Variable | Element | Field
    value: Expression


@dataclass(frozen=True, slots=True)
class Step:
    """`++x`, `x--`."""

    by: int
    target: Variable | Element | Field
    is_prefix: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the language, or of the program's own."""

    name: str
    arguments: tuple[Expression, ...]
    is_own: bool


@dataclass(frozen=True, slots=True)
class Getline:
    """`getline target < file`: the next line of a file."""

    target: Variable | Element | Field | None
    file: Expression


Expression: TypeAlias = (
    Number | String | Regex | Variable | Element | Field | Unary | Binary | Match | Ternary | In | Assign
    | Step | Call | Getline
)  # fmt: skip
Target: TypeAlias = Variable | Element | Field


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression for what it does."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Print:
    """`print` and `printf`; `into` is a file, with `is_append` for `>>`."""

    arguments: tuple[Expression, ...]
    has_format: bool
    into: Expression | None = None
    is_append: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """`if (test) then else otherwise`."""

    test: Expression
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`while`, `for (;;)`, and with `is_late` `do … while`."""

    first: Statement | None
    test: Expression | None
    after: Statement | None
    body: Statement
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class ForIn:
    """`for (variable in name)`."""

    variable: Variable
    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class Block:
    """Statements in braces."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Delete:
    """`delete name[indexes]`, or the whole array."""

    name: str
    indexes: tuple[Expression, ...] | None


@dataclass(frozen=True, slots=True)
class Leave:
    """`next`, `exit`, `return`, `break`, `continue`, and what goes with them."""

    kind: str
    value: Expression | None = None


Statement: TypeAlias = Evaluate | Print | If | Loop | ForIn | Block | Delete | Leave


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done with the records that match; with `last` from one that matches to another that does."""

    first: Expression | None
    last: Expression | None
    body: Block | None


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the program: parameters that a call does not fill are its local variables."""

    parameters: tuple[str, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program. `arrays` are the names that are used with an index."""

    begin: tuple[Block, ...]
    rules: tuple[Rule, ...]
    end: tuple[Block, ...]
    functions: dict[str, Function]
    arrays: frozenset[str]
