"""From a pattern's syntax to the steps of an automaton that may be in many places at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .syntax import Choice, Edge, Group, Node, PatternProblem, Repeat, Sequence, Signs

_MOST_STEPS = 2_000


@dataclass(slots=True)
class Take:
    """Takes one sign of a set."""

    signs: Signs
    after: int


@dataclass(slots=True)
class Split:
    """Goes on at both places, rather at the first."""

    first: int
    second: int


@dataclass(slots=True)
class Mark:
    """Keeps where a group begins (an even slot) or ends (an odd one)."""

    slot: int
    after: int


@dataclass(slots=True)
class Check:
    """Goes on only at a certain place of the text."""

    kind: str
    after: int


@dataclass(slots=True)
class Done:
    """The pattern has matched."""


Step: TypeAlias = Take | Split | Mark | Check | Done


class Program:
    """The steps of a pattern. `start` is where it begins; place 0 is its end. Raises PatternProblem."""

    def __init__(self, node: Node) -> None:
        self.steps: list[Step] = [Done()]
        self.slots = 2
        self.visits = 0
        self.start = self._add(node, 0)
        checks = {step.kind for step in self.steps if isinstance(step, Check)}
        self.sees_places = bool(checks)
        self.sees_words = not checks <= {"^", "$"}

    def _put(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _add(self, node: Node, after: int) -> int:
        """Where the node's steps begin, which go on at `after`. They are made from the last to the first."""
        self.visits += 1
        if self.visits > _MOST_STEPS:
            raise PatternProblem("a pattern of so many parts")
        match node:
            case Signs():
                return self._put(Take(node, after))
            case Edge(kind):
                return self._put(Check(kind, after))
            case Sequence(items):
                for item in reversed(items):
                    after = self._add(item, after)
                return after
            case Choice(options):
                starts = [self._add(option, after) for option in options]
                start = starts.pop()
                while starts:
                    start = self._put(Split(starts.pop(), start))
                return start
            case Repeat():
                return self._repeat(node, after)
            case Group(item, number):
                if not number:
                    return self._add(item, after)
                self.slots = max(self.slots, 2 * number + 2)
                inside = self._add(item, self._put(Mark(2 * number + 1, after)))
                return self._put(Mark(2 * number, inside))

    def _repeat(self, node: Repeat, after: int) -> int:
        if node.most is None:
            loop = Split(0, after)
            start = self._put(loop)
            loop.first = self._add(node.item, start)
        else:
            start = after
            for _ in range(node.most - node.least):
                start = self._put(Split(self._add(node.item, start), after))
        for _ in range(node.least):
            start = self._add(node.item, start)
        return start
