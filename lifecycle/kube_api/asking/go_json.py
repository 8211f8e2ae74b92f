"""What Go's JSON reader says of a text that is no JSON: the first thing wrong, in its words."""

import re
from dataclasses import dataclass

_SPACE = " \t\r\n"
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"t": "true", "f": "false", "n": "null"}
_ESCAPES = '"\\/bfnrt'
_END = "unexpected end of JSON input"
_MOST_LEVELS = 10_000


class _Wrong(Exception):
    pass


def find_syntax_error(text: str) -> str:
    """The first thing wrong with a text; "" when it is one JSON value."""
    try:
        reader = _Reader(text)
        reader.read()
        reader.skip()
        if reader.at < len(text):
            raise reader.wrong("after top-level value")
    except _Wrong as problem:
        return str(problem)
    return ""


@dataclass(slots=True)
class _Reader:
    """Walks a text without keeping anything; what is open is a stack, so depth costs no recursion."""

    text: str
    at: int = 0

    def read(self) -> None:
        opened: list[str] = []
        while True:
            self.skip()
            begun = self._begin_value(opened)
            if begun:
                continue
            if not self._go_on(opened):
                return

    def _begin_value(self, opened: list[str]) -> bool:
        """Read a scalar, or open a collection with something in it: True, its first value comes next."""
        sign = self.sign("looking for beginning of value")
        if sign in "{[":
            self.at += 1
            self.skip()
            closing = "}" if sign == "{" else "]"
            if self.text[self.at : self.at + 1] == closing:
                self.at += 1
                return False
            if len(opened) >= _MOST_LEVELS:
                raise _Wrong("exceeded max depth")
            opened.append(closing)
            if sign == "{":
                self._key()
            return True
        self._scalar(sign)
        return False

    def _go_on(self, opened: list[str]) -> bool:
        """After a value: to the next one, closing what ends; False at the end of the outermost."""
        while opened:
            self.skip()
            place = "after object key:value pair" if opened[-1] == "}" else "after array element"
            sign = self.sign(place)
            if sign == ",":
                self.at += 1
                if opened[-1] == "}":
                    self.skip()
                    self._key()
                return True
            if sign != opened[-1]:
                raise self.wrong(place)
            self.at += 1
            opened.pop()
        return False

    def _key(self) -> None:
        self.skip()
        if self.sign("looking for beginning of object key string") != '"':
            raise self.wrong("looking for beginning of object key string")
        self._string()
        self.skip()
        if self.sign("after object key") != ":":
            raise self.wrong("after object key")
        self.at += 1

    def _scalar(self, sign: str) -> None:
        if sign == '"':
            self._string()
        elif sign in _WORDS:
            self._word(_WORDS[sign])
        elif sign == "-" or (sign.isascii() and sign.isdigit()):
            self._number()
        else:
            raise self.wrong("looking for beginning of value")

    def _word(self, word: str) -> None:
        for index, letter in enumerate(word):
            if self.sign("") != letter:
                raise self.wrong(f"in literal {word} (expecting {_show(letter)})")
            self.at += 1
            assert index < len(word)

    def _number(self) -> None:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            self.at += 1
            self.sign("")
            raise self.wrong("in numeric literal")
        self.at = found.end()
        rest = self.text[self.at : self.at + 1]
        if rest and rest in ".eE":
            self.at += 1
            self.sign("")
            raise self.wrong(
                "after decimal point in numeric literal" if rest == "." else "in exponent of numeric literal"
            )

    def _string(self) -> None:
        self.at += 1
        while (sign := self.sign("")) != '"':
            if sign < " ":
                raise self.wrong("in string literal")
            self.at += 1
            if sign == "\\":
                self._escape()
        self.at += 1

    def _escape(self) -> None:
        sign = self.sign("")
        if sign == "u":
            for _ in range(4):
                self.at += 1
                if self.sign("") not in "0123456789abcdefABCDEF":
                    raise self.wrong("in \\u hexadecimal character escape")
        elif sign not in _ESCAPES:
            raise self.wrong("in string escape code")
        self.at += 1

    def skip(self) -> None:
        """Over white space."""
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1

    def sign(self, place: str) -> str:
        """The next character; its absence is an error wherever it is missed."""
        if self.at >= len(self.text):
            raise _Wrong(_END)
        return self.text[self.at]

    def wrong(self, place: str) -> _Wrong:
        """The next character does not belong there."""
        return _Wrong(f"invalid character {_show(self.text[self.at])} {place}")


_NAMED = {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
    "\a": "\\a",
    "'": "\\'",
}


def _show(sign: str) -> str:
    if sign in _NAMED:
        return f"'{_NAMED[sign]}'"
    if sign.isprintable():
        return f"'{sign}'"
    code = ord(sign)
    return f"'\\x{code:02x}'" if code < 128 else f"'\\u{code:04x}'"
