"""What has changed in a slice: its endpoints by the pod that each is of, else by address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..objects.meta import StoredObject
from .followers import Change
from .view import Target


def list_changes(old: StoredObject | None, new: StoredObject | None) -> list[Change]:
    """The endpoints that stand otherwise in a slice than they did; None for those that are gone."""
    before, after = _read(old), _read(new)
    is_same = before[1] == after[1]
    gone: dict[str, Any] = {}
    found: dict[str, Target] = {}
    first, last = _find_middle(before[0], after[0]) if is_same else (0, 0)
    for was in before[0][first : len(before[0]) - last]:
        gone[key_of(was)] = was
    for is_now in after[0][first : len(after[0]) - last]:
        found[key_of(is_now)] = Target(is_now, after[1])
    changes: list[Change] = [(key, None) for key in gone if key not in found]
    for key, target in found.items():
        was = gone.get(key)
        # One that has another place, or was written anew as it was, has not changed.
        if not is_same or (was is not target.data and was != target.data):
            changes.append((key, target))
    return changes


def _find_middle(before: list[Any], after: list[Any]) -> tuple[int, int]:
    """How many stay as they are at the beginning and at the end: most of a slice are the same objects."""
    most = min(len(before), len(after))
    first = next((place for place in range(most) if before[place] is not after[place]), most)
    most -= first
    last = next((place for place in range(most) if before[-1 - place] is not after[-1 - place]), most)
    return first, last


def key_of(endpoint: Mapping[str, Any]) -> str:
    """The uid of the pod that an endpoint is of, else its address."""
    uid = (endpoint.get("targetRef") or {}).get("uid")
    return str(uid or next(iter(endpoint.get("addresses") or ()), ""))


def _read(entry: StoredObject | None) -> tuple[list[Any], list[Any]]:
    extra = entry.extra or {} if entry is not None else {}
    return list(extra.get("endpoints") or ()), list(extra.get("ports") or ())
