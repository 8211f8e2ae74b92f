"""What has changed in a slice: its endpoints by the pod that each is of, else by address."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
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
    # Most of a slice stays as it is: the same objects in the same places.
    for was, is_now in zip_longest(before[0], after[0]):
        if was is is_now and is_same:
            continue
        if was is not None:
            gone[key_of(was)] = was
        if is_now is not None:
            found[key_of(is_now)] = Target(is_now, after[1])
    changes: list[Change] = [(key, None) for key in gone if key not in found]
    for key, target in found.items():
        was = gone.get(key)
        # One that only has another place has not changed.
        if not is_same or (was is not target.data and was != target.data):
            changes.append((key, target))
    return changes


def key_of(endpoint: Mapping[str, Any]) -> str:
    """The uid of the pod that an endpoint is of, else its address."""
    uid = (endpoint.get("targetRef") or {}).get("uid")
    return str(uid or next(iter(endpoint.get("addresses") or ()), ""))


def _read(entry: StoredObject | None) -> tuple[list[Any], list[Any]]:
    extra = entry.extra or {} if entry is not None else {}
    return list(extra.get("endpoints") or ()), list(extra.get("ports") or ())
