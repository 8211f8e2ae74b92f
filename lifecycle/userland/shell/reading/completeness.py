"""Whether a text is a whole command, or one that goes on in the next line."""

from __future__ import annotations

import re

from ...errors import CannotInterpret
from .skeleton import make_skeleton, take_here_documents

_LAST = "__last_line__"
_DELIMITERS = re.compile(r"<<-?[ \t]*([^\s;&|<>()]+)")
_TOKEN = re.compile(r"&&|\|\||;;|[;&|()\n]|[^\s;&|()]+")
_CLOSERS = {
    "if": "fi",
    "case": "esac",
    "for": "done",
    "while": "done",
    "until": "done",
    "select": "done",
    "{": "}",
    "(": ")",
}
_JOINTS = frozenset("; & | && || ( ) \n ;;".split(" "))
_INTRODUCING = frozenset("then else elif do if while until ! {".split())
"""Behind these stands a command: the words only where they stand for one themselves."""
_GOING_ON = ("&&", "||", "|")


def find_missing(text: str) -> str | None:
    """What has to follow: the line that ends a here-document, "" for anything else; None: nothing.

    Raises CannotInterpret for what no further line makes right.
    """
    try:
        whole, bodies = take_here_documents(text + _LAST)
    except CannotInterpret:
        if re.search(r"<<-?\s*$", text):
            raise
        return ""
    if any(_LAST in body for body, _ in bodies.values()):
        found = _DELIMITERS.findall(text)
        # Of several only a look at all of the text says which one is missing.
        is_only = len(found) == text.count("<<") == 1
        return re.sub(r"['\"\\]", "", found[0]) if is_only else ""
    try:
        skeleton = make_skeleton(whole)
    except CannotInterpret:
        return ""
    # The sentinel has been taken for a part of something quoted, or of a line that goes on.
    if not skeleton.endswith(f"\n{_LAST}"):
        return ""
    return "" if _is_open(skeleton.removesuffix(_LAST)) else None


def _is_open(skeleton: str) -> bool:
    """Whether something that was opened is not closed, or a list has no last command yet."""
    open_ones: list[str] = []
    earlier = before = last = "\n"
    was_first = False
    for token in _TOKEN.findall(skeleton):
        closer = open_ones[-1] if open_ones else ""
        # Bash's other way to define a function has only its name in front of the brace.
        is_function = token == "{" and earlier == "function"
        is_first = before in _JOINTS or (was_first and before in _INTRODUCING) or is_function
        if token == closer and (is_first or token in ")"):
            open_ones.pop()
        elif token in _CLOSERS and (is_first or token == "("):
            # The parentheses behind a function's name are closed at once.
            open_ones.append(_CLOSERS[token])
        elif is_first and token in _CLOSERS.values() and not (token == ")" and closer == "esac"):
            return False
        earlier, before, was_first = before, token, is_first
        last = token if token != "\n" else last
    return bool(open_ones) or last in _GOING_ON
