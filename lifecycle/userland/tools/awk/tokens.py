"""The tokens of an awk program. Whether a slash divides or begins a pattern depends on what stands before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .nodes import AwkProblem

NUMBER, STRING, REGEX, NAME, CALLED, FUNCTION, KEYWORD, SIGN, NEWLINE, END = (
    "number", "string", "regex", "name", "called", "function", "keyword", "sign", "newline", "end",
)  # fmt: skip
KEYWORDS = frozenset(
    "BEGIN END function func if else while for do break continue next nextfile exit return delete in"
    " getline print printf".split()
)
FUNCTIONS = frozenset(
    "length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower"
    " toupper system close fflush systime strftime".split()
)
_SPACE = re.compile(r"(?:[ \t\r]|\\\r?\n|#[^\n]*)+")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SIGNS = (
    "**=", "&&", "||", "==", "<=", ">=", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "!~", ">>",
    "**", *"{}()[];,+-*/%^!<>|?:~$=",
)  # fmt: skip
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "a": "\a", "b": "\b",
            "f": "\f", "v": "\v"}  # fmt: skip
_OCTAL = re.compile(r"[0-7]{1,3}")


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is what it means: a string without its quotes and escapes."""

    kind: str
    text: str
    at: int


def read_escapes(text: str) -> str:
    """Backslash sequences of a string; an unknown one keeps its backslash, for patterns made of strings."""
    found: list[str] = []
    at = 0
    while at < len(text):
        sign, following = text[at], text[at + 1 : at + 2]
        octal = _OCTAL.match(text, at + 1) if sign == "\\" else None
        if sign != "\\" or not following:
            found.append(sign)
            at += 1
        elif octal is not None:
            found.append(chr(int(octal[0], 8)))
            at = octal.end()
        elif following == "\n":
            at += 2
        else:
            found.append(_ESCAPES.get(following, "\\" + following))
            at += 2
    return "".join(found)


def tokenize(text: str) -> list[Token]:
    """All tokens, ending with one of kind END. Raises AwkProblem."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        space = _SPACE.match(text, at)
        if space is not None:
            at = space.end()
            continue
        token, at = _read(text, at, found[-1] if found else None)
        found.append(token)
    found.append(Token(END, "", len(text)))
    return found


def _read(text: str, at: int, before: Token | None) -> tuple[Token, int]:
    sign = text[at]
    if sign == "\n":
        return Token(NEWLINE, "\n", at), at + 1
    if sign == '"':
        end = _end_of(text, at, '"')
        return Token(STRING, read_escapes(text[at + 1 : end]), at), end + 1
    if sign == "/" and not _is_operand(before):
        end = _end_of(text, at, "/")
        return Token(REGEX, text[at + 1 : end].replace("\\/", "/"), at), end + 1
    number = _NUMBER.match(text, at)
    if number is not None:
        return Token(NUMBER, number[0], at), number.end()
    name = _NAME.match(text, at)
    if name is not None:
        return Token(_kind_of(name[0], text[name.end() : name.end() + 1]), name[0], at), name.end()
    for one in _SIGNS:
        if text.startswith(one, at):
            return Token(SIGN, one.replace("**", "^"), at), at + len(one)
    raise AwkProblem(f"the sign {sign!r}")


def _kind_of(name: str, following: str) -> str:
    if name in KEYWORDS:
        return KEYWORD
    if name in FUNCTIONS:
        return FUNCTION
    # A call of the program's own function has its bracket at once behind the name.
    return CALLED if following == "(" else NAME


def _is_operand(token: Token | None) -> bool:
    if token is None:
        return False
    return token.kind in (NUMBER, STRING, REGEX, NAME, FUNCTION) or token.text in (")", "]", "$", "++", "--")


def _end_of(text: str, start: int, delimiter: str) -> int:
    at, is_inside = start + 1, False
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            at += 1
        elif delimiter == "/" and sign == "[" and not is_inside:
            is_inside = True
            # A bracket that comes first stands for itself.
            at += len(re.match(r"\^?\]?", text[at + 1 :])[0])  # type: ignore[index]
        elif sign == "]":
            is_inside = False
        elif sign == delimiter and not is_inside:
            return at
        at += 1
    raise AwkProblem(f"the text behind {text[start : start + 20]!r}, which does not end")
