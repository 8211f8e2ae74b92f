"""What patterns are made of, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..errors import CannotInterpret


class PatternProblem(CannotInterpret):
    """A pattern that cannot be read, or takes too long to match: named for the user."""


@dataclass(frozen=True, slots=True)
class Signs:
    """One sign out of a set. `ranges` are first and last signs; none and `is_negated` is any sign at all."""

    ranges: tuple[tuple[str, str], ...]
    is_negated: bool = False

    def has(self, sign: str) -> bool:
        return any(low <= sign <= high for low, high in self.ranges) != self.is_negated


@dataclass(frozen=True, slots=True)
class Edge:
    """Nothing, at a certain place: `^`, `$`, at either end of a word (`<`, `>`, `b`) or not (`B`).

    `[` is where no word stands before, `]` where none comes behind.
    """

    kind: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; without items it is nothing, anywhere."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Again and again; `most` None is without end."""

    item: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """What brackets hold; `number` counts those from 1 whose match is asked for, 0 is none."""

    item: Node
    number: int


Node: TypeAlias = Signs | Edge | Sequence | Choice | Repeat | Group

ANY = Signs((), True)
NOTHING = Sequence(())


def one_sign(sign: str) -> Signs:
    """The set of this sign alone."""
    return Signs(((sign, sign),))


def reverse(node: Node) -> Node:
    """The pattern of the same texts read backwards; for patterns without edges and groups."""
    match node:
        case Sequence(items):
            return Sequence(tuple(reverse(item) for item in reversed(items)))
        case Choice(options):
            return Choice(tuple(reverse(option) for option in options))
        case Repeat(item, least, most):
            return Repeat(reverse(item), least, most)
    return node
