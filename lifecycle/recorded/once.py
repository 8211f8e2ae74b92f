"""What several parts of a page ask of a cluster is asked once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from lifecycle.models import Cluster

P = ParamSpec("P")
Answer = TypeVar("Answer")

_answers: ContextVar[dict[Hashable, object] | None] = ContextVar("answers", default=None)


@contextmanager
def asked_once(anew: bool = False) -> Iterator[None]:
    """Meanwhile a question that comes again has the answer it had: for who only reads, and for one page.

    Within another its answers are those of the other; `anew`: its own, which nobody holds after it.
    """
    if _answers.get() is not None and not anew:
        yield
        return
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def once(ask: Callable[P, Answer]) -> Callable[P, Answer]:
    """A question of that kind: its arguments are clusters and plain values, and nobody changes its answer."""

    @wraps(ask)
    def answer(*args: P.args, **kwargs: P.kwargs) -> Answer:
        answers = _answers.get()
        if answers is None:
            return ask(*args, **kwargs)
        key = _make_key(ask, args, kwargs)
        if key not in answers:
            answers[key] = ask(*args, **kwargs)
        return answers[key]  # type: ignore[return-value]

    return answer


def recall(ask: Callable[P, Answer], *args: P.args, **kwargs: P.kwargs) -> Answer | None:
    """What a question of that kind was answered meanwhile; None where nobody has asked it."""
    key = _make_key(inspect.unwrap(ask), args, kwargs)
    return (_answers.get() or {}).get(key)  # type: ignore[return-value]


def _make_key(ask: Callable[..., object], args: Iterable[object], kwargs: Mapping[str, object]) -> Hashable:
    named = ((name, _key_of(argument)) for name, argument in kwargs.items())
    return ask, *map(_key_of, args), *named


def _key_of(argument: object) -> object:
    """A cluster that was read again may have gone on."""
    if isinstance(argument, Cluster):
        return argument.pk, argument.seq, argument.rv
    return argument
