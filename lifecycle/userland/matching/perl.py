"""What only Perl's expressions have (`grep -P`): tries one way after the other, so that it needs a bound."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .problem import PatternProblem

_MOST_TRIES = 100_000_000
_TRIES_OF_A_STEP = 50
_REPEATED_GROUP = re.compile(r"\)[*+{?]")


class BacktrackingExpression:
    """A pattern with lookarounds or lazy repetitions. Raises PatternProblem where it might take for ever."""

    def __init__(self, text: str, ignores_case: bool) -> None:
        if _REPEATED_GROUP.search(text):
            raise PatternProblem("a repeated group in a pattern of Perl's own")
        try:
            self._pattern = re.compile(text, re.IGNORECASE if ignores_case else 0)
        except re.error as error:
            raise PatternProblem(f"the pattern {text[:40]!r} ({error})") from None
        self._repeats = len(re.findall(r"[*+{]", text))

    def cost(self, text: str) -> int:
        """What a look at a text costs at most; a try costs little."""
        return int((len(text) + 1) ** (self._repeats + 1)) // _TRIES_OF_A_STEP

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere. Raises PatternProblem where that may take too long."""
        self._check(text)
        return self._pattern.search(text) is not None

    def all(self, text: str) -> Iterator[re.Match[str]]:
        """Find every match. Raises PatternProblem where that may take too long."""
        self._check(text)
        return self._pattern.finditer(text)

    def _check(self, text: str) -> None:
        # Each repetition may be tried with every length, from every place.
        if self.cost(text) > _MOST_TRIES // _TRIES_OF_A_STEP:
            raise PatternProblem("a pattern that may take so long to match")
