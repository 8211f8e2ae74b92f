"""The text of a label selector, `app in (web, db),tier!=front,!old,n>5`: parsed as by Kubernetes."""

from collections.abc import Mapping
from dataclasses import dataclass

from lifecycle.engine.rules.validation.words.field_error import FieldError, each_invalid, invalid
from lifecycle.engine.rules.validation.words.names import check_label_value, check_qualified
from lifecycle.kube_api.status import bad_request

IDENTIFIER, END, ERROR = "identifier", "end", "error"
_SYMBOLS = {",", "!", "(", ")", "=", "==", "!=", ">", "<"}
_SPECIAL = set(",!()=<>")
_WORDS = {"in", "notin"}
_OPERATORS = ("in", "notin", "=", "==", "!=", ">", "<")
_NAMED = "in, notin, =, ==, !=, gt, lt"
MOST_LETTERS = 64 * 1024


@dataclass(frozen=True, slots=True)
class Requirement:
    """One term: a key, an operator (`exists` and `!` have no values), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet it; what is not there meets only denials."""
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "!":
                return value is None
            case "in" | "=" | "==":
                return value is not None and value in self.values
            case "notin" | "!=":
                return value is None or value not in self.values
        number = read_whole(value or "")
        if number is None:
            return False
        limit = int(self.values[0])
        return number > limit if self.operator == ">" else number < limit


LabelSelector = tuple[Requirement, ...]


def matches(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether labels meet every requirement."""
    return all(one.matches(labels) for one in selector)


def parse(text: str) -> LabelSelector:
    """The requirements of a selector. Raises Refusal (400)."""
    if len(text) > MOST_LETTERS:
        raise bad_request(f"a selector of {len(text):,} letters is too long: {MOST_LETTERS:,} at most")
    try:
        return tuple(_Parser(_scan(text)).parse())
    except _Wrong as problem:
        raise bad_request(str(problem)) from None


def read_whole(text: str) -> int | None:
    """A whole number of 64 bits, as Go parses it; None for any other text."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


class _Wrong(Exception):
    pass


Token = tuple[str, str]
"""What it is (a symbol, a word, IDENTIFIER, END or ERROR), and its text."""


def _scan(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] in _SPECIAL:
            # The longest symbol wins.
            found = text[at : at + 2] if text[at : at + 2] in _SYMBOLS else text[at]
            tokens.append((found, found) if found in _SYMBOLS else (ERROR, found))
            at += len(found)
        else:
            start = at
            while at < len(text) and text[at] not in _SPECIAL and text[at] not in " \t\r\n":
                at += 1
            word = text[start:at]
            tokens.append((word if word in _WORDS else IDENTIFIER, word))
    return tokens


class _Parser:
    """A selector's grammar. Where a value may stand, `in` and `notin` are names like others."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def look(self, is_operator: bool = False) -> Token:
        if self.at >= len(self.tokens):
            return END, ""
        kind, text = self.tokens[self.at]
        return (IDENTIFIER, text) if kind in _WORDS and not is_operator else (kind, text)

    def take(self, is_operator: bool = False) -> Token:
        found = self.look(is_operator)
        self.at += 1
        return found

    def parse(self) -> list[Requirement]:
        found: list[Requirement] = []
        while True:
            kind, text = self.look()
            if kind == END:
                return found
            if kind not in (IDENTIFIER, "!"):
                raise _Wrong(f"found '{text}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except _Wrong as problem:
                raise _Wrong(f"unable to parse requirement: {problem}") from None
            kind, text = self.take()
            if kind == END:
                return found
            if kind != ",":
                raise _Wrong(f"found '{text}', expected: ',' or 'end of string'")
            kind, text = self.look()
            if kind not in (IDENTIFIER, "!"):
                raise _Wrong(f"found '{text}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        kind, key = self.take()
        is_denied = kind == "!"
        if is_denied:
            kind, key = self.take()
        if kind != IDENTIFIER:
            raise _Wrong(f"found '{key}', expected: identifier")
        _raise(each_invalid("<nil>", key, check_qualified(key)))
        if is_denied:
            return Requirement(key, "!")
        if self.look()[0] in (END, ","):
            return Requirement(key, "exists")
        operator, text = self.take(is_operator=True)
        if operator not in _OPERATORS:
            raise _Wrong(f"found '{text}', expected: {_NAMED}")
        values = sorted({*(self._values() if operator in _WORDS else self._value())})
        _raise(_find_errors(key, operator, values))
        return Requirement(key, operator, tuple(values))

    def _value(self) -> list[str]:
        if self.look()[0] in (END, ","):
            return [""]
        kind, text = self.take()
        if kind != IDENTIFIER:
            raise _Wrong(f"found '{text}', expected: identifier")
        return [text]

    def _values(self) -> list[str]:
        kind, text = self.take()
        if kind != "(":
            raise _Wrong(f"found '{text}' expected: '('")
        kind, text = self.look()
        if kind == ")":
            self.take()
            return [""]
        if kind not in (IDENTIFIER, ","):
            raise _Wrong(f"found '{text}', expected: ',', ')' or identifier")
        found = self._listed()
        kind, text = self.take()
        if kind != ")":
            raise _Wrong(f"found '{text}', expected: ')'")
        return found

    def _listed(self) -> list[str]:
        """Values up to the closing bracket; between two commas stands the empty one."""
        found: list[str] = []
        while True:
            kind, text = self.take()
            after, next_text = self.look()
            if kind == IDENTIFIER:
                found.append(text)
                if after == ")":
                    return found
                if after != ",":
                    raise _Wrong(f"found '{next_text}', expected: ',' or ')'")
            elif kind == ",":
                if not found:
                    found.append("")
                if after == ")":
                    return [*found, ""]
                if after == ",":
                    self.take()
                    found.append("")
            else:
                raise _Wrong(f"found '{text}', expected: ',', or identifier")


def _find_errors(key: str, operator: str, values: list[str]) -> list[FieldError]:
    errors = []
    for index, value in enumerate(values):
        if operator in "<>" and read_whole(value) is None:
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            errors.append(invalid(f"values[{index}]", value, detail))
    for index, value in enumerate(values):
        errors += each_invalid(f"values[{index}][{key}]", value, check_label_value(value))
    return errors


def _raise(errors: list[FieldError]) -> None:
    texts = list(dict.fromkeys(map(str, errors)))
    if texts:
        raise _Wrong(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
