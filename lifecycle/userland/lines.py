"""Lines of a text as Linux' tools see them: only a newline ends one, whatever else Unicode says."""

from __future__ import annotations


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def whole_lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, which the last one may lack."""
    *lines, last = text.split("\n")
    found = [line + "\n" for line in lines]
    return [*found, last] if last else found
