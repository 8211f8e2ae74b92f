"""Options and operands of a command line, as getopt reads them."""

from __future__ import annotations

from collections.abc import Sequence


def split_options(
    words: Sequence[str], with_value: str = "", long_with_value: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Options and operands. Short options in `with_value` take a value, glued on or next.

    Long options keep their name; their value is what follows `=`, or the next word for those listed.
    """
    options: dict[str, str] = {}
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands.extend(words[at:])
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name in long_with_value and at < len(words):
                value, at = words[at], at + 1
            options[name] = value
        elif word.startswith("-") and len(word) > 1:
            at = _short_options(word[1:], words, at, with_value, options)
        else:
            operands.append(word)
    return options, operands


def _short_options(
    letters: str, words: Sequence[str], at: int, with_value: str, options: dict[str, str]
) -> int:
    for place, letter in enumerate(letters):
        if letter not in with_value:
            options[letter] = ""
            continue
        glued = letters[place + 1 :]
        if glued or at >= len(words):
            options[letter] = glued
            return at
        options[letter] = words[at]
        return at + 1
    return at


def leading_options(words: Sequence[str], with_value: str = "") -> tuple[dict[str, str], list[str]]:
    """Options in front of a program and its arguments, and these; for tools that run another program."""
    count = 0
    while count < len(words) and words[count].startswith("-") and len(words[count]) > 1:
        takes_next = not words[count].startswith("--") and words[count][-1] in with_value
        count += 1 + (takes_next and len(words[count]) == 2)
    return split_options(words[:count], with_value)[0], list(words[count:])
