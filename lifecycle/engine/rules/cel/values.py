"""Values of types that CEL does not have: a map with one entry, which is named for the type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def make(kind: str, text: str) -> dict[str, str]:
    """A value of a type, by the text that equal ones share."""
    return {kind: text}


def read(value: Any, kind: str) -> str:
    """The text of a value of a type. Raises ValueError for one of another."""
    text = value.get(kind) if isinstance(value, Mapping) else None
    if text is None:
        raise ValueError("no such overload")
    return str(plain(text))


def plain(value: Any) -> Any:
    """An entry of what the library hands in, as plain data."""
    return value.plain_value() if hasattr(value, "plain_value") else value
