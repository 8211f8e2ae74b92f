"""The builtin `read`: a line of the input taken apart into variables."""

from __future__ import annotations

from ...errors import CannotInterpret
from ..activation import Activation
from ..arrays import need_elements
from ..fields import split_fields
from ..open_files import READER
from ..reading.dialects import DASH
from ..reading.options import split_options
from ..task import Wait

_MAPPED = "mapped"
_OF_MAPFILE = frozenset("tdnsu")
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
        task.wait = Wait(Wait.LINE, number)
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


def map_file(activation: Activation, words: list[str]) -> int | None:
    """`mapfile`: the lines of the input into an array, once the input has ended."""
    options, names = split_options(words[1:], "dnOsuCc")
    if unknown := sorted(set(options) - _OF_MAPFILE):
        raise CannotInterpret(f"{words[0]} -{unknown[0]}")
    machine, task, name = activation.machine, activation.task, (names or ["MAPFILE"])[0]
    fd = int(options.get("u") or 0)
    if fd not in task.fds:
        return activation.fail(f"{words[0]}: {fd}: invalid file descriptor: Bad file descriptor")
    text, is_end = machine.read(task, fd)
    text = task.state.pop(_MAPPED, "") + text
    if not is_end and machine.open_files.files[task.fds[fd]].kind == READER:
        task.state[_MAPPED] = text
        task.wait = Wait(Wait.INPUT, task.fds[fd])
        return None
    delimiter = (options["d"] or "\0")[0] if "d" in options else "\n"
    lines = [line + delimiter for line in text.split(delimiter)]
    # What stands behind the last delimiter is a line without one, if it is anything.
    lines[-1] = lines[-1].removesuffix(delimiter)
    lines = [line for line in lines if line][int(options.get("s") or 0) :]
    lines = lines[: int(options.get("n") or 0) or None]
    need_elements(activation.shell, name, len(lines))
    is_bare = "t" in options
    values = [line.removesuffix(delimiter) if is_bare else line for line in lines]
    activation.shell.variables.pop(name, None)
    activation.shell.arrays[name] = [*values]
    return 0


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
