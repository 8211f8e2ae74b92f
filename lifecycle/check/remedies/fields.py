"""Where in a manifest a change is made: the field that is at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
Path = tuple[str | int, ...]
_HEAD = ("apiVersion", "kind", "metadata")
_KEYS = ("name", "topologyKey")
"""What tells the entries of a merged list apart."""


def find_field(data: Json, patch: Json) -> Path:
    """The path of the field that a patch changes; of one that is not there, what it would be in."""
    return _find(data, {name: value for name, value in patch.items() if name not in _HEAD})


def _find(known: Any, change: Any) -> Path:
    if isinstance(known, Mapping) and isinstance(change, Mapping):
        for name, value in change.items():
            if name in known and known[name] != value:
                return (name, *_find(known[name], value))
    elif isinstance(known, Sequence) and isinstance(change, Sequence) and not isinstance(known, str):
        for entry in change:
            place = _find_entry(known, entry)
            if place is not None and known[place] != entry:
                return (place, *_find(known[place], entry))
    return ()


def _find_entry(entries: Sequence[Any], wanted: Any) -> int | None:
    if not isinstance(wanted, Mapping):
        return None
    for place, one in enumerate(entries):
        for key in _KEYS:
            if isinstance(one, Mapping) and one.get(key) == wanted.get(key) and key in wanted:
                return place
    return None


def list_fields(patch: Json) -> list[tuple[str, ...]]:
    """The paths of all that a patch says, entries of lists left out: `spec template … readinessProbe`."""
    return list(dict.fromkeys(_walk((), {name: patch[name] for name in patch if name not in _HEAD})))


def _walk(path: tuple[str, ...], value: Any) -> list[tuple[str, ...]]:
    if isinstance(value, Mapping) and value:
        return [found for name, inner in value.items() for found in _walk((*path, name), inner)]
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        return [found for one in value for found in _walk(path, one)]
    return [path]
