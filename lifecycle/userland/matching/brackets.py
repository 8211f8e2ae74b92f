"""Bracket expressions: `[a-z]`, `[^[:space:]]`, and in shell patterns `[!0-9]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .problem import PatternProblem

Ranges: TypeAlias = tuple[tuple[str, str], ...]
"""First and last signs."""

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


def spell(sign: str) -> str:
    """One sign as RE2 takes it, inside brackets and outside."""
    return sign if sign.isascii() and sign.isalnum() else f"\\x{{{ord(sign):x}}}"


def spell_set(ranges: Ranges, is_negated: bool = False) -> str:
    """A set of signs as RE2 takes it. Raises PatternProblem for a range that ends before it begins."""
    for low, high in ranges:
        if low > high:
            raise PatternProblem(f"the range {low}-{high}")
    inside = "".join(spell(low) if low == high else f"{spell(low)}-{spell(high)}" for low, high in ranges)
    return f"[{'^' if is_negated else ''}{inside}]"


def is_of_words(ranges: Ranges) -> bool:
    """Whether only signs of words are in a set."""
    return all(any(first <= low and high <= last for first, last in WORD) for low, high in ranges)


class BracketReader:
    """Reads one bracket expression. What a backslash means inside differs between the tools."""

    def __init__(self, negations: str, pairs: Mapping[str, Ranges], escapes_any: bool) -> None:
        self.negations = negations
        self.pairs = pairs
        """Signs that mean something behind a backslash."""
        self.escapes_any = escapes_any
        """Whether a backslash takes the meaning from any other sign; else it stands for itself."""

    def read(self, text: str, at: int) -> tuple[Ranges, bool, int]:
        """The set behind the bracket at `at - 1`, whether it is negated, and the place behind it.

        Raises PatternProblem.
        """
        is_negated = text[at : at + 1] != "" and text[at] in self.negations
        at += is_negated
        first = at
        ranges: list[tuple[str, str]] = []
        while at < len(text):
            if text[at] == "]" and at > first:
                return tuple(ranges), is_negated, at + 1
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
