"""Claims by the names that StatefulSets give them: `www-web-1` is that of ordinal 1 by the stem `www-web`."""

from __future__ import annotations

from collections.abc import Mapping

from ...objects.meta import StoredObject
from ...store.store import Store

CLAIM = "PersistentVolumeClaim"
_NONE: Mapping[int, StoredObject] = {}


class Claims:
    """All claims whose names end in an ordinal; kept write by write."""

    __slots__ = ("_by_stem", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_stem: dict[tuple[str, str], dict[int, StoredObject]] = {}

    def restore(self) -> None:
        """Take in all that are there, after a cluster was loaded."""
        for claim in self._store.list(CLAIM):
            self.follow(None, claim)

    def of(self, namespace: str, stem: str) -> Mapping[int, StoredObject]:
        """Those of a stem, by ordinal."""
        return self._by_stem.get((namespace, stem), _NONE)

    def follow(self, old: StoredObject | None, new: StoredObject | None) -> tuple[str, str, int] | None:
        """Take in one write; namespace, stem and ordinal of the claim, if it is one that a set may have."""
        from .decide.identity import split_name

        claim = new if new is not None else old
        assert claim is not None, "a write has an old or a new object"
        stem, ordinal = split_name(claim.meta.name)
        if ordinal < 0 or claim.meta.name != f"{stem}-{ordinal}":
            return None
        namespace = claim.meta.namespace or ""
        alike = self._by_stem.setdefault((namespace, stem), {})
        if new is not None:
            alike[ordinal] = new
        else:
            alike.pop(ordinal, None)
            if not alike:
                del self._by_stem[namespace, stem]
        return namespace, stem, ordinal
