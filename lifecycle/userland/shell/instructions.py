"""The flat instruction list a script is compiled to. Targets are places in the list."""

from __future__ import annotations

from typing import TypeAlias

from lifecycle.lean_dataclasses import dataclass

from .reading.word_parts import Command, CommandText, Redirect, Word


class Instruction:
    """One step of a script."""

    __slots__ = ()


@dataclass(slots=True)
class Run(Instruction):
    """Run one simple command. `is_tail`: nothing follows it, so what it does is what the script does."""

    command: CommandText
    is_checked: bool
    is_tail: bool


@dataclass(slots=True)
class Substitute(Instruction):
    """Run a command substitution and keep its output under `slot` for the next word that needs it."""

    slot: int
    command: Command


@dataclass(slots=True)
class Jump(Instruction):
    """Go on elsewhere."""

    target: int


@dataclass(slots=True)
class JumpIf(Instruction):
    """Jump when the last command succeeded, or, unless `on_success`, failed."""

    on_success: bool
    target: int


@dataclass(slots=True)
class Negate(Instruction):
    """`!`: turn the status round."""


@dataclass(slots=True)
class SetStatus(Instruction):
    """Make a number the status."""

    status: int


@dataclass(slots=True)
class Fork(Instruction):
    """A child goes on behind this instruction; this shell goes on at `after`."""

    is_background: bool
    after: int
    is_checked: bool


@dataclass(slots=True)
class ForkPipeline(Instruction):
    """One child per start, joined by pipes; this shell waits for all and goes on at `after`."""

    starts: list[int]
    after: int
    is_checked: bool


@dataclass(slots=True)
class EnterRedirects(Instruction):
    """Redirect for a compound command; when that fails, go to `after` with status 1."""

    redirects: tuple[Redirect, ...]
    after: int


@dataclass(slots=True)
class LeaveRedirects(Instruction):
    """Put back what `EnterRedirects` changed."""


@dataclass(slots=True)
class EnterLoop(Instruction):
    """`break` goes to `end`, `continue` to `again`."""

    again: int
    end: int


@dataclass(slots=True)
class KeepStatus(Instruction):
    """The loop's status is that of the last command of its body."""


@dataclass(slots=True)
class LeaveLoop(Instruction):
    """Take the innermost loop off."""


@dataclass(slots=True)
class SetItems(Instruction):
    """What a `for` goes over; None: the positional parameters."""

    words: CommandText | None


@dataclass(slots=True)
class NextItem(Instruction):
    """Assign the next item, or jump to `end` when there is none."""

    name: str
    end: int


@dataclass(slots=True)
class SetSubject(Instruction):
    """The word that the patterns of a `case` are matched against."""

    word: Word


@dataclass(slots=True)
class MatchSubject(Instruction):
    """Jump to `miss` unless one of the patterns matches."""

    patterns: tuple[Word, ...]
    miss: int


@dataclass(slots=True)
class Define(Instruction):
    """A function whose body stands behind this instruction; go on at `after`."""

    name: str
    after: int
    is_bash: bool = False


@dataclass(slots=True)
class Test(Instruction):
    """`[[ … ]]`."""

    tokens: tuple[Word | str, ...]
    is_checked: bool


@dataclass(slots=True)
class Calculate(Instruction):
    """`(( … ))`; an empty expression counts as true, as the condition of a `for ((;;))`."""

    word: Word
    is_checked: bool
    is_command: bool = False


@dataclass(slots=True)
class End(Instruction):
    """The end of a script, function body, subshell or stage."""


Code: TypeAlias = tuple[Instruction, ...]
