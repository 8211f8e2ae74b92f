"""Dataclasses that cost little to define: a command starts with hundreds of them, and makes objects of few.

In use they are the standard library's, with the part of it that this project needs. There the compiler runs
for every method of every class that is defined, which takes most of a short run's time. Here it runs for the
constructor alone, when the first object is made; the other methods are made of ready parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")
Read = Callable[[Any], Any]
Fields = dict[str, "Field"]

_MISSING: Any = object()
CONSTRUCTOR = "<constructor>"
"""The file that compiled constructors name as theirs."""


class Field:
    """What a field is beside its name: how its value begins, and what it takes part in."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "repr")

    def __init__(
        self,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare, self.kw_only = init, repr, compare, kw_only


def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
    kw_only: bool = False,
) -> Any:
    """Say of a field more than its name, its type and its default."""
    return Field(default, default_factory, init, repr, compare, kw_only)


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *,
    eq: bool = True,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
    weakref_slot: bool = False,
) -> Callable[[type[T]], type[T]]:
    """Make a dataclass of a class whose fields are annotated."""

    def make(cls: type[T]) -> type[T]:
        own = dict(_take_fields(cls, kw_only))
        if slots:
            cls = _with_slots(cls, own, weakref_slot)
        every = {name: one for base in cls.__mro__[:0:-1] for name, one in _fields_of(base)} | own
        _give_methods(cls, every, eq, frozen)
        return cls

    return make


def fields(kind: Any) -> list[str]:
    """The names of the fields of a dataclass, or of an object of one."""
    return list(kind.__lean_fields__)


def replace(one: T, /, **changes: Any) -> T:
    """A copy with some fields changed."""
    kind: Any = type(one)
    kept = {name: getattr(one, name) for name, told in kind.__lean_fields__.items() if told.init}
    made: T = kind(**(kept | changes))
    return made


def asdict(one: Any) -> Any:
    """An object as plain data, and all that stands in it."""
    if isinstance(one, dict):
        return {key: asdict(value) for key, value in one.items()}
    if isinstance(one, list | tuple):
        return type(one)([asdict(value) for value in one])
    if hasattr(one, "__lean_fields__"):
        return {name: asdict(getattr(one, name)) for name in fields(one)}
    return one


def _fields_of(kind: type) -> Iterator[tuple[str, Field]]:
    yield from kind.__dict__.get("__lean_fields__", {}).items()


def _take_fields(cls: type, kw_only: bool) -> Iterator[tuple[str, Field]]:
    """What the class itself names. Of what stood for their beginnings, the class keeps the defaults."""
    for name, annotation in cls.__annotations__.items():
        # Most modules keep annotations as text.
        if str(annotation).startswith(("ClassVar", "typing.ClassVar")):
            continue
        told = cls.__dict__.get(name, _MISSING)
        if not isinstance(told, Field):
            told = Field(told)
        elif told.default is _MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, told.default)
        told.kw_only = told.kw_only or kw_only
        yield name, told


def _with_slots(cls: Any, own: Fields, has_weakref: bool) -> Any:
    """The class once more: slots are given when a class is made, or never."""
    left_out = {*own, "__dict__", "__weakref__"}
    content = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    slots = [name for name in own if name not in inherited]
    content["__slots__"] = (*slots, "__weakref__") if has_weakref else tuple(slots)
    again = type(cls)(cls.__name__, cls.__bases__, content)
    again.__qualname__ = cls.__qualname__
    return again


def _give_methods(cls: Any, every: Fields, eq: bool, frozen: bool) -> None:
    own = cls.__dict__
    cls.__lean_fields__ = every
    cls.__match_args__ = tuple(  # type: ignore[misc]
        name for name, told in every.items() if told.init and not told.kw_only
    )
    cls.__init__ = _compile_later(cls, every, frozen)
    if "__repr__" not in own:
        cls.__repr__ = _show
    if eq:
        read = _make_reader(tuple(name for name, told in every.items() if told.compare))
        if "__eq__" not in own:
            cls.__eq__ = _make_eq(read)
        # Python itself says None where a class says what is equal, and not what is its hash.
        if own.get("__hash__") is None:
            cls.__hash__ = _make_hash(read) if frozen else None
    if frozen:
        cls.__setattr__ = cls.__delattr__ = _refuse


def _make_reader(names: tuple[str, ...]) -> Read:
    """What reads some fields of an object, all at once."""
    return attrgetter(*names) if names else lambda one: ()


def _make_eq(read: Read) -> Any:
    def __eq__(self: Any, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return bool(read(self) == read(other))

    return __eq__


def _make_hash(read: Read) -> Any:
    def __hash__(self: Any) -> int:
        return hash(read(self))

    return __hash__


def _show(self: Any) -> str:
    shown = [name for name, told in self.__lean_fields__.items() if told.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def _refuse(self: Any, name: str, value: Any = None) -> None:
    raise AttributeError(f"cannot write {name!r}: a {type(self).__name__} stays as it was made")


def _compile_later(cls: Any, every: Fields, frozen: bool) -> Any:
    """A constructor that puts the compiled one in its own place, and hands over to it."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        cls.__init__ = _compile(cls, every, frozen)
        cls.__init__(self, *args, **kwargs)

    return __init__


def _compile(cls: Any, every: Fields, frozen: bool) -> Any:
    """The constructor: `self.NAME = NAME` for each field, as one would write it by hand."""
    known: dict[str, Any] = {"_MISSING": _MISSING, "_write": object.__setattr__}
    for name, told in every.items():
        known[f"_default_{name}"], known[f"_make_{name}"] = told.default, told.default_factory
    given = {name: told for name, told in every.items() if told.init}
    parameters = [_parameter(name, told) for name, told in given.items() if not told.kw_only]
    named = [_parameter(name, told) for name, told in given.items() if told.kw_only]
    head = ", ".join(["self", *parameters, *(["*", *named] if named else [])])
    values = {name: _value(name, told) for name, told in every.items()}
    written = [f"_write(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"
               for name, value in values.items() if value]  # fmt: skip
    if hasattr(cls, "__post_init__"):
        written.append("self.__post_init__()")
    text = f"def __init__({head}):\n " + "\n ".join(written or ["pass"])
    exec(compile(text, CONSTRUCTOR, "exec"), known)
    made = known["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


def _parameter(name: str, told: Field) -> str:
    if told.default is not _MISSING:
        return f"{name}=_default_{name}"
    return name if told.default_factory is _MISSING else f"{name}=_MISSING"


def _value(name: str, told: Field) -> str:
    """What a field is first set to; "" where it waits to be set."""
    if told.default_factory is not _MISSING:
        return f"_make_{name}() if {name} is _MISSING else {name}" if told.init else f"_make_{name}()"
    if told.init:
        return name
    return f"_default_{name}" if told.default is not _MISSING else ""
