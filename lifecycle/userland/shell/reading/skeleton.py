"""The skeleton of a script: the same text with everything inside words made harmless.

The grammar library is asked only how commands are joined and nested. So that quotes, expansions, patterns and
odd characters cannot lead it astray, each word is masked by plain letters, sign by sign, before it sees the
text; places in the skeleton are places in the text. Bodies of here-documents are taken out beforehand.
"""

from __future__ import annotations

import re

from ...errors import CannotInterpret
from .scanning import arithmetic_end, closing_parenthesis, skip_quoted
from .words import WordReader

_META = frozenset(" \t\n;&|<>()")
_RESERVED = frozenset(
    "if then elif else fi do done case esac while until for in function select { } ! coproc".split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=")
_REDIRECTION = re.compile(r"<<<|&>>|&>|>>|>&|<&|>\||<>|<|>")
_PLAIN = re.compile(r"\w+\Z", re.ASCII)
_STANDS_FOR = "__here_document_{}__"
_NEGATED = re.compile(r"!(?=[ \t])[ \t]+(?=(?:\{|if|while|until|for|case)(?!\w))")
_LINE_END = re.compile(r"\b(\w+)([ \t]*)\n(?=\s*(\w+))")
_NEVER_FIRST = frozenset("then elif else fi do done in esac".split())
_DELIMITER = re.compile(r"<<(-?)[ \t]*((?:[^\s;&|<>()'\"\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")+)")
_LOOP_HEAD = re.compile(r"(?:^|[\s;&|(])for\s*\Z")
_COMMAND_POSITION = re.compile(r"(?:^|[;&|()\n]|\b(?:if|then|elif|else|do|while|until)\b|[{!])\s*\Z")


def make_skeleton(text: str) -> str:
    """The text with its words masked: plain ASCII of the same length."""
    found: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if text.startswith("\\\n", at):
            end, masked = at + 2, "  "
        elif sign == "#" and (at == 0 or text[at - 1] in _META):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            masked = " " * (end - at)
        elif text.startswith("<(", at):
            end = closing_parenthesis(text, at + 2) + 1
            masked = "x" * (end - at)
        elif text.startswith("((", at) and _LOOP_HEAD.search(text[max(at - 20, 0) : at]):
            end, masked = _loop_head(text, at)
        elif text.startswith("((", at) and _is_command_position(text, at):
            end, masked = _arithmetic_command(text, at)
        elif (redirection := _REDIRECTION.match(text, at)) is not None:
            # Which redirection it is does not change the structure: `<` and `>` stand for all.
            end = redirection.end()
            masked = ("<" if "<" in redirection[0] else ">").ljust(end - at)
        elif sign in _META:
            end, masked = at + 1, sign
        else:
            end = _word_end(text, at)
            masked = _mask(text[at:end], text, at)
        found.append(masked)
        at = end
    return "".join(found)


def end_statements(skeleton: str) -> str:
    """The skeleton with `;` for the line's end between two plain commands.

    Behind a pipeline of three commands the grammar reads over the end of the line, and takes the next line's
    command for arguments where an `&&` follows.
    """

    def end(match: re.Match[str]) -> str:
        is_plain = match[1] not in _RESERVED and match[3] not in _NEVER_FIRST
        return f"{match[1]}{match[2]}{';' if is_plain else match[0][-1]}"

    return _LINE_END.sub(end, skeleton)


def hide_negations(skeleton: str) -> tuple[str, set[int]]:
    """The skeleton without each `!` in front of a compound command, and the places where those begin.

    The grammar knows `!` only in front of simple commands and subshells.
    """
    places: set[int] = set()
    found: list[str] = []
    at = 0
    for match in _NEGATED.finditer(skeleton):
        if _is_command_position(skeleton, match.start()):
            places.add(match.end())
            found += [skeleton[at : match.start()], " "]
            at = match.start() + 1
    return "".join(found) + skeleton[at:], places


def _is_command_position(text: str, at: int) -> bool:
    return _COMMAND_POSITION.search(text[max(at - 40, 0) : at]) is not None


def _loop_head(text: str, at: int) -> tuple[int, str]:
    """`((first; condition; step))` behind `for`: each expression becomes one word."""
    close = arithmetic_end(text, at + 2)
    if close is None:
        return at + 1, "("
    sections = text[at + 2 : close].split(";")
    masked = (section if section.isspace() else "x" * len(section) for section in sections)
    return close + 2, f"(({';'.join(masked)}))"


def _arithmetic_command(text: str, at: int) -> tuple[int, str]:
    """`(( … ))` becomes one word; two subshells that begin together stay what they are."""
    close = arithmetic_end(text, at + 2)
    if close is None:
        return at + 1, "("
    return close + 2, "x" * (close + 2 - at)


def _word_end(text: str, at: int) -> int:
    if re.match(r"\[\[\s", text[at : at + 3]):
        return _condition_end(text, at)
    start = at
    while at < len(text) and text[at] not in _META:
        if text[at] in "$`":
            at = _expansion_end(text, at)
        elif text.startswith("\\\n", at):
            break
        else:
            at = min(skip_quoted(text, at), len(text))
    if text.startswith("(", at) and _ASSIGNMENT.fullmatch(text[start:at]):
        # An array is part of its assignment.
        return closing_parenthesis(text, at + 1) + 1
    return at


def _expansion_end(text: str, at: int) -> int:
    reader = WordReader(text)
    reader.at = at
    reader.expansion(False)
    return reader.at


def _condition_end(text: str, at: int) -> int:
    place = at + 2
    while place < len(text):
        if text.startswith("]]", place) and text[place - 1] in " \t\n":
            return place + 2
        if text[place] in "$`":
            place = _expansion_end(text, place)
        else:
            place = skip_quoted(text, place)
    raise CannotInterpret("[[ without ]]")


def _mask(word: str, text: str, at: int) -> str:
    if word in _RESERVED or _PLAIN.match(word):
        return word
    assignment = _ASSIGNMENT.match(word)
    if assignment is not None and "[" not in assignment[0]:
        name = assignment[0].rstrip("=").rstrip("+")
        # The grammar takes a bare `name=` followed by a blank for an empty value, as the shell does.
        return name + "=" + "x" * (len(word) - len(name) - 1)
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign == "_") else "x" for sign in word)


def take_here_documents(text: str) -> tuple[str, dict[str, tuple[str, bool]]]:
    """The text without here-document bodies, and the bodies by the word that stands for each.

    The truth value beside a body says whether expansions in it count.
    """
    if "<<" not in text:
        return text, {}
    found: dict[str, tuple[str, bool]] = {}
    waiting: list[tuple[str, str, bool, bool]] = []
    kept: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\n" and waiting:
            at = _take_bodies(text, at + 1, waiting, found)
            kept.append("\n")
            continue
        end = _skip(text, at)
        if end is not None:
            kept.append(text[at:end])
            at = end
            continue
        delimiter = _DELIMITER.match(text, at)
        if delimiter is None:
            raise CannotInterpret("a here-document without a delimiter")
        name = _STANDS_FOR.format(len(found) + len(waiting))
        plain = re.sub(r"['\"\\]", "", delimiter[2])
        waiting.append((name, plain, plain == delimiter[2], bool(delimiter[1])))
        kept.append(f"< {name}")
        at = delimiter.end()
    _take_bodies(text, at, waiting, found)
    return "".join(kept), found


def _skip(text: str, at: int) -> int | None:
    """The place behind what begins here; None where a here-document is announced."""
    if text.startswith("<<<", at):
        return at + 3
    if text.startswith("<(", at):
        return closing_parenthesis(text, at + 2) + 1
    if text.startswith("<<", at):
        return None
    if text[at] == "#" and (at == 0 or text[at - 1] in " \t\n;"):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if text[at] in "$`":
        # Read as one word: what is announced inside belongs to the inner text.
        return _expansion_end(text, at)
    if text.startswith("((", at):
        close = arithmetic_end(text, at + 2)
        return at + 1 if close is None else close + 2
    return min(skip_quoted(text, at), len(text))


def _take_bodies(
    text: str, at: int, waiting: list[tuple[str, str, bool, bool]], found: dict[str, tuple[str, bool]]
) -> int:
    for name, delimiter, is_expanded, strips_tabs in waiting:
        lines: list[str] = []
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            line = line.lstrip("\t") if strips_tabs else line
            at = min(end + 1, len(text))
            if line == delimiter:
                break
            lines.append(line + "\n")
        found[name] = ("".join(lines), is_expanded)
    waiting.clear()
    return at
