"""Patterns ready for use: where they match, the leftmost and longest first, and what their groups hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .automaton import Automaton, holds, takes
from .program import Check, Done, Mark, Program, Split, Take
from .reading import Dialect, read_expression
from .syntax import Node, PatternProblem, Sequence, Signs

_MOST_GROUP_WORK = 400_000
Marks = tuple[int, ...]


class Found:
    """A match: `found[0]` is its text, `found[1]` that of the first group, "" when it took no part."""

    __slots__ = ("_end", "_expression", "_marks", "_start", "_text")

    def __init__(self, expression: Expression, text: str, start: int, end: int) -> None:
        self._expression = expression
        self._text = text
        self._start = start
        self._end = end
        self._marks: Marks | None = None

    def start(self) -> int:
        return self._start

    def end(self) -> int:
        return self._end

    def __getitem__(self, group: int) -> str:
        if group == 0:
            return self._text[self._start : self._end]
        if self._marks is None:
            self._marks = self._expression.mark(self._text, self._start, self._end)
        if 2 * group + 1 >= len(self._marks):
            raise PatternProblem(f"the group {group}, which is not there")
        start, end = self._marks[2 * group], self._marks[2 * group + 1]
        return self._text[start:end] if 0 <= start <= end else ""

    def groups(self) -> list[str]:
        return [self[number] for number in range(1, self._expression.groups + 1)]


class Expression:
    """A compiled pattern. All methods raise PatternProblem where matching takes too long."""

    def __init__(self, node: Node, ignores_case: bool = False) -> None:
        program = Program(node)
        self.groups = program.slots // 2 - 1
        self.size = len(program.steps)
        self._program = program
        self._ignores_case = ignores_case
        self._literal = None if ignores_case else _literal(node)
        self._anchored = Automaton(program, ignores_case)
        self._floating = Automaton(program, ignores_case, floats=True)

    def cost(self, text: str) -> int:
        """What a look at a text costs at most, in signs times steps."""
        return len(text) * self.size

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere."""
        if self._literal is not None:
            return self._literal in text
        return self._floating.run(text, 0, stops_first=True)[0] >= 0

    def search(self, text: str, at: int = 0) -> Found | None:
        """The leftmost match from a place on, as long as it can be."""
        if self._literal is not None:
            start = text.find(self._literal, at)
            return Found(self, text, start, start + len(self._literal)) if start >= 0 else None
        if self._floating.run(text, at, stops_first=True)[0] < 0:
            return None
        left = self._anchored.most_signs
        for start in range(at, len(text) + 1):
            if not self._program.sees_places and start < len(text) and not self._anchored.begins(text[start]):
                continue
            end, seen = self._anchored.run(text, start)
            if end >= 0:
                return Found(self, text, start, end)
            left -= seen - start
            if left < 0:
                raise PatternProblem("a pattern that takes so long to match")
        return None

    def all(self, text: str) -> Iterator[Found]:
        """Every match, one behind the other; nothing at all does not match right behind a match."""
        at, last_end = 0, -1
        while at <= len(text):
            found = self.search(text, at)
            if found is None:
                return
            if found.end() > found.start() or found.start() != last_end:
                yield found
            last_end = found.end()
            at = max(last_end, found.start() + (found.end() == found.start()))

    def longest(self, text: str, at: int = 0) -> int:
        """The end of the longest match that begins at a place, or -1."""
        return self._anchored.run(text, at)[0]

    def shortest(self, text: str, at: int = 0) -> int:
        """The end of the shortest match that begins at a place, or -1."""
        return self._anchored.run(text, at, stops_first=True)[0]

    def mark(self, text: str, start: int, end: int) -> Marks:
        """Where the groups begin and end in a match, -1 for those that take no part; slot by slot."""
        if (end - start + 1) * self.size > _MOST_GROUP_WORK:
            raise PatternProblem("the groups of so long a match")
        empty: Marks = (-1,) * self._program.slots
        threads: list[tuple[int, Marks]] = [(self._program.start, empty)]
        for at in range(start, end + 1):
            context = self._anchored.context(text, at)
            threads = self._reach(threads, context, at)
            if at == end:
                break
            threads = [
                (step.after, marks)
                for place, marks in threads
                if isinstance(step := self._program.steps[place], Take)
                and takes(step, text[at], self._ignores_case)
            ]
        return next((marks for place, marks in threads if place == 0), empty)

    def _reach(self, threads: list[tuple[int, Marks]], context: int, at: int) -> list[tuple[int, Marks]]:
        """Like the automaton's `reach`, with marks: of two ways to a place the better one stays."""
        found: list[tuple[int, Marks]] = []
        seen: set[int] = set()
        waiting = list(reversed(threads))
        while waiting:
            place, marks = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            match self._program.steps[place]:
                case Split(first, second):
                    waiting += [(second, marks), (first, marks)]
                case Mark(slot, after):
                    waiting.append((after, (*marks[:slot], at, *marks[slot + 1 :])))
                case Check(kind, after):
                    if holds(kind, context):
                        waiting.append((after, marks))
                case Take() | Done():
                    found.append((place, marks))
        return found


def _literal(node: Node) -> str | None:
    """The one text a pattern matches, if it is that plain."""
    items = node.items if isinstance(node, Sequence) else (node,)
    signs: list[str] = []
    for item in items:
        if not isinstance(item, Signs) or item.is_negated or len(item.ranges) != 1:
            return None
        low, high = item.ranges[0]
        if low != high:
            return None
        signs.append(low)
    return "".join(signs)


@lru_cache(maxsize=1024)
def compile_expression(text: str, dialect: Dialect, ignores_case: bool = False) -> Expression:
    """A regular expression, ready for use. Raises PatternProblem."""
    return Expression(read_expression(text, dialect), ignores_case)
