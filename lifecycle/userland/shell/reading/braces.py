"""Brace expansion: `a{b,c}` and `{1..3}`, in the shells that know it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from ...errors import CannotInterpret
from .word_parts import Text, Word

_MOST_WORDS = 100_000
_SIGNS_OF_A_WORD = 1 << 9
_SEQUENCE = re.compile(r"(?:(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d+))?", re.ASCII)


def expand_braces(word: Word, work: Callable[[int], None]) -> list[Word]:
    """`a{b,c}` is two words, in the shells that know it; only where braces are written without quotes.

    `work` is told what that costs, in signs moved, also where it comes to nothing.
    """
    found: list[Word] = []
    waiting = [word]
    while waiting:
        one = waiting.pop()
        alternatives = _expand_first(one)
        if alternatives is None:
            found.append(one)
        else:
            work(len(alternatives) * _SIGNS_OF_A_WORD)
            waiting.extend(reversed(alternatives))
        if len(found) + len(waiting) > _MOST_WORDS:
            raise CannotInterpret(f"more than {_MOST_WORDS} words made of braces")
    return found


def _expand_first(word: Word) -> list[Word] | None:
    """The words that the first braces make; None without any."""
    for place, part in enumerate(word):
        if isinstance(part, Text) and not part.quoted and "{" in part.text:
            alternatives = _alternatives(part.text)
            if alternatives is not None:
                before, after = word[:place], word[place + 1 :]
                return [(*before, Text(text, False), *after) for text in alternatives]
    return None


def _alternatives(text: str) -> list[str] | None:
    """The texts that the first braces make which make any."""
    opening = text.find("{")
    while opening >= 0:
        found = _alternatives_at(text, opening)
        if found is not None:
            return found
        opening = text.find("{", opening + 1)
    return None


def _alternatives_at(text: str, opening: int) -> list[str] | None:
    depth, commas = 0, []
    for at in range(opening, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                break
        elif text[at] == "," and depth == 1:
            commas.append(at)
    else:
        return None
    before, after = text[:opening], text[at + 1 :]
    if commas:
        edges = [opening, *commas, at]
        middles = [text[low + 1 : high] for low, high in pairwise(edges)]
        return [before + middle + after for middle in middles]
    sequence = _sequence(text[opening + 1 : at])
    return None if sequence is None else [before + middle + after for middle in sequence]


def _sequence(inside: str) -> list[str] | None:
    """`1..9`, `a..f`, and with a step behind another pair of points."""
    match = _SEQUENCE.fullmatch(inside)
    if match is None:
        return None
    first, last, step = match[1] or match[3], match[2] or match[4], abs(int(match[5] or 1)) or 1
    low, high = (int(first), int(last)) if match[1] else (ord(first), ord(last))
    if abs(high - low) // step > _MOST_WORDS:
        raise CannotInterpret(f"the long list {{{inside}}}")
    places = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    if not match[1]:
        return [chr(place) for place in places]
    has_zeros = any(text.lstrip("-").startswith("0") and text.lstrip("-") != "0" for text in (first, last))
    width = max(len(first), len(last)) if has_zeros else 0
    return [str(place).zfill(width) for place in places]
