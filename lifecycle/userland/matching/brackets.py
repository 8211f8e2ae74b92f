"""Bracket expressions: `[a-z]`, `[^[:space:]]`, and in shell patterns `[!0-9]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .syntax import PatternProblem, Signs

Ranges: TypeAlias = tuple[tuple[str, str], ...]

CLASSES: Mapping[str, Ranges] = {
    "alpha": (("A", "Z"), ("a", "z")),
    "digit": (("0", "9"),),
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "upper": (("A", "Z"),),
    "lower": (("a", "z"),),
    "space": (("\t", "\r"), (" ", " ")),
    "blank": (("\t", "\t"), (" ", " ")),
    "punct": (("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
    "cntrl": (("\x00", "\x1f"), ("\x7f", "\x7f")),
    "print": ((" ", "~"),),
    "graph": (("!", "~"),),
}
WORD: Ranges = (*CLASSES["alnum"], ("_", "_"))
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class BracketReader:
    """Reads one bracket expression. What a backslash means inside differs between the tools."""

    def __init__(self, negations: str, pairs: Mapping[str, Ranges], escapes_any: bool) -> None:
        self.negations = negations
        self.pairs = pairs
        """Signs that mean something behind a backslash."""
        self.escapes_any = escapes_any
        """Whether a backslash takes the meaning from any other sign; else it stands for itself."""

    def read(self, text: str, at: int) -> tuple[Signs, int]:
        """The set that begins behind the bracket at `at - 1`, and the place behind it."""
        is_negated = text[at : at + 1] != "" and text[at] in self.negations
        at += is_negated
        first = at
        ranges: list[tuple[str, str]] = []
        while at < len(text):
            if text[at] == "]" and at > first:
                return Signs(tuple(ranges), is_negated), at + 1
            low, at = self._member(text, at)
            if len(low) == 1 and text.startswith("-", at) and text[at + 1 : at + 2] not in ("]", ""):
                high, at = self._member(text, at + 1)
                ranges.append((low[0][0], high[-1][1]))
            else:
                ranges.extend(low)
        raise PatternProblem("a bracket that is not closed")

    def _member(self, text: str, at: int) -> tuple[Ranges, int]:
        if text.startswith("[:", at) and ":]" in text[at:]:
            end = text.index(":]", at)
            found = CLASSES.get(text[at + 2 : end])
            if found is None:
                raise PatternProblem(f"the class [{text[at : end + 2]}]")
            return found, end + 2
        sign = text[at]
        if sign == "\\" and at + 1 < len(text):
            following = text[at + 1]
            if following in self.pairs:
                return self.pairs[following], at + 2
            if self.escapes_any:
                return ((following, following),), at + 2
        return ((sign, sign),), at + 1
