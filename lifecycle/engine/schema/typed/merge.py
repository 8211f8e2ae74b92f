"""An applied configuration over a live object: what it states is set, all else stays.

Entries of lists that both have are merged. They come in the order of the configuration, each entry that only
the live object has staying behind the one that it stood behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from ..fields import LIST, MAP
from .compare import ABSENT
from .shapes import Shape, resolve
from .values import element_of, entries_by_element


def merge(live: Any, applied: Any, shape: Shape) -> Any:
    """The live value with the applied one in it; either may be ABSENT."""
    if applied is ABSENT:
        return live
    form = resolve(shape, applied)
    is_leaf = form.form not in (MAP, LIST) or form.is_atomic or live is ABSENT
    if form.form == MAP and isinstance(applied, dict) and isinstance(live, dict) and not is_leaf:
        return _merge_maps(live, applied, form)
    if form.form == LIST and isinstance(applied, list) and isinstance(live, list) and not is_leaf:
        return _merge_lists(live, applied, form)
    if applied is None and not is_leaf and live:
        # Nothing is stated of what the value consists of.
        return live
    return applied


def _merge_maps(live: dict[str, Any], applied: dict[str, Any], shape: Shape) -> dict[str, Any]:
    merged = dict(live)
    for name, value in applied.items():
        field = shape.find(name)
        merged[name] = value if field is None else merge(live.get(name, ABSENT), value, field)
    return merged


def _merge_lists(live: Sequence[Any], applied: Sequence[Any], shape: Shape) -> list[Any]:
    assert shape.inner is not None, "a list is a list of something"
    had, wanted = _elements_of(shape, live), _elements_of(shape, applied)
    named, values = set(wanted), entries_by_element(shape, live)
    shared = deque(element for element in wanted if element in values)
    waiting = deque(zip(had, live, strict=True))
    result: list[Any] = []
    for element, entry in zip(wanted, applied, strict=True):
        upcoming = shared[0] if shared else None
        # Of [a, x, b] with [b, c] applied x comes before b, as it did.
        result += _take_until(waiting, upcoming, named)
        if element == upcoming:
            shared.popleft()
            if waiting:
                waiting.popleft()
        known = values.get(element, [])
        # Of entries that are there twice none is the one that is meant: all are replaced.
        result.append(merge(known[0], entry, shape.inner) if len(known) == 1 else entry)
    return result + _take_until(waiting, None, named)


def _take_until(waiting: deque[tuple[str, Any]], element: str | None, named: set[str]) -> list[Any]:
    """The entries in front of this one that the configuration does not name."""
    taken = []
    while waiting and waiting[0][0] != element:
        other, entry = waiting.popleft()
        if other not in named:
            taken.append(entry)
    return taken


def _elements_of(shape: Shape, entries: Sequence[Any]) -> list[str]:
    return [element_of(shape, entry) for entry in entries]
