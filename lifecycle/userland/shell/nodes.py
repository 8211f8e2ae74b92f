"""The syntax of a script as data: what the grammar's tree is brought down to before it is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .word_parts import Command, CommandText, Redirect, Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, a command with its words, redirections."""

    command: CommandText


@dataclass(frozen=True, slots=True)
class Sequence:
    """Commands one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AndOr:
    """`left && right` or `left || right`."""

    left: Node
    operator: str
    right: Node


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages joined by pipes; `both` says of each joint whether errors go through it as well (`|&`)."""

    stages: tuple[Node, ...]
    both: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """`! command`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Background:
    """`command &`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Subshell:
    """`( … )`."""

    body: Node


@dataclass(frozen=True, slots=True)
class Redirected:
    """A compound command with redirections of its own."""

    body: Node
    redirects: tuple[Redirect, ...]
    substitutions: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Branches of condition and body; a last body without condition is the `else`."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Loop:
    """`while` or, when `until`, its opposite."""

    condition: Node
    body: Node
    until: bool


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words`; words None goes over the positional parameters."""

    name: str
    words: CommandText | None
    body: Node


@dataclass(frozen=True, slots=True)
class ArithmeticFor:
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
class Case:
    """`case word in …`."""

    word: Word
    substitutions: tuple[Command, ...]
    branches: tuple[CaseBranch, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """`name() body`, or as only bash writes it: `function name body`."""

    name: str
    body: Node
    is_bash: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """`[[ … ]]`: its tokens, words and operators in order."""

    tokens: tuple[Word | str, ...]
    substitutions: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class ArithmeticCommand:
    """`(( … ))`."""

    word: Word
    substitutions: tuple[Command, ...]


Node: TypeAlias = (
    Simple
    | Sequence
    | AndOr
    | Pipeline
    | Negation
    | Background
    | Subshell
    | Redirected
    | If
    | Loop
    | For
    | ArithmeticFor
    | Case
    | Function
    | Condition
    | ArithmeticCommand
)

NOTHING = Sequence(())
