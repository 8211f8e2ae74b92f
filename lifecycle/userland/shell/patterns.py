"""Shell patterns: `*`, `?`, bracket expressions, and a backslash before what is to be taken literally."""

from __future__ import annotations

import re
from functools import lru_cache

from ..matching.brackets import BracketReader
from ..matching.expression import Expression
from ..matching.syntax import ANY, Node, PatternProblem, Repeat, Sequence, one_sign, reverse

_SPECIAL = "*?[]\\"
_LONGEST = 4 << 20
_BRACKETS = BracketReader("!^", {}, True)


def escape(text: str) -> str:
    """The pattern that matches exactly this text."""
    if not any(sign in text for sign in _SPECIAL):
        return text
    return "".join("\\" + sign if sign in _SPECIAL else sign for sign in text)


def is_pattern(pattern: str) -> bool:
    """Whether the pattern has anything that is not literal."""
    if not any(sign in pattern for sign in "*?["):
        return False
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 2
        elif pattern[at] in "*?" or (pattern[at] == "[" and "]" in pattern[at + 1 :]):
            return True
        else:
            at += 1
    return False


def unescape(pattern: str) -> str:
    """The text of a pattern without anything special."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


def read_pattern(pattern: str) -> Node:
    """The pattern's syntax; a bracket that is not closed stands for itself."""
    found: list[Node] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            found.append(Repeat(ANY, 0, None))
        elif sign == "?":
            found.append(ANY)
        elif sign == "\\" and at < len(pattern):
            found.append(one_sign(pattern[at]))
            at += 1
        elif sign == "[":
            try:
                signs, at = _BRACKETS.read(pattern, at)
            except PatternProblem:
                signs = one_sign(sign)
            found.append(signs)
        else:
            found.append(one_sign(sign))
    return Sequence(tuple(found))


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Expression:
    """The pattern, ready for use. Raises PatternProblem."""
    return Expression(read_pattern(pattern))


@lru_cache(maxsize=512)
def _compile_backwards(pattern: str) -> Expression:
    return Expression(reverse(read_pattern(pattern)))


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text."""
    if not is_pattern(pattern):
        return unescape(pattern) == text
    return compile_pattern(pattern).longest(text) == len(text)


def remove_prefix(text: str, pattern: str, longest: bool) -> str:
    """`${text#pattern}`, or `##` for the longest match."""
    compiled = compile_pattern(pattern)
    end = compiled.longest(text) if longest else compiled.shortest(text)
    return text[max(end, 0) :]


def remove_suffix(text: str, pattern: str, longest: bool) -> str:
    """`${text%pattern}`, or `%%` for the longest match."""
    compiled, backwards = _compile_backwards(pattern), text[::-1]
    length = compiled.longest(backwards) if longest else compiled.shortest(backwards)
    return text[: len(text) - max(length, 0)]


def replace(text: str, pattern: str, new: str, is_global: bool) -> str:
    """`${text/pattern/new}`, or `//` for every match; nothing at all is one only in an empty text."""
    found: list[str] = []
    at = signs = 0
    for match in compile_pattern(pattern).all(text):
        if match.end() == match.start() and text:
            continue
        found += [text[at : match.start()], new]
        at = match.end()
        signs += len(new)
        if signs > _LONGEST:
            raise PatternProblem(f"a text of more than {_LONGEST >> 20} MiB")
        if not is_global:
            break
    return "".join(found) + text[at:]
