"""The bases of every typed value: slots, equality by content, changed only by making another one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import repeat
from operator import attrgetter
from typing import Any, ClassVar, NoReturn, Self

_exhaust = deque[None](maxlen=0).extend


def content_of(fields: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads some fields of a record, all at once."""
    if len(fields) > 1:
        return attrgetter(*fields)
    return lambda record: tuple([getattr(record, name) for name in fields])


class Record:
    """A value with slots. Never written to after it was made: `replace` gives a changed copy.

    A class names what it works out from its other slots as `DERIVED`: that is no part of its content, and
    a changed copy does without it. Mostly a dataclass of slots writes the constructor.
    """

    __slots__ = ()
    DERIVED: ClassVar[tuple[str, ...]] = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    # All of its fields at once, to be compared and copied.
    _content: ClassVar[Callable[[Any], tuple[Any, ...]]]

    def __init_subclass__(cls) -> None:
        # By the alphabet, class by class: what was saved keeps that order, however the slots are spelled.
        slots = [sorted(base.__dict__.get("__slots__", ())) for base in reversed(cls.__mro__)]
        cls._fields = tuple(name for names in slots for name in names if name not in cls.DERIVED)
        cls._content = content_of(cls._fields)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed. Raises AttributeError for a field the record does not have."""
        new = object.__new__(type(self))
        # The loop runs below Python: most of what is written is a copy of something.
        _exhaust(map(setattr, repeat(new), self._fields, type(self)._content(self)))
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def changed(self, **changes: Any) -> Self:
        """The record itself where the changes change nothing, else a copy with them."""
        for name, value in changes.items():
            if getattr(self, name) != value:
                return self.replace(**changes)
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        content = type(self)._content
        return bool(content(self) == content(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({inside})"


class Reading(Record):
    """JSON, read: equal when the JSON is. `read_from` names the slots that all others are worked out from."""

    __slots__ = ()

    def __init_subclass__(cls, read_from: tuple[str, ...] = ("raw",)) -> None:
        cls._fields = read_from
        cls._content = content_of(read_from)

    def replace(self, **changes: Any) -> NoReturn:
        """Not for readings: raises TypeError."""
        raise TypeError(f"a {type(self).__name__} is read from JSON; change the JSON and read it again")
