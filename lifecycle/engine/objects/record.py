"""The base of every typed value: slots, equality by content, changed only by making another one."""

from __future__ import annotations

from typing import Any, ClassVar, Self


class Record:
    """A value with slots. Never written to after it was made: `replace` gives a changed copy."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        fields: list[str] = []
        for base in reversed(cls.__mro__):
            slots = base.__dict__.get("__slots__", ())
            fields.extend((slots,) if isinstance(slots, str) else slots)
        cls._fields = tuple(fields)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed. Raises AttributeError for a field the record does not have."""
        new = object.__new__(type(self))
        for name in self._fields:
            setattr(new, name, getattr(self, name))
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._fields)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({inside})"
