"""The builtin `read`: a line of the input, or what its options ask for, taken apart into variables."""

from __future__ import annotations

from collections.abc import Sequence

from .activation import Activation
from .dialects import DASH
from .fields import split_fields
from .open_files import READER
from .task import Wait

_WITH_VALUE, _OF_DASH = "tpudnNi", "rp"
_TIMED_OUT = 142
_UNTIL = "read_until_ms"


def read(activation: Activation, words: list[str]) -> int | None:
    """`read`: take a line of the input into variables, as soon as there is one."""
    options, names = _options(words[1:])
    if activation.shell.flavour == DASH and (unknown := sorted(set(options) - set(_OF_DASH))):
        return activation.fail(f"read: Illegal option -{unknown[0]}", 2)
    machine, task = activation.machine, activation.task
    fd, most = int(options.get("u") or 0), int(options.get("n") or options.get("N") or 0)
    until = "" if "N" in options else (options.get("d", "\n") or "\0")[:1]
    text, is_end = machine.read(task, fd, until, most)
    if not text and not is_end:
        return _wait(activation, fd, options.get("t"))
    task.state.pop(_UNTIL, None)
    is_raw = "r" in options
    while not is_raw and until == "\n" and text.endswith("\\\n"):
        more, _ = machine.read(task, fd, until)
        text = text[:-2] + more
    line = text.removesuffix(until) if until else text
    if "a" in options and names:
        activation.shell.arrays[names[0]] = [*split_fields(line, activation.scope.get("IFS"))]
    else:
        _assign(activation, names, line, is_raw)
    is_whole = bool(until) and text.endswith(until)
    return 0 if is_whole or (most and len(text) == most) else 1


def _options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options with their values, glued on or next, and the names."""
    options: dict[str, str] = {}
    waiting = list(words)
    while waiting and waiting[0].startswith("-") and len(waiting[0]) > 1:
        letters = waiting.pop(0)[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter not in _WITH_VALUE:
                options[letter] = ""
                continue
            options[letter] = letters or (waiting.pop(0) if waiting else "")
            break
    return options, waiting


def _wait(activation: Activation, fd: int, seconds: str | None) -> int | None:
    """Wait for input; with -t no longer than so many seconds."""
    machine, task = activation.machine, activation.task
    number = task.fds[fd]
    assert machine.open_files.files[number].kind == READER, number
    if seconds is None:
        task.wait = Wait(Wait.INPUT, number)
        return None
    until_ms = task.state.setdefault(_UNTIL, machine.now_ms + round(1000 * float(seconds)))
    if machine.now_ms < until_ms:
        task.wait = Wait(Wait.INPUT_UNTIL, [number, until_ms])
        return None
    del task.state[_UNTIL]
    return _TIMED_OUT if activation.shell.flavour == "bash" else 1


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
