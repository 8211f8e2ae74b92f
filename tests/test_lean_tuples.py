"""Lean named tuples are the standard library's in use: one class is made of both, and both answer alike."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from lifecycle import lean_tuples


class Ours(lean_tuples.NamedTuple):
    """Of both."""

    x: int
    y: int = 2
    KINDS = ("a", "b")

    @property
    def total(self) -> int:
        """The sum."""
        return self.x + self.y

    @classmethod
    def of(cls, text: str) -> Ours:
        return cls(*map(int, text.split()))

    def __str__(self) -> str:
        return f"{self.x}:{self.y}"


class Theirs(typing.NamedTuple):
    """Of both."""

    x: int
    y: int = 2
    KINDS = ("a", "b")

    @property
    def total(self) -> int:
        """The sum."""
        return self.x + self.y

    @classmethod
    def of(cls, text: str) -> Theirs:
        return cls(*map(int, text.split()))

    def __str__(self) -> str:
        return f"{self.x}:{self.y}"


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda kind: kind(1), id="a default"),
        pytest.param(lambda kind: kind(1, y=5), id="by name"),
        pytest.param(lambda kind: kind.of("3 4"), id="a class method"),
        pytest.param(lambda kind: kind(1).total, id="a property"),
        pytest.param(lambda kind: str(kind(1)), id="a text of its own"),
        pytest.param(lambda kind: repr(kind(1)).partition("(")[2], id="what is shown"),
        pytest.param(lambda kind: kind(1) == (1, 2), id="equal to a tuple"),
        pytest.param(lambda kind: kind(1) < kind(1, 3), id="in order"),
        pytest.param(lambda kind: hash(kind(1)), id="a hash"),
        pytest.param(lambda kind: kind(1)._replace(y=9), id="replaced"),
        pytest.param(lambda kind: kind(1)._asdict(), id="a dictionary"),
        pytest.param(lambda kind: (kind._fields, kind.__match_args__, kind._field_defaults), id="fields"),
        pytest.param(lambda kind: (kind.KINDS, kind.__doc__, kind.__module__), id="the class"),
        pytest.param(lambda kind: pickle.loads(pickle.dumps(kind(1))), id="pickled"),
        pytest.param(lambda kind: copy.deepcopy(kind(1)), id="copied"),
        pytest.param(lambda kind: kind.__mro__[1:], id="a tuple, nothing else"),
    ],
)
def test_named_tuples_answer_as_those_of_the_standard_library(ask):
    assert ask(Ours) == ask(Theirs)


@pytest.mark.parametrize("arguments, named", [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_what_a_constructor_does_not_take_is_refused(arguments: Any, named: Any):
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*arguments, **named)
