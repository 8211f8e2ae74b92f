"""Named tuples that cost little to define.

The standard library's own `typing.NamedTuple`, with the types of its fields left as they are written: there
each of them is compiled when the class is defined, and nobody reads what comes of it.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Maker(type):
        """Makes of a class below `NamedTuple` a tuple with names and the methods of that class."""

        def __new__(mcs, name: str, bases: tuple[type, ...], content: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(mcs, name, bases, content)
            fields = list(content["__annotations__"])
            defaults = [content.pop(one) for one in fields if one in content]
            made = namedtuple(name, fields, defaults=defaults, module=content["__module__"])
            for key, value in content.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Maker):
        """The base of a class whose annotated fields are those of a tuple."""


__all__ = ["NamedTuple"]
