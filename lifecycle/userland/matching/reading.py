"""Reads basic and extended regular expressions of POSIX, with what GNU and Perl add to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .brackets import CLASSES, CONTROLS, WORD, BracketReader, Ranges
from .syntax import ANY, Choice, Edge, Group, Node, PatternProblem, Repeat, Sequence, Signs, one_sign

_DEEPEST = 50
_INTERVAL = re.compile(r"(\d*)(,?)(\d*)")
_OF_CONTROLS: Mapping[str, Ranges] = {letter: ((sign, sign),) for letter, sign in CONTROLS.items()}
_OF_PERL: Mapping[str, Ranges] = {
    **_OF_CONTROLS,
    "d": CLASSES["digit"],
    "w": WORD,
    "s": CLASSES["space"],
}
_EDGES = {"b": "b", "B": "B", "y": "b", "<": "<", ">": ">", "`": "^", "'": "$"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a tool writes its expressions."""

    is_extended: bool
    brackets: BracketReader
    reads_controls: bool = False
    """Whether `\\n` and `\\t` mean what they mean in strings."""
    is_perl: bool = False


_PLAIN_BRACKETS = BracketReader("^", {}, False)
_SED_BRACKETS = BracketReader("^", _OF_CONTROLS, False)
BASIC, EXTENDED = Dialect(False, _PLAIN_BRACKETS), Dialect(True, _PLAIN_BRACKETS)
OF_SED, EXTENDED_OF_SED = Dialect(False, _SED_BRACKETS, True), Dialect(True, _SED_BRACKETS, True)
OF_AWK = Dialect(True, BracketReader("^", _OF_CONTROLS, True), True)
OF_PERL = Dialect(True, BracketReader("^", _OF_PERL, True), True, True)


def read_expression(text: str, dialect: Dialect) -> Node:
    """The syntax of a regular expression. Raises PatternProblem."""
    reader = _Reader(text, dialect)
    node = reader.choice()
    if reader.at < len(text):
        raise PatternProblem(f"the pattern at {text[reader.at : reader.at + 10]!r}")
    return node


class _Reader:
    """A cursor over a pattern. What a backslash is needed for in basic ones has none in extended ones."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.at = 0
        self.dialect = dialect
        self.groups = 0
        self.depth = 0

    def sees(self, sign: str) -> bool:
        """Whether an operator stands here."""
        return self.text.startswith(sign if self.dialect.is_extended else "\\" + sign, self.at)

    def take(self, sign: str) -> bool:
        if not self.sees(sign):
            return False
        self.at += 1 if self.dialect.is_extended else 2
        return True

    def choice(self) -> Node:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Node:
        items: list[Node] = []
        while self.at < len(self.text) and not self.sees("|") and not (self.depth and self.sees(")")):
            item = self.atom(is_first=not items or items == [Edge("^")])
            items.append(self.repeated(item) if not isinstance(item, Edge) else item)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def atom(self, is_first: bool) -> Node:
        if self.take("("):
            return self.group()
        sign = self.text[self.at]
        self.at += 1
        if sign == "[":
            found, self.at = self.dialect.brackets.read(self.text, self.at)
            return found
        if sign == ".":
            return ANY
        if sign == "^" and (self.dialect.is_extended or is_first):
            return Edge("^")
        if sign == "$" and (self.dialect.is_extended or self.is_at_end()):
            return Edge("$")
        if sign == "\\" and self.at < len(self.text):
            return self.pair()
        return one_sign(sign)

    def is_at_end(self) -> bool:
        return self.at == len(self.text) or self.sees("|") or (self.depth > 0 and self.sees(")"))

    def group(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise PatternProblem("a pattern nested so deeply")
        number = 0
        if self.dialect.is_perl and self.text.startswith("?", self.at):
            if not self.text.startswith("?:", self.at):
                raise PatternProblem(f"the group ({self.text[self.at : self.at + 3]}")
            self.at += 2
        else:
            self.groups += 1
            number = self.groups
        inside = self.choice()
        self.depth -= 1
        if not self.take(")"):
            raise PatternProblem("a bracket that is not closed")
        return Group(inside, number)

    def pair(self) -> Node:
        """A backslash and the sign behind it."""
        sign = self.text[self.at]
        self.at += 1
        if sign in _EDGES:
            return Edge(_EDGES[sign])
        if sign in "wWsS" or (self.dialect.is_perl and sign in "dD"):
            return Signs(_OF_PERL[sign.lower()], sign.isupper())
        if sign in "123456789":
            raise PatternProblem(f"the back-reference \\{sign}")
        if self.dialect.reads_controls and sign in CONTROLS:
            return one_sign(CONTROLS[sign])
        return one_sign(sign)

    def repeated(self, item: Node) -> Node:
        """The item with the repetitions behind it."""
        while True:
            count = self.count()
            if count is None:
                return item
            if self.dialect.is_perl and self.text.startswith(("?", "+"), self.at):
                raise PatternProblem("a repetition that takes as little as it can")
            item = Repeat(item, *count)

    def count(self) -> tuple[int, int | None] | None:
        if self.text.startswith("*", self.at):
            self.at += 1
            return 0, None
        if self.take("+"):
            return 1, None
        if self.take("?"):
            return 0, 1
        return self.interval() if self.sees("{") else None

    def interval(self) -> tuple[int, int | None] | None:
        """`{2}`, `{2,}`, `{2,3}`; anything else in braces stands for itself."""
        width = 1 if self.dialect.is_extended else 2
        match = _INTERVAL.match(self.text, self.at + width)
        closing = "}" if self.dialect.is_extended else "\\}"
        if match is None or not (match[1] or match[3]) or not self.text.startswith(closing, match.end()):
            return None
        self.at = match.end() + len(closing)
        least = int(match[1] or 0)
        most = int(match[3]) if match[3] else None if match[2] else least
        if most is not None and most < least:
            raise PatternProblem(f"the interval {match[0]!r}")
        return least, most
