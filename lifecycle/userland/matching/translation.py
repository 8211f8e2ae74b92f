"""Basic and extended regular expressions of POSIX, with what GNU and Perl add, in RE2's own spelling.

RE2 reads extended expressions as they are, but for what a backslash means, and where `*` and the anchors of
basic ones stand for themselves. It has neither back-references nor the two edges of a word: the first are
refused, `\\<` and `\\>` are its `\\b` beside a sign of a word, and refused elsewhere.
"""

from __future__ import annotations

import re

import re2

from lifecycle.lean_dataclasses import dataclass

from .problem import PatternProblem

_OPERATORS = frozenset("(){}|+?")
_MEANINGS = {"b": r"\b", "y": r"\b", "B": r"\B", "<": r"\b", ">": r"\b", "`": r"\A", "'": r"\z"}
_REPEATED = re.compile(r"(?<!\\)(?:[*+?]|\{\d*,?\d*\})$")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a tool writes its expressions."""

    is_extended: bool
    reads_controls: bool = False
    """Whether `\\n` and `\\t` mean what they mean in strings."""
    escapes_in_brackets: bool = False
    """Whether a backslash takes a sign's meaning in brackets too; else it stands there for itself."""
    is_perl: bool = False


BASIC, EXTENDED = Dialect(False), Dialect(True)
OF_SED, EXTENDED_OF_SED = Dialect(False, True), Dialect(True, True)
OF_AWK = Dialect(True, True, True)
OF_PERL = Dialect(True, True, True, True)


def parts_of(text: str, escapes_in_brackets: bool, negations: str = "^") -> list[str]:
    """A pattern's brackets, pairs with a backslash, and other signs; `[` alone where none closes it."""
    inside = r"\\.|[^]\\]" if escapes_in_brackets else r"[^]]"
    # A `]` in front is a member, so that `[]` and `[!]` are no brackets.
    return re.findall(rf"(?s)\[[{re.escape(negations)}]?+\]?+(?:\[:\w*:\]|{inside})*+\]|\\.|.", text)


def translate(text: str, dialect: Dialect) -> str:
    """A regular expression as RE2 takes it. Raises PatternProblem."""
    parts = parts_of(text, dialect.escapes_in_brackets)
    found: list[str] = []
    for place, part in enumerate(parts):
        before, behind = parts[:place], parts[place + 1 :]
        one = _translate(part, dialect)
        if part == "[":
            raise PatternProblem("a bracket that is not closed")
        if part in (r"\<", r"\>") and not _is_beside_word(before, behind, part == r"\<"):
            raise PatternProblem(f"the edge {part} of what may be no word")
        if one in ("*", "+", "?", "{") and _REPEATED.search("".join(found)):
            # RE2 reads some of them as repetitions that take as little as they can.
            raise PatternProblem("a repetition of a repetition")
        if not dialect.is_extended:
            is_first = not found or found[-1] in ("(", "|")
            is_literal = (part == "*" and (is_first or found == ["^"])) or (part == "^" and not is_first)
            if is_literal or (part == "$" and behind[:1] not in ([], [r"\)"], [r"\|"])):
                one = "\\" + part
        if one == "{" and behind[:1] == [","] and behind[1:2] != ["}"]:
            one = "{0"
        found.append(one)
    return "".join(found)


def _is_beside_word(before: list[str], behind: list[str], is_front: bool) -> bool:
    """Whether a sign of a word stands where an edge says that a word begins or ends."""
    if is_front:
        return re.match(r"(?:\w|\\w)(?!\\?[?{]|\*)", "".join(behind)) is not None
    return re.search(r"(?:\w|\\w)(?:\\?\+)?$", "".join(before)) is not None


def _translate(part: str, dialect: Dialect) -> str:
    if len(part) > 1 and part[0] == "[":
        if dialect.escapes_in_brackets:
            return part
        if dialect.reads_controls:
            part = re.sub(r"\\([ntrfva])", lambda found: _CONTROLS[found[1]], part)
        return part.replace("\\", r"\\")
    if part[0] != "\\" or len(part) == 1:
        # What is an operator behind a backslash stands for itself without.
        return re2.escape(part) if part == "\\" or (part in _OPERATORS and not dialect.is_extended) else part
    sign = part[1]
    if sign in _OPERATORS and not dialect.is_extended:
        return sign
    if sign in "123456789":
        raise PatternProblem(f"the back-reference {part}")
    if sign in "wWsS" or (dialect.is_perl and sign in "dD"):
        return part
    control = _CONTROLS.get(sign) if dialect.reads_controls else None
    return _MEANINGS.get(sign) or re2.escape(control or sign)
