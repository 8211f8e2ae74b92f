"""One recorded change of one object, ready for every watcher: read once, encoded once a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

Json = dict[str, Any]

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


class Change:
    """What a version did to an object. `old` and `new` are its JSON, `old` None when it was not there.

    Of a deletion `new` is the last state. What was made of it for one watcher is kept for the others.
    """

    __slots__ = ("_encoded", "_objects", "name", "namespace", "new", "old", "rv", "type")

    def __init__(
        self, rv: int, type: str, namespace: str | None, name: str, old: bytes | None, new: bytes
    ) -> None:
        self.rv = rv
        self.type = type
        self.namespace = namespace
        self.name = name
        self.old = old
        self.new = new
        self._objects: dict[bool, Json] = {}
        self._encoded: dict[tuple[Any, ...], bytes] = {}

    @property
    def object(self) -> Json:
        """The object as it is after the change; not to be changed."""
        return self._read(self.new, False)

    @property
    def old_object(self) -> Json | None:
        """The object as it was, with the version of the change: what a watcher it leaves is told."""
        if self.old is None:
            return None
        found = self._read(self.old, True)
        found["metadata"]["resourceVersion"] = str(self.rv)
        return found

    def _read(self, text: bytes, is_old: bool) -> Json:
        found = self._objects.get(is_old)
        if found is None:
            found = self._objects[is_old] = orjson.loads(text)
        return found

    def encode(self, key: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        """The text that goes to every watcher with the same `key`."""
        found = self._encoded.get(key)
        if found is None:
            found = self._encoded[key] = make()
        return found

    def forget(self) -> None:
        """Let go of what can be made again: all who watch now have had it."""
        self._objects.clear()
        self._encoded.clear()


def apply_patch(old: Json, patch: Json) -> Json:
    """An object with a recorded merge patch on it.

    What was not there before stands in the patch as it is, nulls and all: the recorder writes it so.
    """
    new = dict(old)
    for name, value in patch.items():
        before = new.get(name)
        if name not in new:
            new[name] = value
        elif value is None:
            del new[name]
        elif isinstance(value, dict) and isinstance(before, dict):
            new[name] = apply_patch(before, value)
        else:
            new[name] = value
    return new
