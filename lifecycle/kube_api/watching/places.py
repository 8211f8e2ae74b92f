"""The objects of a kind by their keys, in the order in which lists have them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from lifecycle.kube_api.watching.records import Held, Row, State


def key_of(namespace: str | None, name: str) -> str:
    """An object's key within its resource: lists go by these."""
    return f"{namespace}/{name}" if namespace else name


class Places:
    """What a kind's state holds, found by key. Told of every version that the state takes in."""

    def __init__(self, state: State) -> None:
        self._held = {key_of(one.namespace, one.name): one for one in state.values()}
        self._keys: list[str] | None = None
        self._versions: set[str] = set()
        self._shown: dict[tuple[str, str], tuple[Held, bytes]] = {}
        self.bytes = sum(len(one.text) for one in state.values())

    def put(self, row: Row, held: Held | None) -> None:
        """An object has changed, and is now `held`; None: it is gone."""
        key = key_of(row.namespace, row.name)
        before = self._held.get(key)
        self.bytes += (len(held.text) if held else 0) - (len(before.text) if before else 0)
        if (held is None) != (before is None):
            self._keys = None
        if held is not None:
            self._held[key] = held
        elif before is not None:
            del self._held[key]
        if before is not None:
            self._forget_shown(before)

    def show(self, version: str, held: Held, make: Callable[[bytes], bytes]) -> bytes:
        """An object as an API version shows it: what `make` makes of its text, once for each version."""
        key = key_of(held.namespace, held.name)
        found = self._shown.get((version, key))
        if found is not None and found[0] is held:
            return found[1]
        text = make(held.text)
        if text == held.text:
            text = held.text
        # Of a list that is still being made some may be there no more.
        if self._held.get(key) is held:
            self._shown[version, key] = (held, text)
            self._versions.add(version)
            self.bytes += 0 if text is held.text else len(text)
        return text

    def _forget_shown(self, held: Held) -> None:
        for version in self._versions:
            found = self._shown.pop((version, key_of(held.namespace, held.name)), None)
            self.bytes -= len(found[1]) if found is not None and found[1] is not held.text else 0

    def get(self, namespace: str | None, name: str) -> Held | None:
        """The object of a name."""
        return self._held.get(key_of(namespace, name))

    def list(self, namespace: str | None) -> list[Held]:
        """All objects of a namespace, or (None) of all, in the order of their keys."""
        if self._keys is None:
            self._keys = sorted(self._held)
        keys = self._keys
        if namespace is not None:
            # Behind a slash comes a zero.
            keys = keys[bisect_left(keys, f"{namespace}/") : bisect_left(keys, f"{namespace}0")]
        return [self._held[key] for key in keys]
