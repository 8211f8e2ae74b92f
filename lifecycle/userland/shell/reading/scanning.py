"""Finding where quoted stretches, substitutions and expressions of a script end."""

from __future__ import annotations

from ...errors import CannotInterpret

NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")
META = frozenset(" \t\n;&|<>()")
_ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


MOST_NESTED = 40
"""So many constructs inside each other are read; a script written by hand has a handful."""


def skip_quoted(text: str, at: int) -> int:
    """The place behind a quoted stretch, a backslash pair or one plain character that begins at `at`."""
    sign = text[at]
    if sign == "\\":
        return at + 2
    if sign == "'":
        close = text.find("'", at + 1)
        return len(text) if close < 0 else close + 1
    if sign == '"':
        at += 1
        while at < len(text) and text[at] != '"':
            if text.startswith("$(", at):
                at = closing_parenthesis(text, at + 2) + 1
            else:
                at += 2 if text[at] == "\\" else 1
        return at + 1
    return at + 1


def closing_parenthesis(text: str, at: int) -> int:
    """Where the parenthesis opened just before `at` closes, quotes and `case` patterns seen."""
    depth, cases = 1, 0
    while at < len(text):
        sign = text[at]
        if sign == "#" and text[at - 1] in " \t\n;(":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if sign == "(":
            depth += 1
        elif sign == ")":
            # The parenthesis behind a pattern of `case` was never opened.
            if depth == 1 and cases:
                at += 1
                continue
            depth -= 1
            if depth == 0:
                return at
        elif sign in "ce" and _is_keyword(text, at, "case"):
            cases += 1
        elif sign == "e" and _is_keyword(text, at, "esac"):
            cases -= 1
        at = skip_quoted(text, at)
    raise CannotInterpret("a substitution without its closing parenthesis")


def _is_keyword(text: str, at: int, keyword: str) -> bool:
    before, after = text[at - 1 : at], text[at + len(keyword) : at + len(keyword) + 1]
    return text.startswith(keyword, at) and before not in NAME and (after in META or not after)


def arithmetic_end(text: str, at: int) -> int | None:
    """Where the `))` of an expression begins that starts at `at`; None when it is no expression."""
    depth = 0
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if depth == 0:
                return at if text.startswith("))", at) else None
            depth -= 1
        at = skip_quoted(text, at)
    return None


def read_ansi_text(text: str, at: int) -> tuple[str, int]:
    """What stands between `$'` and the next quote, escapes replaced; and the place behind it."""
    found: list[str] = []
    while at < len(text) and text[at] != "'":
        sign, following = text[at], text[at + 1 : at + 2]
        if sign == "\\" and following:
            plain = following if following in "\\'\"" else "\\" + following
            found.append(_ANSI_ESCAPES.get(following, plain))
            at += 2
        else:
            found.append(sign)
            at += 1
    return "".join(found), at + 1


def closing_bracket(text: str, at: int) -> int | None:
    """The place of the bracket that closes an array's index, which may hold quotes, expansions, brackets."""
    depth = 0
    while at < len(text):
        if text[at] == "]" and depth == 0:
            return at
        depth += (text[at] == "[") - (text[at] == "]")
        if text.startswith("$(", at):
            at = closing_parenthesis(text, at + 2) + 1
        elif text[at] in "'\"\\":
            at = min(skip_quoted(text, at), len(text))
        else:
            at += 1
    return None
