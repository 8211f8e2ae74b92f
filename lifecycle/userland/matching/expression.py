"""Patterns ready for use: where they match, the leftmost and longest first, and what their groups hold.

RE2 does the matching, in time that grows with the text and never faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import re2

from .problem import PatternProblem
from .translation import Dialect, translate

_MOST_MEMORY = 1 << 20
_MOST_COST = 1 << 28
"""Signs times steps of one look: about a second."""
_MOST_SCANNED = 1 << 30
Compiled: TypeAlias = Any
"""A pattern of RE2, which has no types of its own."""


def compile_text(text: str, ignores_case: bool = False, is_longest: bool = True) -> Compiled:
    """A pattern in RE2's spelling. Raises PatternProblem for one of too many parts."""
    options = re2.Options()
    options.longest_match = is_longest
    options.case_sensitive = not ignores_case
    options.dot_nl = True
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    try:
        return re2.compile(text, options)
    except re2.error:
        raise PatternProblem("a pattern that makes no sense, or of so many parts") from None


def check_cost(compiled: Compiled, text: str) -> str:
    """The text, when it can be looked through in time. Raises PatternProblem else."""
    if len(text) * compiled.programsize > _MOST_COST:
        raise PatternProblem("a pattern that takes so long to match")
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        raise PatternProblem("a text with half a sign in it")
    return text


class Found:
    """A match: `found[0]` is its text, `found[1]` that of the first group, "" when it took no part."""

    __slots__ = ("_match", "_shown")

    def __init__(self, match: Any, shown: int) -> None:
        self._match = match
        self._shown = shown

    def start(self) -> int:
        """Where it begins."""
        return int(self._match.start(self._shown))

    def end(self) -> int:
        """The place behind it."""
        return int(self._match.end(self._shown))

    def __getitem__(self, group: int) -> str:
        """The text of a group. Raises PatternProblem when there is no such group."""
        if group > self._match.re.groups:
            raise PatternProblem(f"the group {group}, which is not there")
        return self._match[group or self._shown] or ""

    def groups(self) -> list[str]:
        """The texts of all groups."""
        return [self[number + 1] for number in range(self._match.re.groups)]


class Expression:
    """A compiled pattern. All methods raise PatternProblem where matching takes too long."""

    def __init__(self, text: str, ignores_case: bool = False, shown: int = 0) -> None:
        self._compiled = compile_text(text, ignores_case)
        self._shown = shown
        """The group that counts as the match: what is around it is only looked at."""
        self.groups: int = self._compiled.groups

    def cost(self, text: str) -> int:
        """What a look at a text costs at most, in signs times steps."""
        return len(text) * int(self._compiled.programsize)

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere."""
        return self.search(text) is not None

    def search(self, text: str, at: int = 0) -> Found | None:
        """The leftmost match from a place on, as long as it can be."""
        match = self._compiled.search(check_cost(self._compiled, text), at)
        return None if match is None else Found(match, self._shown)

    def match(self, text: str) -> Found | None:
        """The longest match at the text's beginning."""
        match = self._compiled.match(check_cost(self._compiled, text))
        return None if match is None else Found(match, self._shown)

    def all(self, text: str) -> Iterator[Found]:
        """Every match, one behind the other; nothing at all does not match right behind a match."""
        if not self._shown:
            yield from self._all_whole(text)
            return
        at, last_end, scanned = 0, -1, 0
        while at <= len(text):
            found = self.search(text, at)
            if found is None:
                return
            if found.end() > found.start() or found.start() != last_end:
                yield found
            last_end = found.end()
            at = max(last_end, found.start() + (found.end() == found.start()))
            scanned += len(text)
            _check_scanned(scanned)

    def _all_whole(self, text: str) -> Iterator[Found]:
        """The same where the whole match counts: the text is made ready for looking at only once."""
        last_end, scanned = -1, 0
        for match in self._compiled.finditer(check_cost(self._compiled, text)):
            found = Found(match, 0)
            if found.end() > found.start() or found.start() != last_end:
                yield found
            last_end = found.end()
            scanned += len(text)
            _check_scanned(scanned)


def _check_scanned(signs: int) -> None:
    if signs > _MOST_SCANNED:
        raise PatternProblem("so many matches in so long a text")


@lru_cache(maxsize=512)
def compile_expression(text: str, dialect: Dialect, ignores_case: bool = False) -> Expression:
    """A regular expression, ready for use. Raises PatternProblem."""
    return Expression(translate(text, dialect), ignores_case)
