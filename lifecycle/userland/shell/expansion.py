"""Expansion of words: parameters, arithmetic, results of substitutions, fields, file names.

Follows POSIX 2.6. Each field is built twice at once: as text, and as a pattern in which quoted characters are
escaped, so that only unquoted wildcards are looked up among the files.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import CannotInterpret
from .arithmetic import evaluate
from .fields import BREAK, FieldBuilder, Piece
from .reading import patterns
from .reading.braces import expand_braces
from .reading.word_parts import Arithmetic, Parameter, Part, Substitution, Text, Word
from .scope import ShellScope


class ExpansionProblem(Exception):
    """An expansion that ends the command, and a script with it: `${x:?}`, or an unset name under `set -u`."""


_MOST_FIELDS = 250_000
_LONGEST = 4 << 20
_LOOKS, _SIGNS_OF_A_FIELD = 4, 512
"""Looking at a sign is so much more work than moving it."""
_OF_BASH = frozenset(("/", "//", "/#", "/%", ":", "^", "^^", ",", ",,", "indirect"))
_OF_THE_WHOLE = ("length", "-", ":-", "=", ":=", "?", ":?", "+", ":+")


def expand_fields(words: Sequence[Word], scope: ShellScope) -> list[str]:
    """The arguments that words become. Raises ExpansionProblem."""
    fields: list[str] = []
    try:
        _add_fields(words, scope, fields)
    finally:
        signs = sum(map(len, fields))
        scope.work(_LOOKS * signs + _SIGNS_OF_A_FIELD * (len(fields) - len(words)))
    _need_space(signs)
    return fields


def _add_fields(words: Sequence[Word], scope: ShellScope, fields: list[str]) -> None:
    for word in words:
        simple = word[0] if len(word) == 1 else None
        if isinstance(simple, Text) and (simple.quoted or not _is_special(simple.text)):
            fields.append(simple.text)
            continue
        for each in expand_braces(word, scope.work) if scope.expands_braces else [word]:
            fields.extend(_word_fields(each, scope))
        if len(fields) > _MOST_FIELDS:
            raise CannotInterpret(f"more than {_MOST_FIELDS} words")


def _need_space(signs: int) -> None:
    if signs > _LONGEST:
        raise CannotInterpret(f"words of more than {_LONGEST >> 20} MiB")


def _is_special(text: str) -> bool:
    return any(sign in text for sign in "*?[~{")


def expand_text(word: Word, scope: ShellScope) -> str:
    """The word as one text: not split, no file names. For assignments, redirections and `case`."""
    pieces = _pieces(_tilde(word, scope), scope)
    return "".join(" " if piece is BREAK else piece[0] for piece in pieces)


def expand_pattern(word: Word, scope: ShellScope) -> str:
    """The word as one pattern, quoted characters escaped."""
    pieces = _pieces(_tilde(word, scope), scope)
    return "".join(
        " " if piece is BREAK else patterns.escape(piece[0]) if piece[1] else piece[0] for piece in pieces
    )


def _word_fields(word: Word, scope: ShellScope) -> list[str]:
    fields: list[str] = []
    builder = FieldBuilder(scope.get("IFS"))
    for piece in _pieces(_tilde(word, scope), scope):
        builder.add(piece)
    for text, pattern in builder.finish():
        if patterns.is_pattern(pattern):
            fields.extend(scope.names_matching(pattern) or scope.unmatched(text))
        else:
            fields.append(text)
    return fields


def _tilde(word: Word, scope: ShellScope) -> Word:
    first = word[0] if word else None
    if isinstance(first, Text) and not first.quoted and first.text.startswith("~"):
        user, slash, rest = first.text.partition("/")
        if user == "~" and (slash or len(word) == 1):
            home = scope.get("HOME") or "/root"
            return (Text(home, True), Text(slash + rest, False), *word[1:])
    return word


def _pieces(word: Word, scope: ShellScope) -> list[Piece | None]:
    pieces: list[Piece | None] = []
    signs = 0
    for part in word:
        found = _part(part, scope)
        pieces.extend(found)
        signs += sum(len(piece[0]) for piece in found if piece is not BREAK)
        _need_space(signs)
    return pieces


def _part(part: Part, scope: ShellScope) -> list[Piece | None]:
    match part:
        case Text(text, quoted):
            return [(text, quoted, False)]
        case Arithmetic(word, quoted):
            value = evaluate(expand_text(word, scope), lambda name: _arithmetic_value(name, scope), scope.put)
            return [(str(value), quoted, True)]
        case Substitution(slot, _, True):
            if scope.is_posix_only:
                raise ExpansionProblem('Syntax error: "(" unexpected')
            return [(scope.substituted_file(slot), True, False)]
        case Substitution(slot, quoted):
            return [(scope.substituted(slot).replace("\0", "").rstrip("\n"), quoted, True)]
        case Parameter():
            return _parameter(part, scope)


def _arithmetic_value(name: str, scope: ShellScope) -> str:
    value = scope.get(name)
    if value is None and scope.is_nounset:
        raise ExpansionProblem(f"{name}: parameter not set")
    return value or ""


def _list_pieces(values: Sequence[str], quoted: bool, joined: bool, scope: ShellScope) -> list[Piece | None]:
    """`$@` and `$*`: a field each, or joined by the first separator when `"$*"`."""
    if quoted and joined:
        separators = scope.get("IFS")
        return [((" " if separators is None else separators[:1]).join(values), True, False)]
    pieces: list[Piece | None] = []
    for place, value in enumerate(values):
        if place:
            pieces.append(BREAK)
        pieces.append((value, quoted, True))
    return pieces


def _parameter(part: Parameter, scope: ShellScope) -> list[Piece | None]:
    if scope.is_posix_only and (part.index is not None or part.operator in _OF_BASH):
        raise ExpansionProblem("Bad substitution")
    values = _list_values(part, scope)
    if values is not None and part.operator not in _OF_THE_WHOLE:
        if part.operator == ":":
            values = _slice_list(values, part, scope)
        elif part.operator == "indirect":
            values = scope.get_keys(part.name)
        else:
            # An operator on a list works on each of its elements.
            values = [_transform(part, value, scope) for value in values]
        joined = part.name == "*" or _index_text(part) == "*"
        return _list_pieces(values, part.quoted, joined, scope)
    if part.operator == "length":
        count = len(values) if values is not None else len(_need(part, scope) or "")
        return [(str(count), part.quoted, False)]
    value = " ".join(values) if values is not None and values else _value(part, scope)
    return _operate(part, value, scope)


def _index_text(part: Parameter) -> str:
    index = part.index
    return index[0].text if index and len(index) == 1 and isinstance(index[0], Text) else ""


def _list_values(part: Parameter, scope: ShellScope) -> list[str] | None:
    if part.name in ("@", "*") and part.operator != "indirect":
        return list(scope.positional())
    if _index_text(part) in ("@", "*"):
        found = scope.get_array(part.name)
        single = scope.get(part.name)
        return found if found is not None else [] if single is None else [single]
    return None


def _value(part: Parameter, scope: ShellScope) -> str | None:
    if part.index is None:
        return scope.get(part.name)
    return scope.lookup(part.name, expand_text(part.index, scope))


def _need(part: Parameter, scope: ShellScope) -> str | None:
    value = _value(part, scope)
    if value is None and scope.is_nounset and part.name not in ("@", "*"):
        raise ExpansionProblem(f"{part.name}: parameter not set")
    return value


def _operate(part: Parameter, value: str | None, scope: ShellScope) -> list[Piece | None]:
    operator, quoted = part.operator, part.quoted
    kind = operator.removeprefix(":")
    if operator != ":" and kind in ("-", "=", "?", "+"):
        is_given = value is not None and (value != "" or not operator.startswith(":"))
        return _conditional(part, kind, value if is_given else None, scope)
    if operator == "indirect":
        name = _need(part, scope) or ""
        return [(scope.get(name) or "", quoted, True)]
    text = _need(part, scope) if value is None else value
    return [(_transform(part, text or "", scope), quoted, True)]


def _conditional(part: Parameter, kind: str, value: str | None, scope: ShellScope) -> list[Piece | None]:
    if kind == "+" and value is None:
        return [("", True, False)] if part.quoted else []
    if kind == "+":
        return _word_pieces(part, scope)
    if value is not None:
        values = _list_values(part, scope)
        if values is not None:
            return _list_pieces(values, part.quoted, part.name == "*" or _index_text(part) == "*", scope)
        return [(value, part.quoted, True)]
    if kind == "-":
        return _word_pieces(part, scope)
    if kind == "=":
        text = expand_text(part.word, scope)
        scope.put(part.name, text)
        return [(text, part.quoted, True)]
    message = expand_text(part.word, scope) or "parameter not set"
    raise ExpansionProblem(f"{part.name}: {message}")


def _word_pieces(part: Parameter, scope: ShellScope) -> list[Piece | None]:
    """The word of `${x:-word}`: its unquoted text is split like the result of an expansion."""
    pieces: list[Piece | None] = []
    for piece in _pieces(_tilde(part.word, scope), scope):
        pieces.append(piece if piece is BREAK else (piece[0], piece[1] or part.quoted, True))
    return pieces or ([("", True, False)] if part.quoted else [])


def _transform(part: Parameter, text: str, scope: ShellScope) -> str:
    scope.work(_LOOKS * len(text) if part.operator else 0)
    match part.operator:
        case "":
            return text
        case "#" | "##":
            pattern = expand_pattern(part.word, scope)
            return patterns.remove_prefix(text, pattern, part.operator == "##")
        case "%" | "%%":
            pattern = expand_pattern(part.word, scope)
            return patterns.remove_suffix(text, pattern, part.operator == "%%")
        case "/" | "//":
            return _replace(part, text, scope)
        case ":":
            return _slice(part, text, scope)
        case "^^":
            return text.upper()
        case ",,":
            return text.lower()
    raise CannotInterpret(f"the expansion operator {part.operator!r}")


def _replace(part: Parameter, text: str, scope: ShellScope) -> str:
    pattern = expand_pattern(part.word, scope)
    new = expand_text(part.second, scope) if part.second else ""
    return patterns.replace(text, pattern, new, part.operator == "//", scope.work) if pattern else text


def _bounds(part: Parameter, length: int, scope: ShellScope) -> tuple[int, int]:
    def number(word: Word) -> int:
        return scope.evaluate(expand_text(word, scope))

    start = number(part.word)
    start = max(length + start, 0) if start < 0 else start
    if part.second is None:
        return start, length
    count = number(part.second)
    return start, (length + count if count < 0 else start + count)


def _slice(part: Parameter, text: str, scope: ShellScope) -> str:
    start, end = _bounds(part, len(text), scope)
    return text[start:end]


def _slice_list(values: list[str], part: Parameter, scope: ShellScope) -> list[str]:
    if part.name in ("@", "*"):
        values = [scope.get("0") or "", *values]
    start, end = _bounds(part, len(values), scope)
    return values[start:end]
