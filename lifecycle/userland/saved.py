"""Dataclasses that can be saved between two instants as JSON-able data, and made of it by their types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import UnionType
from typing import Any, Self, TypeAlias, get_args, get_origin, get_type_hints

from lifecycle.lean_dataclasses import fields

Convert: TypeAlias = Callable[[Any], Any]


class Saved:
    """A dataclass of numbers, texts, lists, sets, tuples and dictionaries of these, and of its like.

    What begins with an underscore is not saved.
    """

    __slots__ = ()

    def save(self) -> dict[str, Any]:
        """Give it as JSON-able data, field by field."""
        kind: Any = type(self)
        return {name: pack(getattr(self, name)) for name, (pack, _) in _converters(kind).items()}

    @classmethod
    def load(cls, data: dict[str, Any]) -> Self:
        """Make what `save` described. Raises KeyError where a field is missing."""
        return cls._load(data)

    @classmethod
    def _load(cls, data: dict[str, Any]) -> Self:
        kind: Any = cls
        return cls(**{name: unpack(data[name]) for name, (_, unpack) in _converters(kind).items()})


@cache
def _converters(kind: type) -> dict[str, tuple[Convert, Convert]]:
    """How each field is packed, and unpacked again."""
    types = get_type_hints(kind)
    names = [name for name in fields(kind) if not name.startswith("_")]
    return {name: _converter(types[name]) for name in names}


def _as_it_is(value: Any) -> Any:
    return value


@cache
def _converter(kind: Any) -> tuple[Convert, Convert]:
    origin, inner = get_origin(kind), [_converter(one) for one in get_args(kind)]
    if origin is UnionType:
        pack, unpack = inner[0]
        return (
            lambda value: None if value is None else pack(value),
            lambda data: None if data is None else unpack(data),
        )
    if origin is tuple:
        return (
            lambda value: [pack(one) for (pack, _), one in zip(inner, value, strict=True)],
            lambda data: tuple(unpack(one) for (_, unpack), one in zip(inner, data, strict=True)),
        )
    if origin is dict:
        return _of_dictionary(kind, inner)
    if origin in (list, set, Sequence):
        pack, unpack = inner[0]
        return (
            lambda value: [pack(one) for one in (sorted(value) if origin is set else value)],
            lambda data: (set if origin is set else list)(unpack(one) for one in data),
        )
    if isinstance(kind, type) and issubclass(kind, Saved):
        return kind.save, kind.load
    return _as_it_is, _as_it_is


def _of_dictionary(kind: Any, inner: list[tuple[Convert, Convert]]) -> tuple[Convert, Convert]:
    """Pairs where JSON would make texts of the keys."""
    pack, unpack = inner[1]
    if get_args(kind)[0] is str:
        return (
            lambda value: {key: pack(one) for key, one in value.items()},
            lambda data: {key: unpack(one) for key, one in data.items()},
        )
    return (
        lambda value: [[key, pack(one)] for key, one in value.items()],
        lambda data: {key: unpack(one) for key, one in data},
    )
