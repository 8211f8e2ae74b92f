"""The syntax of a script as data: what the grammar's tree is brought down to before it is compiled."""

from __future__ import annotations

from dataclasses import dataclass

from .word_parts import Command, CommandText, Redirect, Word


class Node:
    """A command of any kind."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Simple(Node):
    """Assignments, a command with its words, redirections."""

    command: CommandText


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """Commands one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AndOr(Node):
    """`left && right` or `left || right`."""

    left: Node
    operator: str
    right: Node


@dataclass(frozen=True, slots=True)
class Pipeline(Node):
    """Stages joined by pipes; `both` says of each joint whether errors go through it as well (`|&`)."""

    stages: tuple[Node, ...]
    both: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Negation(Node):
    """`! command`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Background(Node):
    """`command &`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Subshell(Node):
    """`( … )`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Redirected(Node):
    """A compound command with redirections of its own."""

    body: Node
    redirects: tuple[Redirect, ...]
    substitutions: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    """Branches of condition and body; a last body without condition is the `else`."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """`while` or, when `until`, its opposite."""

    condition: Node
    body: Node
    until: bool


@dataclass(frozen=True, slots=True)
class For(Node):
    """`for name in words`; words None goes over the positional parameters."""

    name: str
    words: CommandText | None
    body: Node


@dataclass(frozen=True, slots=True)
class ArithmeticFor(Node):
    """`for ((first; condition; step))`."""

    first: Word
    condition: Word
    step: Word
    body: Node


@dataclass(frozen=True, slots=True)
class CaseBranch:
    """Patterns, what they lead to, and how the branch ends: `;;`, `;&` or `;;&`."""

    patterns: tuple[Word, ...]
    body: Node
    end: str


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`case word in …`."""

    word: Word
    substitutions: tuple[Command, ...]
    branches: tuple[CaseBranch, ...]


@dataclass(frozen=True, slots=True)
class Function(Node):
    """`name() body`, or as only bash writes it: `function name body`."""

    name: str
    body: Node
    is_bash: bool = False


@dataclass(frozen=True, slots=True)
class Condition(Node):
    """`[[ … ]]`: its tokens, words and operators in order."""

    tokens: tuple[Word | str, ...]
    substitutions: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class ArithmeticCommand(Node):
    """`(( … ))`."""

    word: Word
    substitutions: tuple[Command, ...]


NOTHING = Sequence(())
