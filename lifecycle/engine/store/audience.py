"""Who is told of a write: whoever listens, but for what each has said that it has no use for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Flag, auto
from typing import Any

from lifecycle.lean_tuples import NamedTuple

Listener = Callable[[Any, Any], None]
"""Told (old, new) of a write, None for absent; both are of the class of the kind it listens to."""
Listeners = tuple[Listener, ...]
Audience = tuple[Listeners, ...]
"""Who is told of writes to a kind: of those of note, of a pod's changed readiness alone, of any others, of
those of note to a pod without volumes, of its binding alone, that it is there and nothing was said of it yet,
of an end, of that of a pod without volumes."""
ALL, READINESS, DETAIL, SIMPLE, BINDING, FRESH, END, SIMPLE_END = range(8)
"""Their places in it."""
OF_NOTE = frozenset((ALL, SIMPLE))


class Useless(Flag):
    """What a listener has no use for, and is not told where the writer knows that it is all there is."""

    NOTHING = 0
    READINESS = auto()
    """That a pod came up or became ready, or is so no longer."""
    BINDING = auto()
    """That the scheduler has bound a pod."""
    FRESH = auto()
    """That a pod is there, on no node and with nothing said of it."""
    SIMPLE = auto()
    """Whatever becomes of pods without volumes."""
    LIFE = auto()
    """Whatever becomes of objects, but for their end."""


class Shape(NamedTuple):
    """One who listens to the shape of objects."""

    listener: Listener
    useless: Useless
    on_binding: Listener


def make_audience(always: Listeners, shapes: Sequence[Shape], asleep: Collection[Listener] = ()) -> Audience:
    """Who is told of what, each in the order in which they began to listen."""
    awake = [one for one in shapes if one.listener not in asleep]
    of_note = _but(Useless.LIFE, awake)
    simple = _but(Useless.SIMPLE, of_note)
    groups: tuple[Iterable[Listener], ...] = (
        [one.listener for one in of_note],
        [one.listener for one in _but(Useless.READINESS, of_note)],
        (),
        [one.listener for one in simple],
        [one.on_binding for one in _but(Useless.BINDING, simple)],
        [one.listener for one in _but(Useless.FRESH, simple)],
        [one.listener for one in awake],
        [one.listener for one in _but(Useless.SIMPLE, awake)],
    )
    return tuple((*always, *group) for group in groups)


def _but(what: Useless, shapes: Iterable[Shape]) -> list[Shape]:
    """Those who have a use for something."""
    return [one for one in shapes if what not in one.useless]
