"""Shell patterns: `*`, `?`, bracket expressions, and a backslash before what is to be taken literally."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import re2

from ...matching.expression import Compiled, Expression, check_cost, compile_text
from ...matching.problem import PatternProblem
from ...matching.translation import parts_of

_ANY_TEXT = ".*"
_SPECIAL = "*?[]\\"
_LONGEST = 4 << 20
_SIGNS_OF_A_MATCH = 2048
"""Replacing one match is as much work as moving so many signs."""


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


def _read(pattern: str) -> list[str]:
    """The pattern's parts as RE2 takes them; a bracket that is not closed stands for itself."""
    return [_read_part(part) for part in parts_of(pattern, True, "!^")]


def _read_part(part: str) -> str:
    if len(part) > 1 and part[0] == "[":
        is_negated = part[1] in "!^"
        # A letter behind a backslash would mean something else to RE2.
        inside = re.sub(r"\\(\w)", r"\1", part[1 + is_negated :])
        return f"[{'^' if is_negated else ''}{inside}"
    return {"*": _ANY_TEXT, "?": "."}.get(part) or str(re2.escape(part[-1]))


@lru_cache(maxsize=1024)
def _compile(pattern: str, is_longest: bool = True, is_backwards: bool = False) -> Compiled:
    """The pattern, ready for use; backwards for texts that are read so. Raises PatternProblem."""
    parts = _read(pattern)
    text = "".join(reversed(parts) if is_backwards else parts)
    # The first of the shortest ways through the parts is the shortest in all: each is one sign, or any.
    return compile_text(text if is_longest else text.replace(_ANY_TEXT, ".*?"), is_longest=is_longest)


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text. Raises PatternProblem."""
    if not is_pattern(pattern):
        return unescape(pattern) == text
    compiled = _compile(pattern)
    return compiled.fullmatch(check_cost(compiled, text)) is not None


def _length(compiled: Compiled, text: str) -> int:
    """How much of a text's beginning matches."""
    found = compiled.match(check_cost(compiled, text))
    return found.end() if found is not None else 0


def remove_prefix(text: str, pattern: str, longest: bool) -> str:
    """`${text#pattern}`, or `##` for the longest match. Raises PatternProblem."""
    return text[_length(_compile(pattern, longest), text) :]


def remove_suffix(text: str, pattern: str, longest: bool) -> str:
    """`${text%pattern}`, or `%%` for the longest match. Raises PatternProblem."""
    return text[: len(text) - _length(_compile(pattern, longest, is_backwards=True), text[::-1])]


@lru_cache(maxsize=512)
def _expression(pattern: str) -> Expression:
    return Expression("".join(_read(pattern)))


def replace(text: str, pattern: str, new: str, is_global: bool, work: Callable[[int], None]) -> str:
    """`${text/pattern/new}`, or `//` for every match; nothing at all is one only in an empty text.

    `work` is told what each match costs, in signs moved. Raises PatternProblem.
    """
    found: list[str] = []
    at = signs = 0
    for match in _expression(pattern).all(text):
        work(_SIGNS_OF_A_MATCH)
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
