"""Shell patterns: `*`, `?`, bracket expressions, and a backslash before what is to be taken literally."""

import re
from functools import lru_cache

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r" \t\n\r\f\v",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "cntrl": r"\x00-\x1f\x7f",
    "print": r"\x20-\x7e",
    "graph": r"\x21-\x7e",
}
_SPECIAL = frozenset("*?[]\\")


def escape(text: str) -> str:
    """The pattern that matches exactly this text."""
    if _SPECIAL.isdisjoint(text):
        return text
    return "".join("\\" + sign if sign in _SPECIAL else sign for sign in text)


def is_pattern(pattern: str) -> bool:
    """Whether the pattern has anything that is not literal."""
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


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str, is_path: bool = False, is_greedy: bool = True) -> re.Pattern[str]:
    """A regular expression for the pattern; in a path, wildcards do not cross slashes."""
    any_sign, more = ("[^/]" if is_path else "."), ("*" if is_greedy else "*?")
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            parts.append(any_sign + more)
        elif sign == "?":
            parts.append(any_sign)
        elif sign == "\\" and at < len(pattern):
            parts.append(re.escape(pattern[at]))
            at += 1
        elif sign == "[":
            bracket = _read_bracket(pattern, at)
            if bracket is None:
                parts.append(r"\[")
            else:
                parts.append(bracket[0])
                at = bracket[1]
        else:
            parts.append(re.escape(sign))
    return re.compile("".join(parts), re.DOTALL)


def _read_bracket(pattern: str, at: int) -> tuple[str, int] | None:
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    inside: list[str] = []
    first = True
    while at < len(pattern):
        sign = pattern[at]
        if sign == "]" and not first:
            body = "".join(inside)
            return (f"[{'^' if negated else ''}{body}]", at + 1)
        first = False
        if pattern.startswith("[:", at) and ":]" in pattern[at:]:
            end = pattern.index(":]", at)
            inside.append(_CLASSES.get(pattern[at + 2 : end], ""))
            at = end + 2
            continue
        if sign == "\\" and at + 1 < len(pattern):
            at += 1
            sign = pattern[at]
            inside.append(re.escape(sign))
        else:
            inside.append("\\" + sign if sign in "[\\^]&~|" else sign)
        at += 1
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches the whole text."""
    return compile_pattern(pattern).fullmatch(text) is not None


def remove_prefix(text: str, pattern: str, longest: bool) -> str:
    """`${text#pattern}`, or `##` for the longest match."""
    compiled = compile_pattern(pattern)
    ends = range(len(text), -1, -1) if longest else range(len(text) + 1)
    for end in ends:
        if compiled.fullmatch(text, 0, end):
            return text[end:]
    return text


def remove_suffix(text: str, pattern: str, longest: bool) -> str:
    """`${text%pattern}`, or `%%` for the longest match."""
    compiled = compile_pattern(pattern)
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    for start in starts:
        if compiled.fullmatch(text, start):
            return text[:start]
    return text
