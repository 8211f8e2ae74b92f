"""Values of types that CEL does not have: a map with one entry, which is named for the type."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

MOST_BUILT = 200_000
NOT_HERE = "it is not modelled"
_left: ContextVar[int] = ContextVar("left", default=MOST_BUILT)


def begin() -> None:
    """An evaluation begins: its lists may touch so many entries."""
    _left.set(MOST_BUILT)


def count(entries: int) -> None:
    """Lists touch so many more entries. Raises ValueError for more than one evaluation may."""
    _left.set(_left.get() - entries)
    if _left.get() < 0:
        raise ValueError(f"{NOT_HERE}: lists that come to more than {MOST_BUILT:,} entries")


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
