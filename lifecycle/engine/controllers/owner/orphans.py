"""Objects that nobody controls, and the owners of one kind that may adopt them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from lifecycle.lean_dataclasses import dataclass, field

from ...objects.meta import StoredObject
from ...objects.selector import Selector
from ...store.selectors import SelectorIndex

Stored = TypeVar("Stored", bound=StoredObject)
Find = Callable[[str], StoredObject | None]
ListFree = Callable[[str], Iterable[str]]
"""uids of the objects in a namespace that nobody controls."""


@dataclass(slots=True)
class Free:
    """Which objects of a kind nobody controls: what the store's index knows of pods, for other kinds."""

    _uids: dict[str, dict[str, None]] = field(default_factory=dict)

    def follow(self, old: StoredObject | None, new: StoredObject | None) -> None:
        """Take in one write, or an object that is there."""
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        if old is not None and new is not None and old.meta is new.meta:
            return
        uids = self._uids.setdefault(some.meta.namespace or "", {})
        if new is not None and new.meta.controller is None:
            uids[new.meta.uid] = None
        else:
            uids.pop(some.meta.uid, None)

    def list(self, namespace: str) -> Iterable[str]:
        """Their uids, in the order in which they came to be free."""
        return self._uids.get(namespace, ())


class Orphans:
    """The selectors of all owners of a kind, and whom each of them has to look at for adoption."""

    __slots__ = ("_find", "_list_free", "_noted", "_selectors")

    def __init__(self, find: Find, list_free: ListFree) -> None:
        self._find = find
        self._list_free = list_free
        self._selectors = SelectorIndex()
        # uids of the objects to look at, by the owner's uid.
        self._noted: dict[str, dict[str, None]] = {}

    def file(self, owner: StoredObject, selector: Selector) -> None:
        """A new owner: its selector, and what it may adopt of what is there."""
        meta = owner.meta
        namespace = meta.namespace or ""
        self._selectors.add(meta.uid, namespace, meta.name, selector)
        for uid in self._list_free(namespace):
            free = self._find(uid)
            if free is not None and selector.matches(free.meta.labels):
                self._noted.setdefault(meta.uid, {})[uid] = None

    def forget(self, uid: str) -> None:
        """An owner that is gone."""
        self._selectors.remove(uid)
        self._noted.pop(uid, None)

    def note(self, free: StoredObject) -> list[str]:
        """Names of the owners in the object's namespace that may adopt it, and are to look."""
        found = self._selectors.matching(free.meta.namespace or "", free.meta.labels)
        for uid, _name in found:
            self._noted.setdefault(uid, {})[free.meta.uid] = None
        return [name for _uid, name in found]

    def take(self, owner_uid: str) -> list[StoredObject]:
        """The objects noted for an owner that still exist, oldest first; they are noted no more."""
        noted = self._noted.pop(owner_uid, None)
        return list_by_age(self._find, noted) if noted else []


def list_by_age(find: Callable[[str], Stored | None], uids: Iterable[str]) -> list[Stored]:
    """The objects of those uids that exist, oldest first whatever order they were noted in."""
    found = [one for one in map(find, uids) if one is not None]
    return sorted(found, key=lambda one: (one.meta.creation_ms or 0, one.meta.name))
