"""`set -x`: commands and assignments told on standard error before they are carried out."""

from __future__ import annotations

import re

from .machine import Machine
from .task import SUBSTITUTIONS, Shell, Task

_PLAIN = re.compile(r"[\w@%+=:,./~-]+", re.ASCII)


def trace_words(machine: Machine, task: Task, shell: Shell, words: list[str]) -> None:
    """A command's words; bash quotes them so that they could be typed again."""
    if "xtrace" in shell.options:
        shown = [_quote(word) for word in words] if shell.flavour == "bash" else words
        _tell(machine, task, shell, " ".join(shown))


def trace_assignment(machine: Machine, task: Task, shell: Shell, name: str, value: str) -> None:
    if "xtrace" in shell.options:
        shown = _quote(value) if shell.flavour == "bash" and value else value
        _tell(machine, task, shell, f"{name}={shown}")


def _tell(machine: Machine, task: Task, shell: Shell, text: str) -> None:
    # Bash tells by a sign each how many command substitutions this is inside of.
    depth = task.state.get(SUBSTITUTIONS, 0) if shell.flavour == "bash" else 0
    machine.write(task, 2, f"{'+' * (depth + 1)} {text}\n")


def _quote(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
