"""Walks a pattern's program along a text, in all places at once: time grows with the text, never faster.

The places reached are kept as nodes, with what each sign leads to, so that most of a text is only looked up.
A bound on the work of one call is counted in signs and steps: it depends on pattern and text alone and not on
what was remembered.
"""

from __future__ import annotations

from .program import Check, Done, Mark, Program, Split, Take
from .syntax import PatternProblem

_MOST_WORK = 4_000_000
_MOST_NODES = 1_000
_AT_START, _AT_END, _BEHIND_WORD, _BEFORE_WORD = 1, 2, 4, 8


class _Node:
    """Places behind one sign, seen at one kind of place in the text."""

    __slots__ = ("accepts", "moves", "takes")

    def __init__(self, accepts: bool, takes: tuple[int, ...]) -> None:
        self.accepts = accepts
        self.takes = takes
        self.moves: dict[str, _Kernel] = {}


class _Kernel:
    """The places right behind one sign, before anything that takes none is done."""

    __slots__ = ("nodes", "places")

    def __init__(self, places: tuple[int, ...]) -> None:
        self.places = places
        self.nodes: dict[int, _Node] = {}


class Automaton:
    """A program with the nodes found so far. With `floats`, a match may begin at every place."""

    def __init__(self, program: Program, ignores_case: bool = False, floats: bool = False) -> None:
        self.program = program
        self.ignores_case = ignores_case
        self.floats = floats
        self.most_signs = max(_MOST_WORK // len(program.steps), 1_000)
        self._kernels: dict[tuple[int, ...], _Kernel] = {}

    def run(self, text: str, at: int = 0, stops_first: bool = False) -> tuple[int, int]:
        """The end of the longest match that begins at `at` (of the shortest with `stops_first`) or -1.

        The second number says up to which sign the text was looked at. Raises PatternProblem.
        """
        found, length = -1, len(text)
        limit = min(length, at + self.most_signs)
        sees_places = self.program.sees_places
        kernel = self._kernel((self.program.start,))
        while True:
            context = self.context(text, at) if sees_places else 0
            node = kernel.nodes.get(context) or self._node(kernel, context)
            if node.accepts:
                found = at
                if stops_first:
                    return found, at
            if at >= length or not (node.takes or self.floats):
                return found, at
            if at >= limit:
                raise PatternProblem("a pattern that takes so long to match")
            sign = text[at]
            kernel = node.moves.get(sign) or self._move(node, sign)
            at += 1

    def begins(self, sign: str) -> bool:
        """Whether a match that is not empty can begin with a sign; for programs that see no places."""
        node = self._node(self._kernel((self.program.start,)), 0)
        return node.accepts or bool((node.moves.get(sign) or self._move(node, sign)).places)

    def context(self, text: str, at: int) -> int:
        context = (_AT_START if at == 0 else 0) | (_AT_END if at == len(text) else 0)
        if self.program.sees_words:
            context |= _BEHIND_WORD if at > 0 and is_word(text[at - 1]) else 0
            context |= _BEFORE_WORD if at < len(text) and is_word(text[at]) else 0
        return context

    def _kernel(self, places: tuple[int, ...]) -> _Kernel:
        kernel = self._kernels.get(places)
        if kernel is None:
            if len(self._kernels) >= _MOST_NODES:
                self._kernels.clear()
            kernel = self._kernels[places] = _Kernel(places)
        return kernel

    def _node(self, kernel: _Kernel, context: int) -> _Node:
        node = kernel.nodes.get(context)
        if node is None:
            reached = reach(self.program, kernel.places, context)
            takes = tuple(place for place in reached if place)
            node = kernel.nodes[context] = _Node(0 in reached, takes)
        return node

    def _move(self, node: _Node, sign: str) -> _Kernel:
        steps = self.program.steps
        after = {self.program.start} if self.floats else set()
        for place in node.takes:
            step = steps[place]
            assert isinstance(step, Take), step
            if takes(step, sign, self.ignores_case):
                after.add(step.after)
        kernel = node.moves[sign] = self._kernel(tuple(sorted(after)))
        return kernel


def is_word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def takes(step: Take, sign: str, ignores_case: bool) -> bool:
    """Whether a step takes a sign."""
    if step.signs.has(sign):
        return True
    return ignores_case and (step.signs.has(sign.lower()) or step.signs.has(sign.upper()))


def reach(program: Program, places: tuple[int, ...], context: int) -> list[int]:
    """The steps that take a sign, and 0 for the end, that are reached without taking one; the best first."""
    found: list[int] = []
    seen: set[int] = set()
    waiting = list(reversed(places))
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        match program.steps[place]:
            case Split(first, second):
                waiting += [second, first]
            case Mark(_, after):
                waiting.append(after)
            case Check(kind, after):
                if holds(kind, context):
                    waiting.append(after)
            case Take() | Done():
                found.append(place)
    return found


def holds(kind: str, context: int) -> bool:
    """Whether an edge is here."""
    if kind == "^":
        return bool(context & _AT_START)
    if kind == "$":
        return bool(context & _AT_END)
    is_behind, is_before = bool(context & _BEHIND_WORD), bool(context & _BEFORE_WORD)
    if kind == "<":
        return is_before and not is_behind
    if kind == ">":
        return is_behind and not is_before
    if kind in "[]":
        return not (is_behind if kind == "[" else is_before)
    return (is_behind != is_before) == (kind == "b")
