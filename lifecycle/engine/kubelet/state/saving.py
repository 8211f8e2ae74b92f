"""Saves slots of an object as plain data, by name or as a row in the order of names, and loads them.

JSON has no tuples, so each list is loaded as a tuple.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

_exhaust = deque[None](maxlen=0).extend


def save_map(holder: object, names: Sequence[str]) -> dict[str, Any]:
    """Some slots by name; each holds a scalar, or a tuple or map of scalars. Maps are copied."""
    return dict(zip(names, save_row(holder, names), strict=True))


def load_map(holder: object, data: Mapping[str, Any], names: Sequence[str]) -> None:
    """Set the slots as `save_map` found them. Raises KeyError for one that was not saved."""
    load_row(holder, list(map(data.__getitem__, names)), names)


def save_row(holder: object, names: Sequence[str]) -> list[Any]:
    """The values of some slots, in the order of their names."""
    values = (getattr(holder, name) for name in names)
    return [dict(value) if isinstance(value, dict) else value for value in values]


def load_row(holder: object, row: Sequence[Any], names: Sequence[str]) -> None:
    """Set the slots as `save_row` found them. Raises ValueError for a row of another length."""
    if len(row) != len(names):
        raise ValueError(f"{len(row)} values for {len(names)} names")
    values = [tuple(one) if type(one) is list else dict(one) if type(one) is dict else one for one in row]
    # The loop runs below Python: a cluster has many rows, and many clusters go on from one state.
    _exhaust(map(setattr, repeat(holder), names, values))
