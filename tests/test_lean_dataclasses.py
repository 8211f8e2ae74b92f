"""Lean dataclasses are the standard library's in use: each case is made of both, and both answer alike."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lifecycle import lean_dataclasses

TOP = Path(__file__).resolve().parents[1]
BOTH = (lean_dataclasses, dataclasses)


def make_point(maker: Any, **options: Any) -> Any:
    """Two fields, the second with a default."""

    @maker.dataclass(**options)
    class Point:
        x: int
        y: int = 2

    return Point


def make_rich(maker: Any, **options: Any) -> Any:
    """What else a field can be."""

    @maker.dataclass(**options)
    class Rich:
        KINDS: ClassVar[tuple[str, ...]] = ("a",)
        names: list[str] = maker.field(default_factory=list)
        seen: int = maker.field(default=5, init=False)
        cached: dict[str, int] = maker.field(default_factory=dict, init=False, repr=False, compare=False)
        loud: bool = maker.field(default=False, kw_only=True)
        unset: int = maker.field(init=False, repr=False, compare=False)

    return Rich


def make_derived(maker: Any, **options: Any) -> Any:
    """A field more than its base has, another default of one, and a step after the constructor."""
    base = make_point(maker, **options)

    @maker.dataclass(**options)
    class Derived(base):  # type: ignore[misc]
        z: int = 3
        y: int = 7

        def __post_init__(self) -> None:
            object.__setattr__(self, "z", self.z * 10)

    return Derived


def make_empty(maker: Any, **options: Any) -> Any:
    @maker.dataclass(**options)
    class Empty:
        pass

    return Empty


def make_own(maker: Any, **options: Any) -> Any:
    """Methods of its own stay."""

    @maker.dataclass(**options)
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.x % 10 == other.x % 10

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return f"<{self.x}>"

    return Own


OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"eq": False},
    {"kw_only": True},
    {"frozen": True, "slots": True, "kw_only": True},
]
CALLS: list[tuple[Callable[..., Any], list[tuple[Any, ...]], list[dict[str, Any]]]] = [
    (make_point, [(1,), (1, 2), (3, 4), (), (1, 2, 3)], [{}, {"x": 1}, {"y": 9}, {"x": 1, "y": 2}, {"w": 1}]),
    (make_rich, [(), (["a"],), (["a"], 5)], [{}, {"loud": True}, {"names": ["b"]}, {"seen": 1}]),
    (make_derived, [(1,), (1, 2), (1, 2, 3)], [{}, {"x": 1}, {"z": 4}]),
    (make_empty, [(), (1,)], [{}, {"x": 1}]),
    (make_own, [(1,), (11,), (2,)], [{}, {"x": 1}]),
]
CASES = [
    pytest.param(make, options, arguments, named, id=f"{make.__name__} {options} {arguments} {named}")
    for make, all_arguments, all_named in CALLS
    for options in OPTIONS
    for arguments in all_arguments
    for named in all_named
]


def describe(make: Any) -> Any:
    """What came of a call: its value, or the kind of its error."""
    try:
        return make()
    except AttributeError:
        return AttributeError
    except TypeError:
        return TypeError


def can_write(one: Any, name: str) -> bool:
    """The standard library's own error is of either kind where a class has slots."""
    try:
        setattr(one, name, 99)
    except (AttributeError, TypeError):
        return False
    return True


def tell_of(maker: Any, make: Callable[..., Any], options: Any, arguments: Any, named: Any) -> Any:
    """All that an object of such a class can be asked."""
    kind = make(maker, **options)
    other = describe(lambda: kind(1))
    one = describe(lambda: kind(*arguments, **named))
    if isinstance(one, type):
        return one
    again = kind(*arguments, **named)
    return [
        repr(one),
        one == again,
        one == other,
        one != again,
        one == (1, 2),
        describe(lambda: hash(one) == hash(again)),
        describe(lambda: maker.asdict(one)),
        can_write(one, "x"),
        can_write(one, "unknown"),
        describe(lambda: repr(maker.replace(one, x=8))),
        kind.__match_args__,
        hasattr(one, "__dict__"),
        hasattr(one, "unset"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("make, options, arguments, named", CASES)
def test_objects_are_made_shown_and_compared_as_those_of_the_standard_library(
    make, options, arguments, named
):
    ours, theirs = (tell_of(maker, make, options, arguments, named) for maker in BOTH)
    assert ours == theirs


@pytest.mark.parametrize("make", [make for make, _arguments, _named in CALLS])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_constructors_take_what_those_of_the_standard_library_take(make, options):
    told = []
    for maker in BOTH:
        kind = make(maker, **options)
        describe(kind)
        signature = inspect.signature(kind.__init__)
        told.append([(one.name, one.kind) for one in signature.parameters.values()])
        told.append([one.default is one.empty for one in signature.parameters.values()])
    assert told[:2] == told[2:]


def test_factories_make_a_new_value_for_each_object():
    kind = make_rich(lean_dataclasses)
    one, other = kind(), kind()
    one.names.append("a")
    one.cached["a"] = 1
    assert (other.names, other.cached) == ([], {})


def test_plain_data_is_a_copy_down_to_the_ground():
    kind = make_rich(lean_dataclasses)
    inner = make_point(lean_dataclasses, frozen=True)
    one = kind(names=["a", inner(1), (inner(3), 4), {"k": inner(5)}])
    one.unset = 0
    data = lean_dataclasses.asdict(one)
    assert data["names"] == ["a", {"x": 1, "y": 2}, ({"x": 3, "y": 2}, 4), {"k": {"x": 5, "y": 2}}]
    data["names"].clear()
    assert len(one.names) == 4


def test_who_is_referred_to_weakly_says_so():
    @lean_dataclasses.dataclass(slots=True, weakref_slot=True, eq=False)
    class Asked:
        x: int

    one = Asked(1)
    assert weakref.ref(one)() is one
    with pytest.raises(TypeError):
        weakref.ref(make_point(lean_dataclasses, slots=True)(1))


def test_a_subclass_without_fields_of_its_own_is_made_as_its_base():
    class Plain(make_point(lean_dataclasses, slots=True)):  # type: ignore[misc]
        __slots__ = ()

    assert (Plain(1).y, Plain(1) == Plain(1), repr(Plain(3)).endswith("Plain(x=3, y=2)")) == (2, True, True)
    changed = lean_dataclasses.replace(Plain(1, 5), x=4)
    assert (type(changed), changed.x, changed.y) == (Plain, 4, 5)
    assert lean_dataclasses.asdict(Plain(1)) == {"x": 1, "y": 2}


def test_positions_are_matched():
    point = make_point(lean_dataclasses, slots=True)
    match point(1, 5):
        case point(x, y):
            assert (x, y) == (1, 5)
        case _:
            pytest.fail("not matched")


def test_defining_them_loads_nothing_heavy():
    """The standard library's own module loads a compiler's worth of others."""
    heavy = "{'dataclasses', 'inspect', 'ast', 'dis'}"
    check = f"import sys, lifecycle.lean_dataclasses; print(*{heavy} & sys.modules.keys())"
    result = subprocess.run([sys.executable, "-c", check], cwd=TOP, capture_output=True, text=True)
    assert (result.stdout.strip(), result.stderr) == ("", "")
