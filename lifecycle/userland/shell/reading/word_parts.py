"""What words and simple commands are made of, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from lifecycle.lean_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they are; quoted ones are neither split nor patterns."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` or `${name…}`. The operator is "" for a plain value, "length" for `${#name}`."""

    name: str
    operator: str
    word: Word
    second: Word | None
    quoted: bool
    index: Word | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((…))`."""

    word: Word
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`: the output of the command's substitution with this number; `<(…)`: a file that holds it."""

    slot: int
    quoted: bool
    is_file: bool = False


Part: TypeAlias = Text | Parameter | Arithmetic | Substitution
Word: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """A substitution inside `${name:-…}` runs only when the parameter asks for the word."""

    name: str
    operator: str


@dataclass(frozen=True, slots=True)
class Command:
    """The text of one substitution and the conditions under which it runs at all."""

    text: str
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; fd None takes the operator's own default."""

    fd: int | None
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name=value`, `name+=value`, `name[index]=value`, or a whole array when `values` is given."""

    name: str
    value: Word
    append: bool = False
    index: Word | None = None
    values: tuple[Word, ...] | None = None
    keys: tuple[Word | None, ...] = ()
    """Beside each value its key, or None."""


@dataclass(frozen=True, slots=True)
class CommandText:
    """One simple command taken apart."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    substitutions: tuple[Command, ...]


HereDocuments: TypeAlias = Mapping[str, tuple[str, bool]]
"""Bodies by the word that stands for each in the text; True for one that is expanded."""


def literal(word: Word) -> str | None:
    """The word's text when it has no expansion, else None."""
    if all(isinstance(part, Text) for part in word):
        return "".join(part.text for part in word if isinstance(part, Text))
    return None


def as_quoted(part: Part) -> Part:
    """The same part as it would be between double quotes."""
    if isinstance(part, Text):
        return Text(part.text, True)
    if isinstance(part, Parameter):
        return Parameter(part.name, part.operator, part.word, part.second, True, part.index)
    if isinstance(part, Arithmetic):
        return Arithmetic(part.word, True)
    return Substitution(part.slot, True, part.is_file)
