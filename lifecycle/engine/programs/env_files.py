"""Files that variables are read from (`valueFrom.fileKeyRef`), as the kubelet reads them (ParseEnv)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

ReadFile = Callable[[str, str], str | None]
"""The text of a file, by its volume's name and its path there; None when there is none."""
_BLANKS = " \t"


class BadEnvFile(Exception):
    """A text that is no list of variables."""


def find_value(text: str, key: str) -> str:
    """The value of a variable, "" where there is none. Raises BadEnvFile.

    Lines after the one that is asked for are not looked at. A value stands in single quotes and may have many
    lines; with a blank before it the variable is empty, as in a shell.
    """
    lines = iter(text.split("\n"))
    for line in lines:
        line = line.lstrip(_BLANKS)
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name or name.rstrip(_BLANKS) != name:
            raise BadEnvFile
        if value.startswith((" ", "\t")):
            if name == key:
                return ""
            continue
        found = _read_quoted(value, lines)
        if name == key:
            return found
    return ""


def _read_quoted(value: str, lines: Iterator[str]) -> str:
    if not value.startswith("'"):
        raise BadEnvFile
    parts, rest = [], value[1:]
    while "'" not in rest:
        parts.append(rest)
        following = next(lines, None)
        if following is None:
            raise BadEnvFile
        rest = following
    last, _, after = rest.partition("'")
    after = after.lstrip(_BLANKS)
    if after and not after.startswith("#"):
        raise BadEnvFile
    return "\n".join((*parts, last))
