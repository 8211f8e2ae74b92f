"""`set -x`: commands and assignments told on standard error before they are carried out."""

from __future__ import annotations

import re

from .activation import Activation
from .task import SUBSTITUTIONS

_PLAIN = re.compile(r"[\w@%+=:,./~-]+", re.ASCII)


def trace_words(activation: Activation, words: list[str]) -> None:
    """Tell a command's words; bash quotes them so that they could be typed again."""
    shell = activation.shell
    if "xtrace" in shell.options:
        _tell(activation, " ".join(map(_quote, words) if shell.flavour == "bash" else words))


def trace_assignment(activation: Activation, name: str, value: str) -> None:
    """Tell an assignment."""
    shell = activation.shell
    if "xtrace" in shell.options:
        shown = _quote(value) if shell.flavour == "bash" and value else value
        _tell(activation, f"{name}={shown}")


def _tell(activation: Activation, text: str) -> None:
    # Bash tells by a sign each how many command substitutions this is inside of.
    is_bash = activation.shell.flavour == "bash"
    depth = activation.task.state.get(SUBSTITUTIONS, 0) if is_bash else 0
    activation.machine.write(activation.task, 2, f"{'+' * (depth + 1)} {text}\n")


def _quote(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
