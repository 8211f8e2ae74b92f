"""From labels to the selectors that may match them, without walking every selector of a namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..objects.selector import Selector


class SelectorIndex:
    """Selectors by namespace, filed under one label pair that every match must have."""

    __slots__ = ("_anchored", "_anywhere", "holders")

    def __init__(self) -> None:
        self.holders: dict[str, tuple[str, str, Selector]] = {}
        self._anchored: dict[tuple[str, str, str], dict[str, None]] = {}
        # Selectors without such a pair (only Exists, NotIn, … or nothing at all), by namespace.
        self._anywhere: dict[str, dict[str, None]] = {}

    def add(self, uid: str, namespace: str, name: str, selector: Selector) -> None:
        """File a selector under its holder; one already filed there is replaced."""
        self.remove(uid)
        self.holders[uid] = (namespace, name, selector)
        for shelf in self._shelves(namespace, selector):
            shelf[uid] = None

    def remove(self, uid: str) -> None:
        """Forget a holder."""
        known = self.holders.pop(uid, None)
        if known is None:
            return
        namespace, _name, selector = known
        for shelf in self._shelves(namespace, selector):
            shelf.pop(uid, None)

    def _shelves(self, namespace: str, selector: Selector) -> Iterator[dict[str, None]]:
        anchors = selector.anchors
        if not anchors:
            yield self._anywhere.setdefault(namespace, {})
        for key, value in anchors:
            yield self._anchored.setdefault((namespace, key, value), {})

    def matching(self, namespace: str, labels: Mapping[str, str]) -> list[tuple[str, str]]:
        """(uid, name) of every holder in the namespace whose selector matches, sorted by name."""
        if not self.holders:
            return []
        found: dict[str, None] = {}
        for pair in labels.items():
            found.update(self._anchored.get((namespace, *pair), {}))
        found.update(self._anywhere.get(namespace, {}))
        holders = [(self.holders[uid], uid) for uid in found]
        return sorted(
            ((uid, name) for (_space, name, selector), uid in holders if selector.matches(labels)),
            key=lambda holder: holder[1],
        )
