"""Regular expressions (pkg/cel/library/regex.go), read by the library that Go's are modelled on."""

from __future__ import annotations

from typing import Any

from . import values


def find(text: str, pattern: str) -> str:
    """The first part of a text that fits; "" for none. Raises ValueError for what is no pattern."""
    match = _compile(pattern).search(text)
    return match.group() if match is not None else ""


def find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    """The parts of a text that fit, the first `most` of them; all for a negative number."""
    found: list[str] = []
    for match in _compile(pattern).finditer(text) if most else ():
        found.append(match.group())
        if len(found) == most:
            break
    values.count(len(found))
    return found


def _compile(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as problem:
        raise ValueError(f"Illegal regex: {problem}") from None
