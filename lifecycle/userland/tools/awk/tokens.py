"""The tokens of an awk program. Whether a slash divides or begins a pattern depends on what stands before."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .values import AwkProblem

NUMBER, STRING, REGEX, NAME, CALLED, FUNCTION, KEYWORD, SIGN, NEWLINE, END = (
    "number", "string", "regex", "name", "called", "function", "keyword", "sign", "newline", "end",
)  # fmt: skip
KEYWORDS = frozenset(
    "BEGIN END function func if else while for do break continue next nextfile exit return delete in"
    " getline print printf".split()
)
FUNCTIONS = frozenset("length substr index split sub gsub sprintf int tolower toupper".split())
_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\r?\n|\#[^\n]*)+)
    | (?P<newline>\n)
    | "(?P<string>(?:[^"\\\n]|\\.)*)"
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<sign>&&|\|\||[=<>!+*/%^-]=|\+\+|--|!~|>>|[{}()\[\];,+*/%^!<>|?:~$=-])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/((?:[^\\/\[\n]|\\.|\[\^?\]?[^\]]*\])*)/")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "/": "/", "a": "\a", "b": "\b",
            "f": "\f", "v": "\v", "\n": ""}  # fmt: skip
_ESCAPED = re.compile(r"\\(?:([0-7]{1,3})|(.))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is what it means: a string without its quotes and escapes."""

    kind: str
    text: str


def read_escapes(text: str) -> str:
    """Backslash sequences of a string; an unknown one keeps its backslash, for patterns made of strings."""
    return _ESCAPED.sub(
        lambda found: chr(int(found[1], 8)) if found[1] else _ESCAPES.get(found[2], found[0]), text
    )


def tokenize(text: str) -> list[Token]:
    """All tokens, ending with one of kind END. Raises AwkProblem."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        is_pattern = text[at] == "/" and not (found and _is_operand(found[-1]))
        match = _REGEX.match(text, at) if is_pattern else _TOKEN.match(text, at)
        if match is None and text[at] in '"/':
            raise AwkProblem(f"the text behind {text[at : at + 20]!r}, which does not end")
        if match is None:
            raise AwkProblem(f"the sign {text[at]!r}")
        at = match.end()
        if is_pattern:
            found.append(Token(REGEX, match[1].replace("\\/", "/")))
        elif match.lastgroup != "space":
            found.append(_make(match, text[at : at + 1]))
    found.append(Token(END, ""))
    return found


def _make(match: re.Match[str], following: str) -> Token:
    kind = match.lastgroup or SIGN
    text = match[kind]
    if kind == STRING:
        return Token(STRING, read_escapes(text))
    if kind != NAME:
        return Token(kind, text)
    if text in KEYWORDS or text in FUNCTIONS:
        return Token(KEYWORD if text in KEYWORDS else FUNCTION, text)
    return Token(CALLED if following == "(" else NAME, text)


def _is_operand(token: Token) -> bool:
    return token.kind in (NUMBER, STRING, REGEX, NAME, FUNCTION) or token.text in (")", "]", "$", "++", "--")
