"""Reads a script of sed: addresses, commands, blocks and labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..matching.expression import Expression, compile_expression
from ..matching.translation import EXTENDED_OF_SED, OF_SED

_PLAIN = frozenset("dDpPnNgGhHxqQ=")
_WITH_TEXT = frozenset("aic")
_WITH_LABEL = frozenset("btT")
_FLAGS = re.compile(r"[gpiI\d]*")
_LINE_END = re.compile(r"[ \t]*\n")
_LABEL = re.compile(r"[^\s;}]*")
_ESCAPES = {"n": "\n", "t": "\t"}


class EditorProblem(Exception):
    """A command of sed that is not modelled."""


@dataclass(frozen=True, slots=True)
class Address:
    """A line number (with `step` every so many from there), `$`, `+3` behind the first, or a pattern."""

    number: int | None = None
    step: int = 0
    is_last: bool = False
    is_offset: bool = False
    pattern: Expression | None = None
    """None where none of the others is given, too: the pattern that was used last."""


@dataclass(slots=True)
class Edit:
    """One command with the lines it applies to. `target` is where blocks and branches go on."""

    first: Address | None
    last: Address | None
    is_negated: bool
    command: str
    pattern: Expression | None = None
    text: str = ""
    flags: str = ""
    target: int = 0
    table: dict[str, str] = field(default_factory=dict)


def read_script(text: str, is_extended: bool) -> list[Edit]:
    """The commands of a script, in order. Raises EditorProblem and PatternProblem."""
    return _Reader(text, is_extended).edits()


class _Reader:
    """A cursor over the text of a script."""

    def __init__(self, text: str, is_extended: bool) -> None:
        self.text = text
        self.at = 0
        self.dialect = EXTENDED_OF_SED if is_extended else OF_SED
        self.found: list[Edit] = []
        self.blocks: list[Edit] = []
        self.labels: dict[str, int] = {}

    def edits(self) -> list[Edit]:
        while True:
            self.skip(" \t\n;")
            if self.at >= len(self.text):
                break
            self.edit()
        if self.blocks:
            raise EditorProblem("a block that is not closed")
        for edit in self.found:
            if edit.command in _WITH_LABEL:
                if edit.text and edit.text not in self.labels:
                    raise EditorProblem(f"the label {edit.text!r}")
                edit.target = self.labels[edit.text] if edit.text else len(self.found)
        return self.found

    def skip(self, signs: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in signs:
            self.at += 1

    def take(self, sign: str) -> bool:
        is_there = self.text.startswith(sign, self.at)
        self.at += len(sign) if is_there else 0
        return is_there

    def match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        self.at += len(found[0]) if found is not None else 0
        return found[0] if found is not None else ""

    def edit(self) -> None:
        first = self.address()
        last = self.address(is_second=True) if first is not None and self.take(",") else None
        self.skip(" \t")
        is_negated = self.take("!")
        self.skip(" \t!")
        command = self.text[self.at : self.at + 1]
        self.at += 1
        edit = Edit(first, last, is_negated, command)
        if command == "}":
            if not self.blocks:
                raise EditorProblem("a block that was not opened")
            self.blocks.pop().target = len(self.found)
        elif command == ":":
            self.skip(" \t")
            self.labels[self.match(_LABEL)] = len(self.found)
        else:
            self.found.append(edit)
            self.arguments(edit)

    def arguments(self, edit: Edit) -> None:
        command = edit.command
        if command == "{":
            self.blocks.append(edit)
        elif command == "s":
            edit.pattern, edit.text, edit.flags = self.substitution()
        elif command == "y":
            edit.table = self.table()
        elif command in _WITH_TEXT:
            edit.text = self.inserted()
        elif command in _WITH_LABEL:
            self.skip(" \t")
            edit.text = self.match(_LABEL)
        elif command == "r":
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            edit.text, self.at = self.text[self.at : end].strip(), end
        elif command in _PLAIN:
            self.skip(" \t")
            edit.text = self.match(re.compile(r"\d*"))
        else:
            raise EditorProblem(f"command {command!r}")

    def inserted(self) -> str:
        """The text of `a`, `i` and `c`: up to the line's end, or on where a backslash stands before it."""
        self.skip(" \t")
        # Behind a backslash blanks count, unless the line ends with it.
        if self.take("\\"):
            self.match(_LINE_END)
        found: list[str] = []
        while self.at < len(self.text) and self.text[self.at] != "\n":
            self.at += self.text[self.at] == "\\" and self.at + 1 < len(self.text)
            found.append(self.text[self.at])
            self.at += 1
        return "".join(found)

    def address(self, is_second: bool = False) -> Address | None:
        self.skip(" \t")
        if is_second and self.take("+"):
            return Address(int(self.match(re.compile(r"\d+")) or 0), is_offset=True)
        number = self.match(re.compile(r"\d+"))
        if number:
            step = int(self.match(re.compile(r"\d+")) or 0) if self.take("~") else 0
            return Address(int(number), step)
        if self.take("$"):
            return Address(is_last=True)
        if not (self.take("/") or self.take("\\")):
            return None
        delimiter = self.text[self.at - 1]
        if delimiter == "\\":
            delimiter = self.text[self.at : self.at + 1]
            self.at += 1
        text = self.until(delimiter)
        ignores_case = self.take("I")
        return Address(pattern=compile_expression(text, self.dialect, ignores_case) if text else None)

    def until(self, delimiter: str) -> str:
        """Up to the delimiter, which is passed."""
        found: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == delimiter:
                self.at += 1
                return "".join(found)
            if sign == "\\" and self.at + 1 < len(self.text):
                following = self.text[self.at + 1]
                found.append(following if following == delimiter else sign + following)
                self.at += 2
                continue
            found.append(sign)
            self.at += 1
        raise EditorProblem("a command that is not finished")

    def substitution(self) -> tuple[Expression | None, str, str]:
        delimiter = self.text[self.at : self.at + 1]
        self.at += 1
        pattern, replacement = self.until(delimiter), self.until(delimiter)
        flags = self.match(_FLAGS)
        if self.text[self.at : self.at + 1] in ("e", "w", "m", "M") and self.at < len(self.text):
            raise EditorProblem(f"s///{self.text[self.at]}")
        ignores_case = "i" in flags.lower()
        return (
            compile_expression(pattern, self.dialect, ignores_case) if pattern else None,
            replacement,
            flags,
        )

    def table(self) -> dict[str, str]:
        delimiter = self.text[self.at : self.at + 1]
        self.at += 1
        sides = [self.until(delimiter) for _ in range(2)]
        first, second = (re.sub(r"\\(.)", lambda one: _ESCAPES.get(one[1], one[1]), side) for side in sides)
        if len(first) != len(second):
            raise EditorProblem("y with sides of different length")
        return dict(zip(first, second, strict=True))
