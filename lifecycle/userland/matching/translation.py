"""Basic and extended regular expressions of POSIX, with what GNU and Perl add, in RE2's own spelling.

RE2 has neither back-references nor the two edges of a word: the first are refused, `\\<` and `\\>` are its
`\\b` where what stands beside them surely belongs to a word, and refused elsewhere. Words are of ASCII only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .brackets import CLASSES, CONTROLS, WORD, BracketReader, Ranges, is_of_words, spell, spell_set
from .problem import PatternProblem

_DEEPEST = 50
_INTERVAL = re.compile(r"(\d*)(,?)(\d*)")
_OF_CONTROLS: Mapping[str, Ranges] = {letter: ((sign, sign),) for letter, sign in CONTROLS.items()}
_OF_PERL: Mapping[str, Ranges] = {**_OF_CONTROLS, "d": CLASSES["digit"], "w": WORD, "s": CLASSES["space"]}


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


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a pattern as RE2 takes it; and whether every match of it begins, or ends, inside a word."""

    text: str
    begins_word: bool = False
    ends_word: bool = False
    literal: str | None = None
    """The one text it matches, if it is that plain."""
    is_edge: bool = False


_FRONT, _END = Piece("^", is_edge=True), Piece("$", is_edge=True)
_WORD_FRONT, _WORD_END = Piece(r"\b", is_edge=True), Piece(r"\b", is_edge=True)
_EDGES = {
    "b": Piece(r"\b", is_edge=True),
    "y": Piece(r"\b", is_edge=True),
    "B": Piece(r"\B", is_edge=True),
    "<": _WORD_FRONT,
    ">": _WORD_END,
    "`": _FRONT,
    "'": _END,
}


@lru_cache(maxsize=1024)
def translate(text: str, dialect: Dialect) -> Piece:
    """A regular expression as RE2 takes it. Raises PatternProblem."""
    reader = _Reader(text, dialect)
    piece = reader.choice()
    if reader.at < len(text):
        raise PatternProblem(f"the pattern at {text[reader.at : reader.at + 10]!r}")
    return piece


def translate_plain(text: str) -> Piece:
    """The pattern that matches exactly this text."""
    return Piece("".join(map(spell, text)), literal=text)


def _one_sign(sign: str) -> Piece:
    is_of_word = is_of_words(((sign, sign),))
    return Piece(spell(sign), is_of_word, is_of_word, sign)


def _one_of(ranges: Ranges, is_negated: bool) -> Piece:
    is_of_word = not is_negated and is_of_words(ranges)
    return Piece(spell_set(ranges, is_negated), is_of_word, is_of_word)


def _repeat(item: Piece, least: int, most: int | None) -> Piece:
    text = f"(?:{item.text}{{{least},{'' if most is None else most}}})"
    return Piece(text, item.begins_word and least > 0, item.ends_word and least > 0)


class _Reader:
    """A cursor over a pattern. What a backslash is needed for in basic ones has none in extended ones."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.at = 0
        self.dialect = dialect
        self.depth = 0

    def sees(self, sign: str) -> bool:
        """Whether an operator stands here."""
        return self.text.startswith(sign if self.dialect.is_extended else "\\" + sign, self.at)

    def take(self, sign: str) -> bool:
        if not self.sees(sign):
            return False
        self.at += 1 if self.dialect.is_extended else 2
        return True

    def choice(self) -> Piece:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        if len(options) == 1:
            return options[0]
        begins, ends = all(one.begins_word for one in options), all(one.ends_word for one in options)
        return Piece("|".join(one.text for one in options), begins, ends)

    def sequence(self) -> Piece:
        items: list[Piece] = []
        while self.at < len(self.text) and not self.sees("|") and not (self.depth and self.sees(")")):
            item = self.atom(is_first=not items or items == [_FRONT])
            if not item.is_edge:
                item = self.repeated(item)
            self.check_edges(items, item)
            items.append(item)
        self.check_edges(items, None)
        plain = [item for item in items if not item.is_edge] or [Piece("")]
        texts = [item.literal for item in items]
        literal = None if None in texts else "".join(text for text in texts if text)
        text = "".join(item.text for item in items) or "(?:)"
        return Piece(text, plain[0].begins_word, plain[-1].ends_word, literal or None)

    def check_edges(self, before: list[Piece], item: Piece | None) -> None:
        if before and before[-1] is _WORD_FRONT and not (item is not None and item.begins_word):
            raise PatternProblem(r"the edge \< before what may be no word")
        if item is _WORD_END and not (before and before[-1].ends_word):
            raise PatternProblem(r"the edge \> behind what may be no word")

    def atom(self, is_first: bool) -> Piece:
        if self.take("("):
            return self.group()
        sign = self.text[self.at]
        self.at += 1
        if sign == "[":
            ranges, is_negated, self.at = self.dialect.brackets.read(self.text, self.at)
            return _one_of(ranges, is_negated)
        if sign == ".":
            return Piece(".")
        if sign == "^" and (self.dialect.is_extended or is_first):
            return _FRONT
        if sign == "$" and (self.dialect.is_extended or self.is_at_end()):
            return _END
        if sign == "\\" and self.at < len(self.text):
            return self.pair()
        return _one_sign(sign)

    def is_at_end(self) -> bool:
        return self.at == len(self.text) or self.sees("|") or (self.depth > 0 and self.sees(")"))

    def group(self) -> Piece:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise PatternProblem("a pattern nested so deeply")
        opening = "("
        if self.dialect.is_perl and self.text.startswith("?", self.at):
            if not self.text.startswith("?:", self.at):
                raise PatternProblem(f"the group ({self.text[self.at : self.at + 3]}")
            self.at += 2
            opening = "(?:"
        inside = self.choice()
        self.depth -= 1
        if not self.take(")"):
            raise PatternProblem("a bracket that is not closed")
        return Piece(f"{opening}{inside.text})", inside.begins_word, inside.ends_word)

    def pair(self) -> Piece:
        """A backslash and the sign behind it."""
        sign = self.text[self.at]
        self.at += 1
        if sign in _EDGES:
            return _EDGES[sign]
        if sign in "wWsS" or (self.dialect.is_perl and sign in "dD"):
            return _one_of(_OF_PERL[sign.lower()], sign.isupper())
        if sign in "123456789":
            raise PatternProblem(f"the back-reference \\{sign}")
        if self.dialect.reads_controls and sign in CONTROLS:
            return _one_sign(CONTROLS[sign])
        return _one_sign(sign)

    def repeated(self, item: Piece) -> Piece:
        """The item with the repetitions behind it."""
        while (count := self.count()) is not None:
            if self.dialect.is_perl and self.text.startswith(("?", "+"), self.at):
                raise PatternProblem("a repetition that takes as little as it can")
            item = _repeat(item, *count)
        return item

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
        """`{2}`, `{2,}`, `{,3}`, `{2,3}`; anything else in braces stands for itself."""
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
