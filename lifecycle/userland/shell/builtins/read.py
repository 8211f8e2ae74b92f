"""The builtin `read`: a line of the input taken apart into variables."""

from __future__ import annotations

from ...errors import CannotInterpret
from ..activation import Activation
from ..fields import split_fields
from ..open_files import READER
from ..reading.dialects import DASH
from ..reading.options import split_options
from ..task import Wait

_KNOWN, _OF_DASH = frozenset("rapus"), frozenset("rp")


def read(activation: Activation, words: list[str]) -> int | None:
    """`read`: take a line of the input into variables, as soon as there is one."""
    options, names = split_options(words[1:], "tpudnNi")
    given = set(options)
    if activation.shell.flavour == DASH and (unknown := sorted(given - _OF_DASH)):
        return activation.fail(f"read: Illegal option -{unknown[0]}", 2)
    if unknown := sorted(given - _KNOWN):
        raise CannotInterpret(f"read -{unknown[0]}")
    machine, task = activation.machine, activation.task
    fd = int(options.get("u") or 0)
    text, is_end = machine.read(task, fd, is_line=True)
    if not text and not is_end:
        number = task.fds[fd]
        assert machine.open_files.files[number].kind == READER, number
        task.wait = Wait(Wait.INPUT, number)
        return None
    is_raw = "r" in options
    while not is_raw and text.endswith("\\\n"):
        more, _ = machine.read(task, fd, is_line=True)
        text = text[:-2] + more
    line = text.removesuffix("\n")
    if "a" in options and names:
        activation.shell.arrays[names[0]] = [*split_fields(line, activation.scope.get("IFS"))]
    else:
        _assign(activation, names, line, is_raw)
    return 0 if text.endswith("\n") else 1


def _assign(activation: Activation, names: list[str], line: str, raw: bool) -> None:
    if not names:
        activation.scope.put("REPLY", line if raw else line.replace("\\", ""))
        return
    separators = activation.scope.get("IFS")
    separators = " \t\n" if separators is None else separators
    blanks = "".join(sign for sign in separators if sign in " \t\n")
    rest = line.strip(blanks) if blanks else line
    for name in names[:-1]:
        end = 0
        while end < len(rest) and rest[end] not in separators:
            end += 1
        value, rest = rest[:end], rest[end:]
        stripped = rest.lstrip(blanks)
        if stripped[:1] and stripped[0] in separators and stripped[0] not in blanks:
            stripped = stripped[1:].lstrip(blanks)
        rest = stripped
        activation.scope.put(name, value if raw else value.replace("\\", ""))
    activation.scope.put(names[-1], rest if raw else rest.replace("\\", ""))
