"""Brace expansion: `a{b,c}` and `{1..3}`, in the shells that know it."""

from itertools import pairwise

from lifecycle.engine.programs.shell.scanning import CannotInterpret
from lifecycle.engine.programs.shell.word_parts import Text, Word

_MOST_WORDS = 100_000


def expand_braces(word: Word) -> list[Word]:
    """`a{b,c}` is two words, in the shells that know it; only where braces are written without quotes."""
    found: list[Word] = []
    waiting = [word]
    while waiting:
        one = waiting.pop()
        alternatives = _expand_first(one)
        if alternatives is None:
            found.append(one)
        else:
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
    opening = text.find("{")
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
    inside = text[opening + 1 : at]
    before, after = text[:opening], text[at + 1 :]
    if commas:
        edges = [opening, *commas, at]
        middles = [text[low + 1 : high] for low, high in pairwise(edges)]
        return [before + middle + after for middle in middles]
    sequence = _sequence(inside)
    return None if sequence is None else [before + middle + after for middle in sequence]


def _sequence(inside: str) -> list[str] | None:
    first, dots, last = inside.partition("..")
    if not dots:
        return None
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        low, high = ord(first), ord(last)
        step = 1 if low <= high else -1
        return [chr(code) for code in range(low, high + step, step)]
    if not (first.lstrip("-").isdigit() and last.lstrip("-").isdigit()):
        return None
    low, high = int(first), int(last)
    if abs(high - low) > _MOST_WORDS:
        raise CannotInterpret(f"the long list {{{inside}}}")
    width = max(len(first), len(last)) if first.startswith("0") or last.startswith("0") else 0
    step = 1 if low <= high else -1
    return [str(number).zfill(width) for number in range(low, high + step, step)]
